"""Where rendering writes down what it does: places become text, notes come out in the order of the messages."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NoReturn, TypeAlias

from convotree.errors import UnreplayableError
from convotree.replay.note import Note
from convotree.replay.policy import policy_of

__all__ = ["SYSTEM", "TOOLS", "WHOLE", "Notebook", "Place", "place_text"]

Place: TypeAlias = tuple[int, int]
"""Message and part, by number: ``(3, 0)``."""

SYSTEM = -2
"""In place of a message's number: the system prompt."""
TOOLS = -1
"""In place of a message's number: the tools."""
WHOLE = -1
"""In place of a part's number: all of the message."""


def place_text(place: Place, inside: str = "") -> str:
    """``messages[3].parts[0]`` and what follows it."""
    message, part = place
    if message == SYSTEM:
        return f"system{inside}" if part == WHOLE else f"system[{part}]{inside}"
    if message == TOOLS:
        return f"tools{inside}" if part == WHOLE else f"tools[{part}]{inside}"
    return f"messages[{message}]{inside}" if part == WHOLE else f"messages[{message}].parts[{part}]{inside}"


class Notebook:
    """Collects the notes of one rendering for ``provider``."""

    def __init__(self, provider: str, revision_ids: Sequence[str]) -> None:
        self._provider = provider
        self._revision_ids = revision_ids
        self._notes: list[tuple[Place, Note]] = []

    def add(self, place: Place, rule: str, reason: str, *, inside: str = "") -> None:
        """Note a change at ``place``; ``inside`` is the way from there, such as ``.content[0]``."""
        self._notes.append((place, Note(place_text(place, inside), rule, reason, self.revision_at(place))))

    def refuse(self, place: Place, rule: str, reason: str, *, by: Enum, inside: str = "") -> NoReturn:
        """Say that the policy does not allow the change that is needed; ``by``: the choice that does not."""
        raise UnreplayableError(
            provider=self._provider,
            place=place_text(place, inside),
            rule=rule,
            reason=reason,
            policy=policy_of(by),
        )

    def revision_at(self, place: Place) -> str | None:
        """The id of the revision whose message this is, if known."""
        if self._revision_ids and place[0] >= 0:
            return self._revision_ids[place[0]]
        return None

    def notes(self) -> tuple[Note, ...]:
        """All notes: of the system prompt, of the tools, then in the order of the messages and their parts."""
        return tuple(note for _, note in sorted(self._notes, key=lambda entry: entry[0]))
