"""Whether what was read is a path: complete, in order, each revision under the one before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from convotree.domain.revision import Revision
from convotree.errors import CorruptTreeError

__all__ = ["PathCheck", "check_path"]


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
    check = PathCheck(conversation_id, first_depth, end_id)
    for revision in revisions:
        check.take(revision)
    check.end()


class PathCheck:
    """The same while the path is still coming."""

    def __init__(self, conversation_id: str, first_depth: int, end_id: str | None) -> None:
        self._conversation_id = conversation_id
        self._expected = first_depth
        self._end_id = end_id
        self._above: str | None = None

    def take(self, revision: Revision) -> None:
        """Refuse ``revision`` if it does not follow those that were taken before.

        Raises:
            CorruptTreeError: naming it.
        """
        if revision.depth != self._expected:
            self._refuse(revision.id, f"depth {revision.depth} where {self._expected} was expected")
        if self._above is not None:
            if revision.parent_id != self._above:
                self._refuse(revision.id, f"parent {revision.parent_id!r}, not {self._above!r} above it")
        elif (revision.parent_id is None) != (revision.depth == 0):
            self._refuse(revision.id, "a root below depth 0, or a parent at depth 0")
        self._above = revision.id
        self._expected += 1

    def end(self) -> None:
        """Refuse a path that ended too early.

        Raises:
            CorruptTreeError: naming where it should have ended.
        """
        if self._above != self._end_id:
            self._refuse(self._end_id or self._above, "the path to it is incomplete")

    def _refuse(self, revision_id: str | None, what: str) -> NoReturn:
        raise CorruptTreeError(
            problem=f"broken path: {what}", conversation_id=self._conversation_id, revision_id=revision_id
        )
