"""What a migration is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["MigrationStep"]


@dataclass(frozen=True, slots=True)
class MigrationStep:
    """Brings a database from ``number - 1`` to ``number``.

    ``apply`` is given a function from a collection's name to the driver's collection. It must be resumable and safe
    to run twice, at the same time too: several processes may start at once, and any of them may be killed. It imports
    nothing of the library, so that it does the same in every later release.
    """

    number: int
    purpose: str
    apply: Callable[[Callable[[str], Any]], Awaitable[None]]
