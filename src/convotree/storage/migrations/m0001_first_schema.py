"""To schema 1: the first one. Nothing was stored before it, so there is nothing to change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

__all__ = ["NUMBER", "PURPOSE", "apply"]

NUMBER: Final = 1
PURPOSE: Final = "the first schema; no older documents exist"


async def apply(collection: Callable[[str], Any]) -> None:
    """Change nothing."""
