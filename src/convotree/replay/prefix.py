"""Where the prefix of an answer is no longer the one it was generated from.

Providers bind signed reasoning to its prefix: system prompt, tools and every message above it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from convotree.errors import InvalidArgumentError

__all__ = ["Differs", "PrefixBreak", "first_break"]


class Differs(Enum):
    """What of a prefix is not what it was."""

    SYSTEM = "system"
    """The system prompt."""
    TOOLS = "tools"
    MESSAGES = "messages"
    """A message above: the path does not begin at its root, or is not the one the answer was stored under."""


@dataclass(frozen=True, slots=True)
class PrefixBreak:
    """The answer ``messages[index]`` was generated from another prefix; ``differs`` says in what, in order."""

    index: int
    differs: tuple[Differs, ...]

    def __post_init__(self) -> None:
        if type(self.index) is not int or self.index < 0:
            raise InvalidArgumentError(argument="index", reason="the number of a message was expected")
        if not self.differs or any(type(one) is not Differs for one in self.differs):
            raise InvalidArgumentError(argument="differs", reason="one or more Differs were expected")

    @property
    def what(self) -> str:
        """For a sentence: ``system and tools``."""
        return " and ".join(one.value for one in self.differs)


def first_break(breaks: Iterable[PrefixBreak], judged: Iterable[int]) -> PrefixBreak | None:
    """The first of ``breaks`` at a message of ``judged``: from there on, signed reasoning is not valid any more."""
    wanted = frozenset(judged)
    return min((one for one in breaks if one.index in wanted), key=lambda one: one.index, default=None)
