"""What differs between OpenAI's models in the Responses API, as data."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["always_reasons"]

# Later models reason only as far as they are asked to, and their answers may have no reasoning at all.
_ALWAYS_REASONS: Final = re.compile(
    r"(?:o[134](?:-mini|-pro)?|gpt-5(?:-mini|-nano|-pro|-codex)?)(?:-20\d\d|$)"
)


def always_reasons(model: str) -> bool:
    """Whether every answer of the model to a user begins with reasoning."""
    return _ALWAYS_REASONS.match(model) is not None
