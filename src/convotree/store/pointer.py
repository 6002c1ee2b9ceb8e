"""Moving the pointer after revisions were written: who may, and what is reported."""

from __future__ import annotations

from collections.abc import Sequence

from convotree.domain.choices import Select
from convotree.domain.revision import Revision
from convotree.domain.selection import remembered
from convotree.domain.stored import AppendPoint, Header, RememberedLeaf, StoredRevision
from convotree.errors import GoneError, SelectionMovedError
from convotree.storage.updates import PointerMove
from convotree.store.context import StoreContext, now

__all__ = ["settle_pointer"]


async def settle_pointer(
    context: StoreContext,
    stored: Sequence[StoredRevision],
    *,
    header: Header,
    select: Select,
    fresh: bool,
    expects_parent: bool,
) -> list[Revision]:
    """Move the pointer to the last of ``stored`` as ``select`` says, and give the revisions to the caller.

    ``header``: as it was read before the insert. ``fresh``: this call inserted all of them; else it is a retry, which
    moves the pointer only while it has not moved since the first try. ``expects_parent``: the pointer must stand on
    the parent of the first (else: where the call found it). One round trip, two if the pointer had moved.

    Raises:
        GoneError: if an erasure began meanwhile; what this call inserted is withdrawn.
        SelectionMovedError: under ``Select.REQUIRED``, with the stored revision.
    """
    last = stored[-1]
    move = _plan_move(stored, header, select, fresh=fresh, expects_parent=expects_parent)
    selected = False
    if move is not None:
        selected = await context.storage.conversations.move_pointer(header.scope, move, now())
    if not selected:
        actual = await _reread(context, stored, header, fresh=fresh)
        # Also after a move whose answer was lost: the pointer stands here, by whoever's hand.
        selected = actual is not None and actual.key == last.point.key
        if not selected and select is Select.REQUIRED:
            raise SelectionMovedError(
                conversation_id=header.scope.conversation_id,
                selected_leaf_id=None if actual is None else actual.id,
                revision=last.to_revision(selected=False),
            )
    return [one.to_revision(selected=selected and one is last) for one in stored]


def _plan_move(
    stored: Sequence[StoredRevision], header: Header, select: Select, *, fresh: bool, expects_parent: bool
) -> PointerMove | None:
    """The compare-and-set to try; None if it is known to fail or not wanted."""
    if select is Select.NEVER:
        return None
    target = stored[-1].point
    standing = None if header.selected is None else header.selected.key
    parent = None if stored[0].parent_id is None else stored[0].parent_key
    remember = _leaf_left(header, stored)
    if select is Select.ALWAYS and fresh:
        return PointerMove(target, header.epoch, remember=remember)
    if not fresh:
        seen = stored[0].moves_seen
        if standing == target.key or header.moves != seen:
            return None
        if expects_parent and standing != parent and select is not Select.ALWAYS:
            return None
        return PointerMove(target, header.epoch, moves=seen, remember=remember)
    if expects_parent:
        if standing != parent:
            return None
        return PointerMove(target, header.epoch, standing_on=True, from_key=parent)
    return PointerMove(target, header.epoch, moves=header.moves, remember=remember)


def _leaf_left(header: Header, stored: Sequence[StoredRevision]) -> RememberedLeaf | None:
    """The leaf that the user leaves by this move; none if the new revisions continue it."""
    left: AppendPoint | None = header.selected
    if left is None or left.key == stored[0].parent_key:
        return None
    return remembered(left)


async def _reread(
    context: StoreContext, stored: Sequence[StoredRevision], header: Header, *, fresh: bool
) -> AppendPoint | None:
    """Where the pointer stands now."""
    current = await context.storage.conversations.find_lean(header.scope)
    if current is not None and current.epoch == header.epoch:
        return current.selected
    if fresh:
        for one in reversed(stored):  # children first: what is left at any moment is a valid tree
            await context.storage.revisions.delete(header.scope, one.point.key)
    raise GoneError(conversation_id=header.scope.conversation_id, revision_id=stored[-1].point.id)
