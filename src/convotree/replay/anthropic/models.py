"""What differs between Anthropic's models, as data. Family patterns are searched at the start of a model's name."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

__all__ = ["Prefill", "binds_prefix", "prefill_of", "same_model"]


class Prefill(Enum):
    """Whether the last message may be the start of the answer (rule A15)."""

    ALLOWED = "allowed"
    REJECTED = "rejected"


# "No prefill on newer models (Opus 4.6+, Sonnet 5, …)": https://platform.claude.com/docs, migration notes of each.
_PREFILL: Final[tuple[tuple[re.Pattern[str], Prefill], ...]] = (
    (re.compile(r"claude-(?:[23](?:[-.]|$)|instant)"), Prefill.ALLOWED),
    (re.compile(r"claude-(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-20\d{6})?$"), Prefill.ALLOWED),
    (re.compile(r"claude-(?:opus|sonnet|haiku)-4-[0-5](?:-|$)"), Prefill.ALLOWED),
    (re.compile(r"claude-"), Prefill.REJECTED),
)

# "Preserved thinking": https://platform.claude.com/docs/en/build-with-claude/preserved-thinking
_BINDS_PREFIX: Final = re.compile(
    r"claude-(?:fable-(?:5-[1-9]|[6-9])|opus-(?:5-[5-9]|[6-9])|sonnet-[6-9]|haiku-[6-9])"
)

_DATE: Final = re.compile(r"(?:-20\d{6}|-latest|-0)$")


def prefill_of(model: str) -> Prefill | None:
    """What is known of ``model``; None for a name of no known family."""
    for pattern, prefill in _PREFILL:
        if pattern.match(model):
            return prefill
    return None


def binds_prefix(model: str) -> bool:
    """Whether the model rejects reasoning below another prefix than it was signed over, by default (rule A19)."""
    return _BINDS_PREFIX.match(model) is not None


def same_model(one: str, other: str) -> bool:
    """Whether two names are one model: ``claude-sonnet-4-0`` is answered by ``claude-sonnet-4-20250514``."""
    return one == other or _DATE.sub("", one) == _DATE.sub("", other)
