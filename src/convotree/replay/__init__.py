"""Requests: assembled from a path, rendered for a provider, checked against its rules, read from its JSON."""

from convotree.replay.finding import Finding, Severity
from convotree.replay.note import Note
from convotree.replay.policy import (
    BlankText,
    DeveloperMessages,
    ForeignReasoning,
    HostedOrphans,
    RenderPolicy,
    ToolCallIds,
    Turns,
    UnansweredCalls,
    UnmatchedResults,
    Unsupported,
)
from convotree.replay.rendered import Rendered
from convotree.replay.request import Request

__all__ = [
    "BlankText",
    "DeveloperMessages",
    "Finding",
    "ForeignReasoning",
    "HostedOrphans",
    "Note",
    "RenderPolicy",
    "Rendered",
    "Request",
    "Severity",
    "ToolCallIds",
    "Turns",
    "UnansweredCalls",
    "UnmatchedResults",
    "Unsupported",
]
