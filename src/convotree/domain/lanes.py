"""Lanes: the stored coordinates by which any path is read in one sweep.

A first child (ordinal 0) stays in its parent's lane; every other child and every root starts a lane. A path is then
a short list of ranges, one for each lane it passes through. The revision that starts a lane keeps the ranges that
lead to it, its *forks*, in bounded form:

* ``tail``: the newest ranges, up to 64;
* ``pages``: the lane starts whose tails are the full pages of 64 before that, up to 63 of them;
* ``books``: the lane starts that end each 64 pages, up to 63.

Three lookups so reach 64 * 64 * 64 forks. Everything here follows from facts that are fixed when a revision is born.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from convotree.identity import Key

__all__ = ["FORKS_PER_PATH", "PAGE", "SEGMENT_LENGTH", "ForkPointer", "Forks", "LaneRange", "segment_of"]

SEGMENT_LENGTH: Final = 64
"""Depths in one segment, the unit of reading; docs/decisions/0001-lanes.md has the measurement."""

PAGE: Final = 64
FORKS_PER_PATH: Final = PAGE * PAGE * PAGE


@dataclass(frozen=True, slots=True)
class LaneRange:
    """The stretch of one lane that a path passes through: depths ``start`` to ``upto``, both included."""

    lane_key: Key
    start: int
    upto: int


@dataclass(frozen=True, slots=True)
class ForkPointer:
    """A lane start whose tail is a full page (or ends a book), and the depth at which that page ends."""

    key: Key
    upto: int


@dataclass(frozen=True, slots=True)
class Forks:
    """The ranges that lead to a lane start, in bounded form; a root's is empty."""

    tail: tuple[LaneRange, ...] = ()
    pages: tuple[ForkPointer, ...] = ()
    books: tuple[ForkPointer, ...] = ()

    @property
    def count(self) -> int:
        """How many forks lead to the lane start."""
        return len(self.tail) + PAGE * len(self.pages) + PAGE * PAGE * len(self.books)

    def extended(self, start_key: Key, branch_range: LaneRange) -> Forks | None:
        """The forks of a lane that leaves the lane of ``start_key``, whose own forks these are.

        None if the path would hold more than ``FORKS_PER_PATH`` forks.
        """
        if len(self.tail) < PAGE:
            return Forks((*self.tail, branch_range), self.pages, self.books)
        pointer = ForkPointer(start_key, self.tail[-1].upto)
        if len(self.pages) < PAGE - 1:
            return Forks((branch_range,), (*self.pages, pointer), self.books)
        if len(self.books) < PAGE - 1:
            return Forks((branch_range,), (), (*self.books, pointer))
        return None

    def lane_at(self, depth: int) -> LaneRange | ForkPointer | None:
        """Where the path that leads to the lane start stands at ``depth``.

        A ``LaneRange`` is the answer. A ``ForkPointer`` says whose forks to ask next: a page's tail or a book's
        pages hold it. None: ``depth`` lies at or below the lane start.
        """
        for pointer in (*self.books, *self.pages):
            if depth <= pointer.upto:
                return pointer
        for one in self.tail:
            if depth <= one.upto:
                return one
        return None


def segment_of(lane_key: Key, depth: int) -> str:
    """The key of the segment of a lane in which ``depth`` lies."""
    return f"{lane_key}:{depth // SEGMENT_LENGTH}"
