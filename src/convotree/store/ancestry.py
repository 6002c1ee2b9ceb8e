"""Whether one revision stands above another: by their coordinates, without reading what lies between."""

from __future__ import annotations

from collections.abc import Sequence

from convotree.domain.lanes import ForkPointer
from convotree.domain.selection import is_below
from convotree.domain.stored import AppendPoint, LaneStart, Scope
from convotree.identity import Key
from convotree.store.context import StoreContext

__all__ = ["is_at_or_below", "which_are_below"]


async def is_at_or_below(
    context: StoreContext,
    scope: Scope,
    ancestor: AppendPoint,
    leaf: AppendPoint,
    starts: dict[Key, LaneStart],
) -> bool:
    """Whether ``leaf`` is ``ancestor`` or stands below it. ``starts``: lane starts that are known; what has to be read,
    three at most and one round trip each, is added.
    """
    return leaf.key in await which_are_below(context, scope, ancestor, [leaf], starts)


async def which_are_below(
    context: StoreContext,
    scope: Scope,
    ancestor: AppendPoint,
    leaves: Sequence[AppendPoint],
    starts: dict[Key, LaneStart],
) -> set[Key]:
    """The keys of those of ``leaves`` that are ``ancestor`` or stand below it. Three round trips at most, however many
    there are: what all of them need next is read at once.
    """
    below: set[Key] = set()
    asked: set[Key] = set()
    waiting = list(leaves)
    while waiting:
        wanted: dict[Key, None] = {}
        undecided: list[AppendPoint] = []
        for leaf in waiting:
            answer = is_below(ancestor, leaf, starts)
            if answer is True:
                below.add(leaf.key)
                continue
            if isinstance(answer, ForkPointer):
                key = answer.key
            elif leaf.lane_key in starts or leaf.depth < ancestor.depth:
                continue
            else:
                key = leaf.lane_key  # the leaf's own lane start is not known yet
            if key not in asked:
                wanted[key] = None
                undecided.append(leaf)
            elif key in wanted:
                undecided.append(leaf)
            # Else it was read and is not there: a hint that leads nowhere is no hint.
        if wanted:
            asked.update(wanted)
            starts.update(await context.storage.revisions.lane_starts(scope, list(wanted)))
        waiting = undecided
    return below
