"""Requests: assembled from a path, rendered for a provider, checked against its rules, read from its JSON."""

from convotree.replay import anthropic as anthropic
from convotree.replay import gemini as gemini
from convotree.replay import openai_chat as openai_chat
from convotree.replay import openai_responses as openai_responses
from convotree.replay.continuation import Continuation
from convotree.replay.finding import Finding, Severity
from convotree.replay.note import Note
from convotree.replay.policy import (
    BlankText,
    CacheMarkers,
    DeveloperMessages,
    FailedTurns,
    ForeignReasoning,
    HostedOrphans,
    LastAnswer,
    RenderPolicy,
    ResponseMembers,
    StaleReasoning,
    ToolArguments,
    ToolCallIds,
    Turns,
    Unacceptable,
    UnansweredCalls,
    UnmatchedResults,
    Unsupported,
)
from convotree.replay.prefix import Differs, PrefixBreak
from convotree.replay.rendered import Rendered
from convotree.replay.request import Request
from convotree.replay.streaming import StreamedAnswer

__all__ = [
    "BlankText",
    "CacheMarkers",
    "Continuation",
    "DeveloperMessages",
    "Differs",
    "FailedTurns",
    "Finding",
    "ForeignReasoning",
    "HostedOrphans",
    "LastAnswer",
    "Note",
    "PrefixBreak",
    "RenderPolicy",
    "Rendered",
    "Request",
    "ResponseMembers",
    "Severity",
    "StaleReasoning",
    "StreamedAnswer",
    "ToolArguments",
    "ToolCallIds",
    "Turns",
    "Unacceptable",
    "UnansweredCalls",
    "UnmatchedResults",
    "Unsupported",
]
