"""What differs between OpenAI's models in Chat Completions, as data."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["instruction_roles", "same_model"]

# "Unsupported value: 'messages[0].role' does not support 'developer' with this model" (rule C7).
_WITHOUT_INSTRUCTIONS: Final = re.compile(r"o1-(?:mini|preview)(?:-|$)")
_WITHOUT_DEVELOPER: Final = re.compile(r"gpt-3\.5|gpt-4(?:-|$)")
_DATE: Final = re.compile(r"-20\d\d-\d\d-\d\d$")


def instruction_roles(model: str) -> frozenset[str]:
    """Which of the roles ``system`` and ``developer`` the model takes; both for a name of no known family."""
    if _WITHOUT_INSTRUCTIONS.match(model):
        return frozenset()
    if _WITHOUT_DEVELOPER.match(model):
        return frozenset({"system"})
    return frozenset({"system", "developer"})


def same_model(one: str, other: str) -> bool:
    """Whether two names are one model: ``gpt-4o`` is answered by ``gpt-4o-2024-08-06``."""
    return one == other or _DATE.sub("", one) == _DATE.sub("", other)
