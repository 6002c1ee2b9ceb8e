"""The rules of the Responses API for a replayed history, as data. ``docs/replay.md`` prints this table."""

from __future__ import annotations

from typing import Final

from convotree.replay.finding import Severity
from convotree.replay.rule import Examined, Rule, rule_table

__all__ = ["RULES"]

_E, _W = Severity.ERROR, Severity.WARNING

RULES: Final = rule_table(
    (
        Rule(
            "R1",
            _E,
            "reasoning with an id stands directly before the item it led to, which has its id",
            "Item 'rs_…' of type 'reasoning' was provided without its required following item",
            "E, R",
        ),
        Rule(
            "R2",
            _E,
            "an item with an id stands directly after its reasoning, which has its id (none at all: a warning)",
            "Item 'fc_…' of type 'function_call' was provided without its required 'reasoning' item",
            "E",
        ),
        Rule(
            "R3",
            _E,
            "every call that the caller is to run is answered, once and under an id of its own",
            "No tool output found for function call",
            "E, R",
        ),
        Rule(
            "R4",
            _E,
            "an output answers a call above it, unless the request goes on with a stored conversation",
            "No tool call found for function call output with call_id",
            "E, R",
        ),
        Rule(
            "R5",
            _W,
            "outputs come before the next message of the user; only compatible servers ask for it",
            "No tool output found for tool call",
            "L, R",
        ),
        Rule(
            "R6",
            _E,
            "ids of items begin as their type does, match [a-zA-Z0-9_-]{1,64} and are unique",
            "Expected an ID that begins with 'fc'; Duplicate item found with id",
            "E",
        ),
        Rule("R7", _E, "call ids have 1 to 64 characters", "string too long", "L, R"),
        Rule(
            "R8",
            _E,
            "reasoning has a summary and, without an id, its encrypted content (of another model: a warning)",
            "The encrypted content could not be verified; Missing required parameter",
            "E",
        ),
        Rule(
            "R9",
            _E,
            "with store: false, nothing is referred to by its id alone",
            "Items are not persisted when store is set to false",
            "E",
        ),
        Rule(
            "R10",
            _E,
            "an answer's message holds text and refusals",
            "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'",
            "E",
        ),
        Rule("R11", _E, "no unknown members (of unknown items: a warning)", "Unknown parameter", "E, L"),
        Rule(
            "R12",
            _E,
            "a call of a tool that is loaded later names its namespace",
            "Missing namespace for function_call",
            "L",
        ),
        Rule(
            "R13",
            _E,
            "no empty input or content, names match [a-zA-Z0-9_-]{1,64}, files are data URLs",
            "empty array; string does not match pattern; Invalid file data",
            "E, R",
        ),
        Rule(
            "R14",
            _E,
            "at most 4 cache breakpoints; previous_response_id or conversation, not both",
            "",
            "S",
        ),
        Rule(
            "R15",
            _W,
            "what is stored is there for 30 days, a container for 20 minutes",
            "",
            "S",
            Examined.NO,
        ),
    )
)
"""By id, in order."""
