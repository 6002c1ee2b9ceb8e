"""Whether one revision stands above another: by their coordinates, without reading what lies between."""

from __future__ import annotations

from convotree.domain.lanes import ForkPointer
from convotree.domain.selection import is_below
from convotree.domain.stored import AppendPoint, LaneStart, Scope
from convotree.identity import Key
from convotree.store.context import StoreContext

__all__ = ["is_at_or_below"]


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
    while True:
        answer = is_below(ancestor, leaf, starts)
        if not isinstance(answer, ForkPointer):
            if answer or leaf.lane_key in starts or leaf.depth < ancestor.depth:
                return answer
            wanted = leaf.lane_key  # the leaf's own lane start is not known yet
        else:
            wanted = answer.key
        found = await context.storage.revisions.lane_starts(scope, [wanted])
        if wanted not in found:
            return False  # a hint that leads nowhere is no hint
        starts.update(found)
