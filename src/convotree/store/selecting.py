"""Selecting a leaf: by name, or the one that an inner revision stands for."""

from __future__ import annotations

from typing import Final

from convotree.domain.conversation import Conversation
from convotree.domain.selection import memory_after
from convotree.domain.stored import AppendPoint, Header, Scope
from convotree.domain.tree import ConversationTree
from convotree.errors import (
    ConversationNotFoundError,
    CorruptTreeError,
    InvalidArgumentError,
    RevisionNotFoundError,
    UnavailableError,
    VersionConflictError,
)
from convotree.storage.rows import SelectionRead
from convotree.storage.updates import PointerMove
from convotree.store.ancestry import which_are_below
from convotree.store.context import StoreContext, check_count, now, revision_key

__all__ = ["select"]

# After two lost races the pointer is moved wherever it stands: only the hint about leaves left may then be stale.
_CAREFUL_ATTEMPTS: Final = 2
_ATTEMPTS: Final = 8


async def select(
    context: StoreContext,
    conversation_id: str,
    revision_id: str,
    *,
    descend: bool,
    expected_version: int | None,
) -> Conversation:
    """Move the pointer to a revision, or to the leaf it stands for."""
    scope = context.scope(conversation_id)
    key = revision_key(scope, revision_id, "revision_id")
    if expected_version is not None:
        check_count(expected_version, "expected_version")
    if type(descend) is not bool:
        raise InvalidArgumentError(
            argument="descend", reason=f"True or False was expected, not {type(descend).__name__}"
        )
    for attempt in range(_ATTEMPTS):
        read = await context.storage.revisions.selection(scope, key)
        if read is None:
            raise ConversationNotFoundError(conversation_id=conversation_id)
        if read.target is None:
            raise RevisionNotFoundError(conversation_id=conversation_id, revision_id=revision_id)
        header = read.header
        inner = read.target.point
        leaf = await _leaf_for(context, read, inner) if descend and not read.target_is_leaf else inner
        if header.selected is not None and header.selected.key == leaf.key:
            return header.to_conversation()
        if expected_version is not None and header.version != expected_version:
            raise VersionConflictError(
                conversation_id=conversation_id, expected=expected_version, actual=header.version
            )
        # A version that still stands means that nothing else changed: then the header need not be read again.
        careful = attempt < _CAREFUL_ATTEMPTS
        version = header.version if careful else expected_version
        memory, time = memory_after(header.memory, header.selected), now()
        move = PointerMove(leaf, header.epoch, version=version, memory=memory)
        if not await context.storage.conversations.move_pointer(scope, move, time):
            continue
        moved = header.after_move(leaf, memory, time) if careful else await _reread(context, scope)
        return moved.to_conversation()
    raise UnavailableError(
        operation="select", reason="the conversation is being erased or changed by too many others"
    )


async def _reread(context: StoreContext, scope: Scope) -> Header:
    header = await context.storage.conversations.find(scope)
    if header is None:
        raise ConversationNotFoundError(conversation_id=scope.conversation_id)
    return header


async def _leaf_for(context: StoreContext, read: SelectionRead, inner: AppendPoint) -> AppendPoint:
    """The leaf an inner revision stands for: the selected one if it is below it, else the one last left below it,
    else the one reached by the highest ordinal at each fork."""
    scope = read.header.scope
    candidates = _candidates(read)
    below = await which_are_below(context, scope, inner, candidates, read.starts)
    for candidate in candidates:
        if candidate.key not in below:
            continue
        if candidate.key in read.leaves:
            is_inner = candidate.key in read.inner
        elif candidate.key in await context.storage.revisions.existing_keys(scope, [candidate.key]):
            is_inner = await context.storage.revisions.has_children(scope, candidate.key)
        else:
            continue  # the pointer stands on what is not there any more
        leaf = await _newest_below(context, scope, candidate) if is_inner else candidate
        if leaf is not None:
            return leaf
    leaf = await _newest_below(context, scope, inner)
    if leaf is None:
        raise RevisionNotFoundError(conversation_id=scope.conversation_id, revision_id=inner.id)
    return leaf


def _candidates(read: SelectionRead) -> list[AppendPoint]:
    """The revisions the user stood on, newest first."""
    known = [read.leaves[one.key] for one in read.header.memory if one.key in read.leaves]
    return known if read.header.selected is None else [read.header.selected, *known]


async def _newest_below(context: StoreContext, scope: Scope, inner: AppendPoint) -> AppendPoint | None:
    """The leaf reached by the highest ordinal at each fork; None if ``inner``, which a header named, is not there."""
    revisions = await context.storage.revisions.skeleton(scope)
    if all(one.id != inner.id for one in revisions):
        return None
    leaf = ConversationTree.of(scope.conversation_id, None, revisions).newest_leaf_below(inner.id)
    if leaf.id == inner.id:
        return inner
    point = await context.storage.revisions.find_point(scope, scope.revision_key(leaf.id))
    if point is None:
        raise CorruptTreeError(
            problem="the key of a revision does not follow from its id",
            conversation_id=scope.conversation_id,
            revision_id=leaf.id,
        )
    return point
