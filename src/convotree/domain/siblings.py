"""A page of siblings: "2 of 3"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from convotree.domain.revision import Revision

__all__ = ["SiblingPage"]


@dataclass(frozen=True, slots=True)
class SiblingPage:
    """Siblings in order (by ordinal), as far as one page goes.

    ``position`` of ``count``: the rank of the revision that was asked for among all its siblings, from 1; a crash
    may leave a hole in the ordinals, never in the ranks. ``next_after_ordinal``: give it as ``after_ordinal`` to
    read the next page; None: this page is the last.
    """

    revisions: tuple[Revision, ...]
    position: int
    count: int
    next_after_ordinal: int | None

    @classmethod
    def of(cls, page: Sequence[Revision], ordinals: Sequence[int], ordinal: int) -> SiblingPage:
        """The page, given the ordinals of all siblings in order and that of the revision asked for."""
        last = page[-1].ordinal if page else None
        more = last is not None and bool(ordinals) and ordinals[-1] > last
        return cls(
            tuple(page),
            1 + sum(1 for one in ordinals if one < ordinal),
            len(ordinals),
            last if more else None,
        )

    def __iter__(self) -> Iterator[Revision]:
        return iter(self.revisions)

    def __len__(self) -> int:
        return len(self.revisions)
