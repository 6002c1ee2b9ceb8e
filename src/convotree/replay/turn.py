"""A turn: one message as it goes to the target, before it takes the target's form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from convotree.domain.message import Message, Role
from convotree.domain.parts import Part
from convotree.replay.notebook import Place
from convotree.replay.origin import Origin

__all__ = ["Turn"]


@dataclass(frozen=True, slots=True)
class Turn:
    """Parts that go together. ``index``: the message it stands for, or the one it follows where ``message`` is None
    (results gathered from several). ``places``: where each part stands in the request; None: part by part in
    ``index``.
    """

    role: Role
    index: int
    parts: Sequence[Part]
    places: Sequence[Place] | None
    origin: Origin
    message: Message | None

    def place(self, number: int) -> Place:
        """Where the part of that number stands in the request."""
        return (self.index, number) if self.places is None else self.places[number]

    def all_places(self) -> list[Place]:
        """Where all parts stand in the request."""
        if self.places is not None:
            return list(self.places)
        return [(self.index, number) for number in range(len(self.parts))]

    @property
    def whole(self) -> bool:
        """Whether it is a stored message with all its parts."""
        return self.message is not None and self.places is None
