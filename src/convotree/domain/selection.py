"""Selecting: which leaf an inner revision stands for, and what the header remembers of leaves that were left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from convotree.domain.lanes import ForkPointer, LaneRange
from convotree.domain.limits import MAX_REMEMBERED_LEAVES
from convotree.domain.stored import AppendPoint, LaneStart, RememberedLeaf
from convotree.identity import Key

__all__ = ["is_below", "memory_after", "remembered"]

_LOOKUPS: Final = 3
"""Lane starts that say where a path stands: the leaf's own, the one that ends a book, the one that ends a page."""


def remembered(point: AppendPoint) -> RememberedLeaf:
    """What is remembered of a leaf that is left."""
    return RememberedLeaf(point.key, point.lane_key, point.depth)


def memory_after(memory: Sequence[RememberedLeaf], left: AppendPoint | None) -> tuple[RememberedLeaf, ...]:
    """The remembered leaves after leaving ``left``: newest first, each once, 32 at most."""
    if left is None:
        return tuple(memory)
    newest = remembered(left)
    others = [leaf for leaf in memory if leaf.key != newest.key]
    return (newest, *others[: MAX_REMEMBERED_LEAVES - 1])


def is_below(ancestor: AppendPoint, leaf: AppendPoint, starts: Mapping[Key, LaneStart]) -> bool | ForkPointer:
    """Whether ``leaf`` is ``ancestor`` or stands below it, by their coordinates alone.

    ``starts``: lane starts that were read, by key. A ``ForkPointer`` is the lane start to read next and ask again.
    """
    if leaf.depth < ancestor.depth:
        return False
    if leaf.lane_key == ancestor.lane_key:
        return True
    start = starts.get(leaf.lane_key)
    for _ in range(_LOOKUPS):
        if start is None:
            return False
        found = start.forks.lane_at(ancestor.depth)
        if isinstance(found, LaneRange):
            return found.lane_key == ancestor.lane_key
        if found is None:  # at or below the lane start, and in another lane than the ancestor
            return False
        start = starts.get(found.key)
        if start is None:
            return found
    return False  # damaged forks: they lead to each other
