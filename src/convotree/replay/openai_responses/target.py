"""OpenAI's Responses API as a destination."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from convotree.replay.openai_chat.models import same_model
from convotree.replay.own_rules import FOREIGN_PART
from convotree.replay.target import (
    ConsecutiveAnswers,
    FailedTurnsForm,
    HostedResults,
    OtherModels,
    OwnReasoning,
    Target,
    TargetRules,
)

__all__ = ["API", "NAME", "PROVIDER", "STORING_TARGET", "TARGET"]

NAME: Final = "openai-responses"
PROVIDER: Final = "openai"
API: Final = "responses"

TARGET: Final = Target(
    name=NAME,
    provider=PROVIDER,
    api=API,
    consecutive_answers=ConsecutiveAnswers.ONE_TURN,
    own_reasoning=OwnReasoning.SIGNED,
    # Only the length of call ids is known to be enforced (rule R7); ids of items are another matter (rule R6).
    tool_call_id=re.compile(r"[^\x00-\x1f\x7f]+"),
    longest_id=64,
    same_model=same_model,
    also_api=frozenset({"openai-responses"}),
    rules=TargetRules(
        unanswered="R3",
        unmatched="R4",
        duplicate="R4",
        order="R4",
        leading="R5",
        same_id="R3",
        tool_call_id="R7",
        reasoning="R8",
        model="R8",
        hosted=FOREIGN_PART,
    ),
    other_models=OtherModels.REJECTED,
    failed_turns=FailedTurnsForm.WHOLE,
    hosted_results=HostedResults.INSIDE,
)

STORING_TARGET: Final = replace(TARGET, own_reasoning=OwnReasoning.KEPT_THERE)
"""The same where responses are stored: reasoning is found there by its id."""
