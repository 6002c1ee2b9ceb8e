"""A request in one provider's form."""

from __future__ import annotations

from typing import Any

from convotree.replay.note import Note
from convotree.replay.plain_body import plain_body

__all__ = ["Rendered"]


class Rendered:
    """A provider's body and what rendering had to say. Two are equal if their texts and notes are.

    ``text``: the body as exact JSON text: numbers spelled as they came in, keys in their order. What else there is of
    it is made when it is first asked for: a client that sends bytes does not pay for plain values.
    """

    __slots__ = ("_changes", "_plain", "text")

    def __init__(self, text: str, changes: tuple[Note, ...]) -> None:
        self.text = text
        self._changes = changes
        self._plain: tuple[dict[str, Any], list[Note]] | None = None

    @property
    def body(self) -> dict[str, Any]:
        """Plain JSON values (dict, list, str, int, float, bool, None) for an SDK; the same object at each access."""
        return self._read()[0]

    @property
    def notes(self) -> tuple[Note, ...]:
        """Every change, in order; then what plain values cannot carry, such as ``1e400``."""
        return (*self._changes, *self._read()[1])

    def to_json(self) -> bytes:
        """The exact body in UTF-8, for a client that sends bytes."""
        return self.text.encode()

    def _read(self) -> tuple[dict[str, Any], list[Note]]:
        if self._plain is None:
            self._plain = plain_body(self.text)
        return self._plain

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rendered):
            return NotImplemented
        return self.text == other.text and self._changes == other._changes

    def __hash__(self) -> int:
        return hash((self.text, self._changes))

    def __repr__(self) -> str:
        return f"Rendered({len(self.text)} characters, {len(self._changes)} changes)"
