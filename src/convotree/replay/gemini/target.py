"""Google's ``generateContent`` as a destination."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from convotree.replay.gemini.models import Generation, generation_of, same_model
from convotree.replay.own_rules import FOREIGN_PART
from convotree.replay.target import ConsecutiveAnswers, OtherModels, OwnReasoning, Target, TargetRules

__all__ = ["API", "NAME", "PROVIDER", "TARGET", "target_for"]

NAME: Final = "gemini"
PROVIDER: Final = "google"
API: Final = "generate-content"

TARGET: Final = Target(
    name=NAME,
    provider=PROVIDER,
    api=API,
    # "Apply after merging consecutive same-role contents": one call, one call, two responses is accepted (rule G5).
    consecutive_answers=ConsecutiveAnswers.ONE_TURN,
    own_reasoning=OwnReasoning.KEPT_THERE,
    other_models=OtherModels.REJECTED,
    tool_call_id=re.compile(r"[a-zA-Z0-9_-]+"),
    longest_id=64,
    same_model=same_model,
    also_api=frozenset({"google-generative-ai"}),
    rules=TargetRules(
        unanswered="G5",
        unmatched="G6",
        duplicate="G5",
        order="G5",
        leading="G13",
        same_id="G6",
        tool_call_id="G6",
        reasoning="G8",
        model="G8",
        hosted=FOREIGN_PART,
    ),
)

# "Generative AI + Gemini < 3 sends them raw": no alphabet and no length is known to be enforced there.
_EARLIER: Final = replace(TARGET, tool_call_id=re.compile(r"[^\x00-\x1f\x7f]+"), longest_id=10_000)


def target_for(model: str) -> Target:
    """The destination that ``model`` is: Gemini 3 and later take ids of a narrower alphabet."""
    return _EARLIER if generation_of(model) is Generation.EARLIER else TARGET
