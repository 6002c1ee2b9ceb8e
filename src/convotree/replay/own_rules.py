"""The library's own rules: changes that no single rule of a provider asks for."""

from __future__ import annotations

from typing import Final

__all__ = [
    "COMPACTED",
    "CUT_TO_BUDGET",
    "FAILED_TURN",
    "FOREIGN_PART",
    "GENERATED_UNDER",
    "LOST_MEMBER",
    "NO_FORM",
    "OWN_RULES",
    "RESULT_ELSEWHERE",
    "WRONG_ROLE",
]

FOREIGN_PART: Final = "X3"
NO_FORM: Final = "X4"
LOST_MEMBER: Final = "X5"
WRONG_ROLE: Final = "X6"
FAILED_TURN: Final = "X7"
COMPACTED: Final = "X8"
CUT_TO_BUDGET: Final = "X9"
RESULT_ELSEWHERE: Final = "X10"
GENERATED_UNDER: Final = "generated-under"

OWN_RULES: Final = {
    "X1": "a number that Python's int and float cannot carry exactly",
    "X2": "a lone surrogate, which UTF-8 cannot hold",
    FOREIGN_PART: "a part that only the provider it came from understands",
    NO_FORM: "content for which the target has no form",
    LOST_MEMBER: "a detail of a part for which the target has no member",
    WRONG_ROLE: "a part in a message of a role that cannot hold it",
    FAILED_TURN: "an answer that failed or was aborted, and the results of its calls",
    COMPACTED: "messages that a summary on the path stands for",
    CUT_TO_BUDGET: "messages that do not fit into the budget",
    RESULT_ELSEWHERE: "a result of a tool call that stands on another path",
    GENERATED_UNDER: "an answer that was generated under another system prompt or other tools",
}
"""Rule ids and what they are about, in order."""
