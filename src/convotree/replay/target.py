"""What the neutral steps must know of the provider they prepare a request for: data."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

__all__ = ["ConsecutiveAnswers", "OwnReasoning", "Target", "TargetRules"]


class ConsecutiveAnswers(Enum):
    """What several assistant messages in a row are to the target."""

    ONE_TURN = "one_turn"
    """One turn: the results of all their calls follow after the last of them."""
    SEPARATE = "separate"
    """Each has the results of its calls right after it."""


class OwnReasoning(Enum):
    """Whether the target takes its own reasoning back."""

    SIGNED = "signed"
    """Where it carries a signature or is encrypted."""
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRules:
    """The ids of the target's rules that the neutral steps apply."""

    unanswered: str
    unmatched: str
    duplicate: str
    order: str
    leading: str
    same_id: str
    tool_call_id: str
    reasoning: str
    model: str
    hosted: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A provider's API as a destination.

    ``name``: as callers name it, and the key of its ``provider_data``. ``provider``: as ``Provenance`` names it.
    ``tool_call_id``: what ids of tool calls must match in full, at most ``longest_id`` characters of it.
    ``same_model``: whether two names are one model, such as an alias and a dated name.
    """

    name: str
    provider: str
    consecutive_answers: ConsecutiveAnswers
    own_reasoning: OwnReasoning
    tool_call_id: re.Pattern[str]
    longest_id: int
    same_model: Callable[[str, str], bool]
    rules: TargetRules
