"""A request in one provider's form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from convotree.replay.note import Note

__all__ = ["Rendered"]


@dataclass(frozen=True, slots=True)
class Rendered:
    """A provider's body and what rendering had to say.

    ``body``: plain JSON values (dict, list, str, int, float, bool, None) for the provider's SDK. ``text``: the same
    body as exact JSON text: numbers spelled as they came in, keys in their order. ``notes``: every change, in order.
    """

    body: dict[str, Any]
    notes: tuple[Note, ...]
    text: str

    def to_json(self) -> bytes:
        """The exact body in UTF-8, for a client that sends bytes."""
        return self.text.encode()
