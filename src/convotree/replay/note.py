"""A note: one thing that replay changed, left out or could not carry, said to the caller."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Note"]


@dataclass(frozen=True, slots=True)
class Note:
    """One change. ``place`` is a path into the request such as ``messages[3].parts[0]``; ``rule`` is the provider's
    rule or one of the library's own (``docs/replay.md`` lists both); ``reason`` is a sentence for a person.
    ``revision_id`` names the revision the message came from, where that is known.
    """

    place: str
    rule: str
    reason: str
    revision_id: str | None = None
