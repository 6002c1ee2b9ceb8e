"""Gemini's rules for a replayed history, as data. ``docs/replay.md`` prints this table."""

from __future__ import annotations

from typing import Final

from convotree.replay.finding import Severity
from convotree.replay.rule import Examined, Rule, rule_table

__all__ = ["RULES"]

_E, _W = Severity.ERROR, Severity.WARNING

RULES: Final = rule_table(
    (
        Rule(
            "G1",
            _E,
            "there are contents, and each has parts",
            "contents is not specified; must include at least one parts field",
            "E",
        ),
        Rule(
            "G2",
            _W,
            "a content says its role, which Vertex demands",
            "Please use a valid role: user, model.",
            "E",
        ),
        Rule(
            "G3",
            _E,
            "a part has one data member (one of an unknown name: a warning)",
            "oneof field 'data' is already set; required oneof field 'data' must have one initialized field",
            "E",
        ),
        Rule(
            "G4",
            _E,
            "a function call comes after a user's or a function response's content",
            "function call turn comes immediately after a user turn or after a function response turn",
            "E",
        ),
        Rule(
            "G5",
            _E,
            "every function call of a turn has one response in the next turn",
            "the number of function response parts is equal to the number of function call parts",
            "E; R after merging contents of one role",
        ),
        Rule(
            "G6",
            _E,
            "a function response answers a call of the turn before it, by id and name",
            "function response turn comes immediately after a function call turn",
            "E",
        ),
        Rule(
            "G7",
            _E,
            "from Gemini 3 on, the first call of each step of the current turn is signed (unknown models: a warning)",
            "Function call is missing a thought_signature in functionCall parts",
            "D, E, R",
        ),
        Rule(
            "G8",
            _E,
            "signatures and media are base64; a signature is that of the same model (another's: a warning)",
            "Corrupted thought signature; Base64 decoding failed",
            "E",
        ),
        Rule("G9", _W, "signatures of other parts go back at their place", "", "D", Examined.NO),
        Rule(
            "G10",
            _W,
            "a call that no Gemini made may carry skip_thought_signature_validator",
            "",
            "D, L, R",
            Examined.NO,
        ),
        Rule("G11", _E, "models before Gemini 3 take no toolCall and toolResponse", "", "L"),
        Rule("G12", _W, "text is not empty, unless it is signed", "", "R accepted"),
        Rule("G13", _W, "function responses stand in a content of their own", "", "L"),
        Rule(
            "G14",
            _E,
            "arguments and responses are objects; responses stand in the user's contents",
            "Invalid value at '...function_response.response'",
            "E",
        ),
        Rule("G15", _W, "keys come in camelCase and snake_case", "", "R", Examined.NO),
    )
)
"""By id, in order."""
