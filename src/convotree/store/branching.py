"""Whether any other path could have gone on with what a provider keeps for one line of messages only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from convotree.domain.generation import GenerationRecord
from convotree.domain.revision import Revision
from convotree.domain.stored import Scope
from convotree.replay.request import Request
from convotree.store.context import StoreContext, revision_key

__all__ = ["with_unbranched"]


async def with_unbranched(
    context: StoreContext, scope: Scope, request: Request, path: Sequence[Revision]
) -> Request:
    """``request`` of the end of ``path``, with ``unbranched_from`` where an answer names what a provider keeps.

    A first child was there before its siblings, which are therefore never offered what is kept for one line; and below
    the last revision nothing may have been generated yet. No round trip unless an answer names such a thing; then one.
    """
    if not any(one is not None and _may_name_a_line(one) for one in request.generations):
        return request
    if await context.storage.revisions.has_children(scope, revision_key(scope, path[-1].id, "leaf_id")):
        return request
    start = len(request.messages)
    line = path[-start:]
    while start > 0 and line[start - 1].ordinal == 0:
        start -= 1
    return replace(request, unbranched_from=start)


def _may_name_a_line(record: GenerationRecord) -> bool:
    """``Request.continuations`` looks at it in earnest; a thread is asked for in the params."""
    return record.handles is not None or (record.params is not None and '"thread"' in record.params.text)
