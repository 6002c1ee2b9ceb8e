"""What a shape cannot carry, collected while a request is written in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from convotree.domain.exact_json import ExactJson
from convotree.interchange.kept_aside import foreign_data
from convotree.replay.note import Note
from convotree.replay.notebook import Notebook, Place
from convotree.replay.own_rules import LOST_MEMBER, NO_FORM, WRONG_ROLE

__all__ = ["ConversionNotes"]


class ConversionNotes:
    """The notes of one request that is written as ``shape``; rule ids are the library's own."""

    def __init__(self, shape: str, revision_ids: Sequence[str] = ()) -> None:
        self.shape = shape
        self._notebook = Notebook(shape, revision_ids)

    def lost(self, place: Place, what: str, inside: str = "") -> None:
        """A detail is left out."""
        self._notebook.add(place, LOST_MEMBER, f"{self.shape} has no member for {what}", inside=inside)

    def no_form(self, place: Place, what: str, inside: str = "") -> None:
        """Content is left out."""
        self._notebook.add(place, NO_FORM, f"{self.shape} has no form for {what}; left out", inside=inside)

    def changed(self, place: Place, reason: str, inside: str = "") -> None:
        """Content is written in another form."""
        self._notebook.add(place, NO_FORM, reason, inside=inside)

    def wrong_role(self, place: Place, reason: str, inside: str = "") -> None:
        """A part or message of a role that cannot have it."""
        self._notebook.add(place, WRONG_ROLE, reason, inside=inside)

    def lost_data(
        self, place: Place, data: ExactJson | None, *, inside: str = "", carried: Collection[str] = ()
    ) -> None:
        """Members of other providers or shapes are left out, but for those that are ``carried``."""
        for owner, names in foreign_data(data, self.shape).items():
            lost = [name for name in names if name not in carried]
            if lost:
                shown = ", ".join(name[:64] for name in lost[:8])
                more = f" and {len(lost) - 8} more" if len(lost) > 8 else ""
                self.lost(place, f"what {owner[:64]} says beside the content ({shown}{more})", inside)

    def lost_marker(self, place: Place, marker: ExactJson | None, inside: str = "") -> None:
        """A cache marker is left out."""
        if marker is not None:
            self.lost(place, "a cache marker", inside)

    def notes(self) -> tuple[Note, ...]:
        """All of them, in the order of the messages."""
        return self._notebook.notes()
