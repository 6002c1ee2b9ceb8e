"""Reads: paths, siblings, the tree and replay. Each is one round trip, the tree two."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Sequence
from typing import Final

from convotree.domain.choices import CompactionChoice, PromptChoice
from convotree.domain.pathcheck import PathCheck, check_path
from convotree.domain.planning import holds_summary
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
from convotree.replay.assembling import assemble_fitting_request, assemble_request
from convotree.replay.request import Request
from convotree.replay.token_estimate import TokenCounter, message_tokens
from convotree.storage.pipelines import PathQuery
from convotree.storage.rows import PathHead, PathRead
from convotree.store.branching import with_unbranched
from convotree.store.call_ids import calls_above, with_paired_results
from convotree.store.context import StoreContext, check_count, check_enum, revision_key

__all__ = ["read_path", "read_siblings", "read_tree", "replay", "stream_path"]

_FIRST_PAGE: Final = 64
_LARGEST_PAGE: Final = 2048


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
    budget: int | None,
    count: TokenCounter,
) -> Request:
    """The request a path stands for."""
    scope = context.scope(conversation_id)
    check_enum(prompt, PromptChoice, "prompt")
    check_enum(compaction, CompactionChoice, "compaction")
    if last is not None:
        check_count(last, "last")
    if budget is not None:
        check_count(budget, "budget")
    window = last if budget is None else min(_FIRST_PAGE, last or _FIRST_PAGE)
    read = await _sweep(
        context, scope, leaf_id=leaf_id, before=before, last=window, prompt=prompt, compaction=compaction
    )
    if prompt is PromptChoice.CURRENT:
        header = read.header
        for named, found in ((header.prompt_version, read.prompt), (header.tool_set, read.tool_set)):
            if named is not None and (found is None or found.id != named):
                raise CorruptTreeError(problem=f"{named} is missing", conversation_id=conversation_id)
    if budget is None:
        request = assemble_request(
            read.revisions, read.prompt, read.tool_set, from_summary=compaction is CompactionChoice.NEWEST
        )
        request = await with_unbranched(context, scope, request, read.revisions)
        return await with_paired_results(context, scope, request)
    path, whole = await _read_upwards(
        context, scope, read.revisions, last=last, compaction=compaction, budget=budget, count=count
    )
    window = not whole and last is not None and len(path) == last
    called_above: set[str] = set()
    if not whole and not window and read.target is not None:
        called_above = await calls_above(context, scope, path, read.target.point)
    request = assemble_fitting_request(
        path,
        read.prompt,
        read.tool_set,
        budget=budget,
        count=count,
        whole=whole,
        window=window,
        from_summary=compaction is CompactionChoice.NEWEST,
        called_above=called_above,
    )
    request = await with_unbranched(context, scope, request, path)
    return await with_paired_results(context, scope, request)


async def _read_upwards(
    context: StoreContext,
    scope: Scope,
    newest: Sequence[Revision],
    *,
    last: int | None,
    compaction: CompactionChoice,
    budget: int,
    count: TokenCounter,
) -> tuple[Sequence[Revision], bool]:
    """The end of a path, read upwards until it exceeds ``budget``, and whether that is all of it. Pages grow, so that
    at most about as much is read in vain as is needed.
    """
    path = list(newest)
    page = path
    size = _FIRST_PAGE
    tokens = 0
    while page:
        tokens += sum(message_tokens(one.message, count) for one in page)
        first = path[0]
        starts_here = compaction is CompactionChoice.NEWEST and holds_summary(first.message)
        if first.depth == 0 or starts_here:
            return path, True
        left = None if last is None else last - len(path)
        if tokens > budget or left == 0:
            return path, False
        size = min(2 * size, _LARGEST_PAGE)
        window = size if left is None else min(size, left)
        above = await _sweep(
            context, scope, leaf_id=None, before=first.id, last=window, prompt=None, compaction=compaction
        )
        page = list(above.revisions)
        path = [*page, *path]
    return path, True


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
    named, query = _query(
        scope, leaf_id=leaf_id, before=before, last=last, prompt=prompt, compaction=compaction
    )
    read = await context.storage.revisions.path(scope, query)
    if read is None:
        raise ConversationNotFoundError(conversation_id=scope.conversation_id)
    if (ends := _ends(scope, read, named, query)) is not None:
        check_path(scope.conversation_id, read.revisions, first_depth=ends[0], end_id=ends[1])
    return read


async def stream_path(
    context: StoreContext,
    conversation_id: str,
    *,
    leaf_id: str | None,
    before: str | None,
    last: int | None,
    compaction: CompactionChoice,
) -> AsyncGenerator[Revision, None]:
    """The revisions of a path, root first, as they come."""
    scope = context.scope(conversation_id)
    check_enum(compaction, CompactionChoice, "compaction")
    named, query = _query(
        scope, leaf_id=leaf_id, before=before, last=last, prompt=None, compaction=compaction
    )
    found = False
    check: PathCheck | None = None
    async with contextlib.aclosing(context.storage.revisions.stream_path(scope, query)) as pieces:
        async for piece in pieces:
            if isinstance(piece, PathHead):
                found = True
                ends = _ends(scope, piece, named, query)
                check = None if ends is None else PathCheck(conversation_id, *ends)
                continue
            for revision in piece:
                if check is not None:
                    check.take(revision)
                yield revision
    if not found:
        raise ConversationNotFoundError(conversation_id=conversation_id)
    if check is not None:
        check.end()


def _query(
    scope: Scope,
    *,
    leaf_id: str | None,
    before: str | None,
    last: int | None,
    prompt: PromptChoice | None,
    compaction: CompactionChoice,
) -> tuple[str | None, PathQuery]:
    """The revision that is named, and what to ask for."""
    if leaf_id is not None and before is not None:
        raise InvalidArgumentError(argument="before", reason="give leaf_id or before, not both")
    if last is not None:
        check_count(last, "last")
    named = leaf_id if before is None else before
    target = None if named is None else revision_key(scope, named, "leaf_id" if before is None else "before")
    return named, PathQuery(
        target, exclusive=before is not None, last=last, prompt=prompt, compaction=compaction
    )


def _ends(
    scope: Scope, read: PathRead | PathHead, named: str | None, query: PathQuery
) -> tuple[int, str | None] | None:
    """The depth a path must begin at and the revision it must end at; None if there is none."""
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
        return None
    selected = read.header.selected
    if named is None and selected is not None and target.point.id != selected.id:
        raise CorruptTreeError(
            problem=f"the pointer names {selected.id!r} and leads to {target.point.id!r}",
            conversation_id=scope.conversation_id,
            revision_id=selected.id,
        )
    deepest = target.point.depth - (1 if query.exclusive else 0)
    first_depth = 0 if query.last is None else max(0, deepest - query.last + 1)
    if query.compaction is CompactionChoice.NEWEST:
        summary = read.summary_above if query.exclusive else target.point.summary_depth
        first_depth = max(first_depth, summary or 0)
    return first_depth, target.parent_id if query.exclusive else target.point.id


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
