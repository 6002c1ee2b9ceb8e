"""OpenAI's Chat Completions API as a destination."""

from __future__ import annotations

import re
from typing import Final

from convotree.replay.openai_chat.models import same_model
from convotree.replay.own_rules import FOREIGN_PART
from convotree.replay.target import ConsecutiveAnswers, OwnReasoning, Target, TargetRules

__all__ = ["API", "NAME", "PROVIDER", "TARGET", "UNKNOWN_CALL"]

NAME: Final = "openai-chat"
PROVIDER: Final = "openai"
API: Final = "chat"

UNKNOWN_CALL: Final = "tool_call"
"""Kind of the opaque part that a tool call of an unknown type becomes."""

TARGET: Final = Target(
    name=NAME,
    provider=PROVIDER,
    api=API,
    consecutive_answers=ConsecutiveAnswers.SEPARATE,
    own_reasoning=OwnReasoning.NEVER,
    # No alphabet is known to be enforced, only the length (rule C5).
    tool_call_id=re.compile(r"[^\x00-\x1f\x7f]+"),
    longest_id=40,
    same_model=same_model,
    also_api=frozenset({"openai-completions"}),
    rules=TargetRules(
        unanswered="C1",
        unmatched="C2",
        duplicate="C2",
        order="C1",
        leading="C1",
        same_id="C1",
        tool_call_id="C5",
        reasoning=FOREIGN_PART,
        model=FOREIGN_PART,
        hosted=FOREIGN_PART,
    ),
)
