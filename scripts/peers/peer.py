"""What the work needs of a store; a peer that lacks a thing does it the way its users must, and says so."""

from __future__ import annotations

import importlib
from typing import Any, Protocol

__all__ = ["Peer", "package"]


class Peer(Protocol):
    """One store, over one database of its own.

    ``name``, ``version``: as published. ``remarks``: how it does what it has no call for.
    """

    name: str
    version: str
    remarks: tuple[str, ...]

    async def open(self, uri: str, database: str) -> None:
        """Connect; called once, before anything else."""

    async def turn(self, conversation: str, question: str, answer: str, key: str) -> None:
        """A question and its answer at the end of the conversation. ``key``: names the turn, for a repetition."""

    async def load(self, conversation: str) -> list[str]:
        """The texts of the conversation as it goes on now, oldest first."""

    async def fork(self, conversation: str, turns: int) -> str:
        """A conversation that goes on after so many turns of another, which stays as it is."""

    async def regenerate(self, conversation: str, answer: str) -> None:
        """Another answer to the last question."""

    async def answers_kept(self, conversation: str) -> int:
        """How many answers to the last question can still be read."""

    async def close(self) -> None:
        """Disconnect."""


def package(name: str) -> Any:
    """A package that only this comparison needs (the optional group ``peers``)."""
    return importlib.import_module(name)
