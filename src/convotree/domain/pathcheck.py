"""Whether what was read is a path: complete, in order, each revision under the one before it."""

from __future__ import annotations

from collections.abc import Sequence

from convotree.domain.revision import Revision
from convotree.errors import CorruptTreeError

__all__ = ["check_path"]


def check_path(
    conversation_id: str,
    revisions: Sequence[Revision],
    *,
    first_depth: int,
    end_id: str | None,
) -> None:
    """Refuse a path with a gap, whatever the database returned: a request must never be built from one.

    ``first_depth``: where it must begin. ``end_id``: the revision it must end at; None: it must be empty.

    Raises:
        CorruptTreeError: naming the revision at which the path breaks.
    """
    expected = first_depth
    parent: str | None = None
    for index, revision in enumerate(revisions):
        if revision.depth != expected:
            raise _broken(
                conversation_id, revision.id, f"depth {revision.depth} where {expected} was expected"
            )
        if index == 0:
            if (revision.parent_id is None) != (first_depth == 0):
                raise _broken(conversation_id, revision.id, "a root below depth 0, or a parent at depth 0")
        elif revision.parent_id != parent:
            raise _broken(
                conversation_id, revision.id, f"parent {revision.parent_id!r}, not {parent!r} above it"
            )
        parent = revision.id
        expected += 1
    if parent != end_id:
        raise _broken(conversation_id, end_id or parent, "the path to it is incomplete")


def _broken(conversation_id: str, revision_id: str | None, what: str) -> CorruptTreeError:
    return CorruptTreeError(
        problem=f"broken path: {what}", conversation_id=conversation_id, revision_id=revision_id
    )
