"""Anthropic's rules for a replayed history, as data. ``docs/replay.md`` prints this table."""

from __future__ import annotations

from typing import Final

from convotree.replay.finding import Severity
from convotree.replay.rule import Rule, rule_table

__all__ = ["RULES"]

_E, _W = Severity.ERROR, Severity.WARNING

RULES: Final = rule_table(
    (
        Rule("A1", _E, "1 to 100,000 messages", "messages: at least one message is required", "S, E"),
        Rule(
            "A2",
            _W,
            "the first message is the user's",
            'first message must use the "user" role',
            "E; R accepted",
        ),
        Rule(
            "A3", _W, "roles alternate; the API itself merges turns", "roles must alternate", "S; R accepted"
        ),
        Rule(
            "A4",
            _E,
            "every tool_use of a turn is answered in the next user turn",
            "tool_use ids were found without tool_result blocks immediately after",
            "D, E, R",
        ),
        Rule(
            "A5",
            _E,
            "tool_results lead their turn",
            "tool_use ids were found without tool_result blocks",
            "D",
        ),
        Rule(
            "A6",
            _E,
            "a tool_result answers a tool_use of the turn before it, in a user turn",
            "unexpected tool_use_id found in tool_result blocks",
            "E, R",
        ),
        Rule("A7", _E, "one tool_result for each tool_use", "each tool_use must have a single result", "E"),
        Rule(
            "A8",
            _E,
            "tool_use ids are unique in a turn (across turns: a warning)",
            "tool_use ids must be unique",
            "E; R accepted across turns",
        ),
        Rule(
            "A9",
            _E,
            "a hosted call has its result below it, unless it is still running",
            "tool use with id … was found without a corresponding … block",
            "D, E, R",
        ),
        Rule(
            "A10",
            _E,
            "tools are declared that pending hosted calls, the advisor's blocks and references to tools need",
            "no web_search tool was provided; tool_reference_unresolved",
            "D, S, L",
        ),
        Rule("A11", _E, "ids match [a-zA-Z0-9_-]+", "String should match pattern '^[a-zA-Z0-9_-]+$'", "E, R"),
        Rule("A12", _E, "tool names match [a-zA-Z0-9_-]{1,128} and are unique", "tool_name_conflict", "L, S"),
        Rule("A13", _E, "text is not blank", "text content blocks must be non-empty", "E, R"),
        Rule("A14", _E, "messages have content", "all messages must have non-empty content", "E"),
        Rule(
            "A15",
            _E,
            "newer models take no start of the answer as last message",
            "This model does not support assistant message prefill",
            "S, E, R",
        ),
        Rule(
            "A16",
            _E,
            "the start of an answer ends in no white space",
            "final assistant content cannot end with trailing whitespace",
            "E",
        ),
        Rule(
            "A17",
            _E,
            "with manual thinking, the last answer of a tool loop starts with thinking",
            "Expected `thinking` or `redacted_thinking`, but found `tool_use`",
            "E",
        ),
        Rule("A18", _E, "thinking carries its signature", "Invalid `signature` in `thinking` block", "E, D"),
        Rule(
            "A19",
            _E,
            "thinking stands below the very prefix it was made from",
            "The block is bound to a different conversation",
            "D, S, E",
        ),
        Rule(
            "A20",
            _E,
            "one compaction with content, at the start",
            "compaction_block_ambiguous, …_misplaced",
            "S",
        ),
        Rule(
            "A21",
            _E,
            "a system message follows a user turn or hosted result and precedes an answer or the end",
            "role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result",
            "E, R",
        ),
        Rule(
            "A22",
            _E,
            "at most 4 cache markers",
            "A maximum of 4 blocks with cache_control may be provided",
            "E",
        ),
        Rule(
            "A23",
            _E,
            "no 1h cache marker after a 5m one, none on thinking",
            "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
            "E",
        ),
        Rule(
            "A24",
            _E,
            "no unknown members (of unknown blocks: a warning)",
            "Extra inputs are not permitted",
            "E, R",
        ),
        Rule("A25", _E, "media: types, sizes, valid base64, how many", "Too much media", "D, E, S"),
        Rule("A26", _E, "container is a string", "container: Input should be a valid string", "L"),
        Rule("A27", _E, "one browser_state, on a result that is no error", "", "S"),
    )
)
"""By id, in order."""
