"""What differs between the models behind ``generateContent``, as data."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

__all__ = ["Generation", "generation_of", "same_model"]


class Generation(Enum):
    """What a model knows: signed calls (G7), hosted tool calls (G11), media in function responses, ids (B.8)."""

    EARLIER = "earlier"
    """Before Gemini 3, and models of other families behind the same API."""
    THREE = "three"
    """Gemini 3 and later."""


_GENERATIONS: Final[tuple[tuple[re.Pattern[str], Generation], ...]] = (
    (re.compile(r"gemini-[12](?:[.-]|$)"), Generation.EARLIER),
    (re.compile(r"gemini-(?:pro|ultra)(?:-vision)?$"), Generation.EARLIER),
    (re.compile(r"(?:gemma|learnlm|claude|gpt-oss)-"), Generation.EARLIER),
    (re.compile(r"gemini-"), Generation.THREE),
)

# ``gemini-2.5-flash-preview-05-20``, ``gemini-1.5-pro-002``, ``gemini-2.0-flash-exp``, ``gemini-3-flash-latest``.
_REVISION: Final = re.compile(r"(?:-preview|-exp|-latest)?(?:-\d{2}-\d{2,4}|-\d{3,4}|@[\w-]+)?$")


def generation_of(model: str) -> Generation | None:
    """What is known of ``model``; None for a name of no known family."""
    name = _name(model)
    for pattern, generation in _GENERATIONS:
        if pattern.match(name):
            return generation
    return None


def same_model(one: str, other: str) -> bool:
    """Whether one takes the signatures of the other: names that differ in their revision only
    (``gemini-3-flash-preview`` and ``models/gemini-3-flash``).
    """
    return one == other or _stem(one) == _stem(other)


def _name(model: str) -> str:
    """Without the path of ``models/…`` or ``publishers/google/models/…``."""
    return model.rpartition("/")[2]


def _stem(model: str) -> str:
    return _REVISION.sub("", _name(model), count=1)
