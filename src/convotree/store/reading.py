"""Reads: paths, siblings, the tree and replay. Each is one round trip, the tree two."""

from __future__ import annotations

from convotree.domain.choices import CompactionChoice, PromptChoice
from convotree.domain.pathcheck import check_path
from convotree.domain.revision import Revision
from convotree.domain.siblings import SiblingPage
from convotree.domain.stored import Scope
from convotree.domain.tree import ConversationTree
from convotree.errors import (
    ConversationNotFoundError,
    CorruptTreeError,
    InvalidArgumentError,
    RevisionNotFoundError,
)
from convotree.replay.assembling import assemble_request
from convotree.replay.request import Request
from convotree.storage.pipelines import PathQuery
from convotree.storage.rows import PathRead
from convotree.store.context import StoreContext, check_count, check_enum, revision_key

__all__ = ["read_path", "read_siblings", "read_tree", "replay"]


async def read_path(
    context: StoreContext, conversation_id: str, *, leaf_id: str | None, before: str | None, last: int | None
) -> list[Revision]:
    """The revisions of a path, root first."""
    scope = context.scope(conversation_id)
    read = await _sweep(context, scope, leaf_id=leaf_id, before=before, last=last, prompt=None)
    return list(read.revisions)


async def replay(
    context: StoreContext,
    conversation_id: str,
    *,
    leaf_id: str | None,
    before: str | None,
    last: int | None,
    prompt: PromptChoice,
    compaction: CompactionChoice,
) -> Request:
    """The request a path stands for."""
    scope = context.scope(conversation_id)
    check_enum(prompt, PromptChoice, "prompt")
    check_enum(compaction, CompactionChoice, "compaction")
    read = await _sweep(
        context, scope, leaf_id=leaf_id, before=before, last=last, prompt=prompt, compaction=compaction
    )
    if prompt is PromptChoice.CURRENT:
        header = read.header
        for named, found in ((header.prompt_version, read.prompt), (header.tool_set, read.tool_set)):
            if named is not None and found is None:
                raise CorruptTreeError(problem=f"{named} is missing", conversation_id=conversation_id)
    return assemble_request(read.revisions, read.prompt, read.tool_set)


async def _sweep(
    context: StoreContext,
    scope: Scope,
    *,
    leaf_id: str | None,
    before: str | None,
    last: int | None,
    prompt: PromptChoice | None,
    compaction: CompactionChoice = CompactionChoice.NONE,
) -> PathRead:
    if leaf_id is not None and before is not None:
        raise InvalidArgumentError(argument="before", reason="give leaf_id or before, not both")
    if last is not None:
        check_count(last, "last")
    named = leaf_id if before is None else before
    target = None if named is None else revision_key(scope, named, "leaf_id" if before is None else "before")
    query = PathQuery(target, exclusive=before is not None, last=last, prompt=prompt, compaction=compaction)
    read = await context.storage.revisions.path(scope, query)
    if read is None:
        raise ConversationNotFoundError(conversation_id=scope.conversation_id)
    _check_sweep(scope, read, named, query)
    return read


def _check_sweep(scope: Scope, read: PathRead, named: str | None, query: PathQuery) -> None:
    target = read.target
    if target is None:
        if named is not None:
            raise RevisionNotFoundError(conversation_id=scope.conversation_id, revision_id=named)
        if read.header.selected is not None:
            raise CorruptTreeError(
                problem="the selected leaf is not there",
                conversation_id=scope.conversation_id,
                revision_id=read.header.selected.id,
            )
        return
    deepest = target.point.depth - (1 if query.exclusive else 0)
    first_depth = 0 if query.last is None else max(0, deepest - query.last + 1)
    if query.compaction is CompactionChoice.NEWEST:
        summary = read.summary_above if query.exclusive else target.point.summary_depth
        first_depth = max(first_depth, summary or 0)
    check_path(
        scope.conversation_id,
        read.revisions,
        first_depth=first_depth,
        end_id=target.parent_id if query.exclusive else target.point.id,
    )


async def read_siblings(
    context: StoreContext,
    conversation_id: str,
    revision_id: str,
    *,
    limit: int | None,
    after_ordinal: int | None,
) -> SiblingPage:
    """A revision and its siblings in order."""
    scope = context.scope(conversation_id)
    key = revision_key(scope, revision_id, "revision_id")
    if limit is not None:
        check_count(limit, "limit")
    if after_ordinal is not None:
        check_count(after_ordinal, "after_ordinal", least=-1)
    read = await context.storage.revisions.siblings(scope, key, after_ordinal=after_ordinal, limit=limit)
    if read is None:
        raise ConversationNotFoundError(conversation_id=conversation_id)
    if read.target is None:
        raise RevisionNotFoundError(conversation_id=conversation_id, revision_id=revision_id)
    return SiblingPage.of(read.page, read.ordinals, read.target.ordinal)


async def read_tree(context: StoreContext, conversation_id: str) -> ConversationTree:
    """The skeleton of a conversation."""
    scope = context.scope(conversation_id)
    # The header first: a leaf it names was inserted before, so the revisions read after it hold that leaf.
    header = await context.storage.conversations.find_lean(scope)
    if header is None:
        raise ConversationNotFoundError(conversation_id=conversation_id)
    revisions = await context.storage.revisions.skeleton(scope)
    selected = None if header.selected is None else header.selected.id
    return ConversationTree.of(conversation_id, selected, revisions)
