"""Requests: assembled from a path, rendered for a provider, checked against its rules, read from its JSON."""

from convotree.replay import anthropic as anthropic
from convotree.replay import openai_chat as openai_chat
from convotree.replay.finding import Finding, Severity
from convotree.replay.note import Note
from convotree.replay.policy import (
    BlankText,
    CacheMarkers,
    DeveloperMessages,
    ForeignReasoning,
    HostedOrphans,
    RenderPolicy,
    ResponseMembers,
    ToolArguments,
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
    "CacheMarkers",
    "DeveloperMessages",
    "Finding",
    "ForeignReasoning",
    "HostedOrphans",
    "Note",
    "RenderPolicy",
    "Rendered",
    "Request",
    "ResponseMembers",
    "Severity",
    "ToolArguments",
    "ToolCallIds",
    "Turns",
    "UnansweredCalls",
    "UnmatchedResults",
    "Unsupported",
]
