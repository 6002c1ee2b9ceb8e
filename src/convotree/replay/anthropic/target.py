"""Anthropic's Messages API as a destination."""

from __future__ import annotations

import re
from typing import Final

from convotree.replay.anthropic.models import same_model
from convotree.replay.target import ConsecutiveAnswers, OwnReasoning, Target, TargetRules

__all__ = ["API", "NAME", "TARGET"]

NAME: Final = "anthropic"
API: Final = "messages"

TARGET: Final = Target(
    name=NAME,
    provider=NAME,
    api=API,
    consecutive_answers=ConsecutiveAnswers.ONE_TURN,
    own_reasoning=OwnReasoning.SIGNED,
    tool_call_id=re.compile(r"[a-zA-Z0-9_-]+"),
    # No limit is known; what is derived from a foreign id stays short all the same.
    longest_id=1 << 20,
    same_model=same_model,
    rules=TargetRules(
        unanswered="A4",
        unmatched="A6",
        duplicate="A7",
        order="A4",
        leading="A5",
        same_id="A8",
        tool_call_id="A11",
        reasoning="A18",
        model="A19",
        hosted="A9",
        prefix="A19",
    ),
    binds_prefix=True,
    also_api=frozenset({"anthropic-messages"}),
)
