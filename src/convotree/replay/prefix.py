"""Where the prefix of an answer is no longer the one it was generated from.

Providers bind signed reasoning to its prefix: system prompt, tools and every message above it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from convotree.errors import InvalidArgumentError

__all__ = ["Differs", "PrefixBreak", "StaleRun", "stale_run"]


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


@dataclass(frozen=True, slots=True)
class StaleRun:
    """The answers from ``messages[first]`` to ``[last]``: their signed reasoning is not valid, because of ``cause``."""

    first: int
    last: int
    cause: PrefixBreak

    def __contains__(self, index: object) -> bool:
        return type(index) is int and self.first <= index <= self.last


def stale_run(breaks: Iterable[PrefixBreak], signed: Iterable[int]) -> StaleRun | None:
    """Which of the answers ``signed`` are not valid: one run, since what is kept must be unbroken.

    From the first break to the end, never one from the middle. Only where nothing would be left of it, because the very
    first answer is broken (the system prompt was changed, say), those after the last break stay: they were generated
    without what was broken by then, and to leave out from the start is valid.
    """
    answers = sorted(signed)
    by_index = {one.index: one for one in breaks}
    broken = [index for index in answers if index in by_index]
    if not broken:
        return None
    cause = by_index[broken[0]]
    if broken[0] == answers[0] and broken[-1] < answers[-1]:
        return StaleRun(answers[0], broken[-1], cause)
    return StaleRun(broken[0], answers[-1], cause)
