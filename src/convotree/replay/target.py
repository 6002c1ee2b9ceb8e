"""What the neutral steps must know of the provider they prepare a request for: data."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from convotree.replay.own_rules import FAILED_TURN

__all__ = [
    "ConsecutiveAnswers",
    "FailedTurnsForm",
    "HostedResults",
    "OtherModels",
    "OwnReasoning",
    "Target",
    "TargetRules",
]


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
    KEPT_THERE = "kept_there"
    """Always: what proves it is kept elsewhere, by the provider (Responses) or in the part that follows (Gemini)."""
    NEVER = "never"


class OtherModels(Enum):
    """What the target does with reasoning that another of its models signed."""

    IGNORED = "ignored"
    """A model ignores what it cannot read: sent, with a note."""
    REJECTED = "rejected"
    """An error: treated as another provider's."""


class HostedResults(Enum):
    """Where the result of a hosted call stands."""

    APART = "apart"
    """In a block of its own, without which the call is rejected."""
    INSIDE = "inside"
    """In the call itself, or with the provider."""


class FailedTurnsForm(Enum):
    """What is left of an answer that failed or was aborted."""

    TEXT = "text"
    """Its text, as far as it is not blank."""
    WHOLE = "whole"
    """Nothing: the answer goes, and so do the results of its calls."""


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
    prefix: str = ""
    failed: str = FAILED_TURN


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A provider's API as a destination.

    ``name``: as callers name it, and the key of its ``provider_data``. ``provider``, ``api``: as ``Provenance`` names
    them; ``also_api``: as other programs name the API. ``binds_prefix``: whether signed reasoning is valid only below
    the very prefix it was made from. ``tool_call_id``: what ids of tool calls must match in full, at most
    ``longest_id`` characters of it. ``same_model``: whether two names are one model, such as an alias and a dated name.
    """

    name: str
    provider: str
    api: str
    consecutive_answers: ConsecutiveAnswers
    own_reasoning: OwnReasoning
    tool_call_id: re.Pattern[str]
    longest_id: int
    same_model: Callable[[str, str], bool]
    rules: TargetRules
    other_models: OtherModels = OtherModels.IGNORED
    failed_turns: FailedTurnsForm = FailedTurnsForm.TEXT
    hosted_results: HostedResults = HostedResults.APART
    binds_prefix: bool = False
    also_api: frozenset[str] = frozenset()
