"""What differs between Anthropic's models, as data: the first row whose pattern a model's name begins with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

__all__ = ["ModelFacts", "facts_of", "same_model"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What a model takes; None where it is not known.

    ``prefill``: the start of its answer as last message (A15). ``manual_thinking``: ``thinking`` of type ``enabled``,
    with a budget (A17). ``binds_prefix``: it rejects thinking below another prefix than it was signed over, by default
    (A19). ``system_messages``: system messages among the others (A21). ``most_media``: images and documents in one
    request (A25).
    """

    prefill: bool | None = None
    manual_thinking: bool | None = None
    binds_prefix: bool = False
    system_messages: bool | None = None
    most_media: int | None = None


# Prefill: https://platform.claude.com/docs/en/api/errors#prefill-not-supported
# Manual thinking: the model cards at https://docs.aws.amazon.com/bedrock/latest/userguide (from Opus 4.7 on, adaptive
# only); error texts quoted for claude-sonnet-5.
# Prefix: https://platform.claude.com/docs/en/build-with-claude/preserved-thinking
# System messages: https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
# Media: https://platform.claude.com/docs/en/build-with-claude/vision (100 with a window of 200,000 tokens, else 600)
_EARLY: Final = ModelFacts(prefill=True, manual_thinking=True, system_messages=False, most_media=100)
_BOTH_THINKINGS: Final = ModelFacts(
    prefill=False, manual_thinking=True, system_messages=False, most_media=600
)
_ADAPTIVE: Final = ModelFacts(prefill=False, manual_thinking=False, system_messages=False, most_media=600)
_SYSTEM: Final = ModelFacts(prefill=False, manual_thinking=False, system_messages=True, most_media=600)
_BINDING: Final = ModelFacts(
    prefill=False, manual_thinking=False, binds_prefix=True, system_messages=True, most_media=600
)
_SMALL_BINDING: Final = ModelFacts(
    prefill=False, manual_thinking=False, binds_prefix=True, system_messages=True
)
_OTHER: Final = ModelFacts(prefill=False)
_UNKNOWN: Final = ModelFacts()

_FACTS: Final[tuple[tuple[re.Pattern[str], ModelFacts], ...]] = tuple(
    (re.compile(pattern), facts)
    for pattern, facts in (
        (r"claude-(?:[23](?:[-.]|$)|instant)", _EARLY),
        (r"claude-(?:opus|sonnet|haiku)-4(?:-[1-5])?$", _EARLY),
        (r"claude-(?:opus|sonnet)-4-6$", _BOTH_THINKINGS),
        (r"claude-opus-4-7$", _ADAPTIVE),
        (r"claude-(?:opus-4-[89]|(?:opus|sonnet|fable|mythos)-5)$", _SYSTEM),
        (r"claude-opus-5-[1-4]$", _SYSTEM),
        (r"claude-(?:(?:fable|mythos)-5-[1-9]|(?:opus|sonnet)-5-[5-9])$", _BINDING),
        (r"claude-haiku-5-[5-9]$", _SMALL_BINDING),
        (r"claude-(?:fable|mythos|opus|sonnet|haiku)-(?:[6-9]|[1-9]\d)(?:-|$)", _SMALL_BINDING),
        (r"claude-", _OTHER),
    )
)

# Such as us.anthropic.claude-sonnet-4-5-20250929-v1:0, claude-sonnet-4-5@20250929, claude-3-7-sonnet-latest.
_NAME: Final = re.compile(
    r"(?:(?:[a-z]+\.)?anthropic[./])?(?P<base>.+?)(?:-0)?(?:[-@](?P<date>20\d{6}|latest|default))?(?:-v\d+(?::\d+)?)?"
)


@lru_cache(maxsize=256)
def facts_of(model: str) -> ModelFacts:
    """What is known of ``model``, dated or alias; of a name of no known family, nothing."""
    base, _ = _parsed(model)
    for pattern, facts in _FACTS:
        if pattern.match(base):
            return facts
    return _UNKNOWN


@lru_cache(maxsize=256)
def same_model(one: str, other: str) -> bool:
    """Whether two names are one model: ``claude-sonnet-4-0`` is answered by ``claude-sonnet-4-20250514``."""
    if one == other:
        return True
    (base, date), (other_base, other_date) = _parsed(one), _parsed(other)
    return base == other_base and (date is None or other_date is None or date == other_date)


def _parsed(model: str) -> tuple[str, str | None]:
    """The name without platform and date, and the date if it says one."""
    found = _NAME.fullmatch(model)
    if found is None:
        return model, None
    date = found["date"]
    return found["base"], date if date is not None and date.startswith("20") else None
