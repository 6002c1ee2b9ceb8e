"""The rules of Chat Completions for a replayed history, as data. ``docs/replay.md`` prints this table."""

from __future__ import annotations

from typing import Final

from convotree.replay.finding import Severity
from convotree.replay.rule import Rule, rule_table

__all__ = ["RULES"]

_E, _W = Severity.ERROR, Severity.WARNING

RULES: Final = rule_table(
    (
        Rule(
            "C1",
            _E,
            "every tool call is answered by a tool message right after its message",
            "'tool_calls' must be followed by tool messages responding to each 'tool_call_id'",
            "E, R",
        ),
        Rule(
            "C2",
            _E,
            "a tool message answers a call of the answer before it, once",
            "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
            "E",
        ),
        Rule("C3", _E, "tool_calls is not empty", "Invalid 'messages[2].tool_calls': empty array", "E"),
        Rule(
            "C4",
            _E,
            "content is null only beside tool calls, and no empty list",
            "Invalid value for 'content': expected a string, got null",
            "E",
        ),
        Rule(
            "C5",
            _E,
            "names match [a-zA-Z0-9_-]{1,64}, ids of tool calls have 1 to 40 characters",
            "string does not match pattern; string too long",
            "E, R",
        ),
        Rule(
            "C6",
            _W,
            "tool messages hold text; media go into a user message after them, which rendering does",
            "Content blocks are expected to be either text or image_url type",
            "R",
        ),
        Rule(
            "C7",
            _E,
            "the model takes the role",
            "'messages[0].role' does not support 'developer' with this model",
            "R",
        ),
        Rule("C8", _E, "no string has more than 1,048,576 characters", "string too long", "E"),
    )
)
"""By id, in order."""
