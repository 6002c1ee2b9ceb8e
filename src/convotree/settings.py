"""Settings: what a deployment may choose. Limits that follow from the stored form are in ``domain``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from convotree.errors import InvalidArgumentError

__all__ = ["Settings"]

_PREFIX: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,40}|")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Choices of one deployment; immutable, shared by every store made from it.

    ``collection_prefix``: put before each collection's name, so that the library can share a database.
    ``operation_timeout_ms``: deadline of one driver call, in milliseconds; past it the call raises
    ``UnavailableError`` and may be repeated. ``start_timeout_ms``: how long the embedded engine may take to
    start.

    Raises:
        InvalidArgumentError: for a wrong type or a value outside its range.
    """

    collection_prefix: str = "convotree_"
    operation_timeout_ms: int = 30_000
    start_timeout_ms: int = 30_000

    def __post_init__(self) -> None:
        prefix = self.collection_prefix
        if type(prefix) is not str or not _PREFIX.fullmatch(prefix):
            raise InvalidArgumentError(
                argument="settings.collection_prefix",
                reason="up to 41 ASCII letters, digits and underscores were expected, none or no digit first",
            )
        _check_range(self, "operation_timeout_ms", 50, 3_600_000)
        _check_range(self, "start_timeout_ms", 1_000, 600_000)


def _check_range(settings: Settings, name: str, least: int, most: int) -> None:
    value = getattr(settings, name)
    if type(value) is not int or not least <= value <= most:
        # Neither an int of thousands of digits nor a deep list has a repr.
        found = value if type(value) is int and abs(value) < 10**18 else type(value).__name__
        raise InvalidArgumentError(
            argument=f"settings.{name}", reason=f"an int of {least} to {most} was expected, not {found}"
        )
