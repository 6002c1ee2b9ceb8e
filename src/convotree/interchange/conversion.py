"""Writing a request in another shape: the text, and what did not go into it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from convotree.errors import InvalidArgumentError, UnreplayableError
from convotree.interchange.go_json import whole_characters
from convotree.replay.note import Note

__all__ = ["Converted", "Losses", "text_of"]


class Losses(Enum):
    """What ``dumps`` does if the shape cannot hold all of the request."""

    REFUSE = "refuse"
    """Raise for the first thing that would be lost."""
    LEAVE_OUT = "leave_out"
    """Write the rest; ``convert`` tells what is missing."""


@dataclass(frozen=True, slots=True)
class Converted:
    """A request in another shape. ``notes``: each thing that was changed or left out, in the order of the messages."""

    text: str
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(cls, text: str, notes: tuple[Note, ...]) -> Converted:
        """What was written, each half of a character as U+FFFD, as Go writes it."""
        text, halves = whole_characters(text)
        if halves:
            notes = (*notes, Note("request", "X2", f"{halves} lone surrogates are written as U+FFFD"))
        return cls(text, notes)


def text_of(converted: Converted, losses: Losses, *, shape: str) -> str:
    """The text, if ``losses`` allows for what is missing in it.

    Raises:
        UnreplayableError: for the first note, if losses are refused.
    """
    if not isinstance(losses, Losses):
        raise InvalidArgumentError(argument="losses", reason="one of Losses was expected")
    if converted.notes and losses is Losses.REFUSE:
        first = converted.notes[0]
        raise UnreplayableError(provider=shape, place=first.place, rule=first.rule, reason=first.reason)
    return converted.text
