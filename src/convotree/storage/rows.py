"""What the rows of a pipeline say: the values that each read gives to the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from convotree.domain.prompt import PromptVersion, ToolSet
from convotree.domain.revision import Revision
from convotree.domain.stored import AppendPoint, Header, LaneStart
from convotree.errors import CorruptTreeError
from convotree.identity import Key
from convotree.storage.documents import (
    read_header,
    read_lane_start,
    read_point,
    read_prompt,
    read_revision,
    read_tool_set,
)
from convotree.storage.documents.reading import text_or_none
from convotree.storage.driver import Document
from convotree.storage.pipelines import NOTHING

__all__ = ["PathHead", "PathRead", "PathRows", "PlaceRead", "SelectionRead", "SiblingsRead", "Target"]

_T = TypeVar("_T")

_LARGEST_NUMBER: Final = 1 << 40


@dataclass(frozen=True, slots=True)
class Target:
    """A revision without its content: its append point, its link and the role of its message."""

    point: AppendPoint
    parent_id: str | None
    ordinal: int
    role: str

    @classmethod
    def of(cls, document: Document | None) -> Target | None:
        """The target in a projected revision, or None."""
        if document is None:
            return None
        point = read_point(document)
        try:
            return cls(point, document["parent_id"], int(document["ordinal"]), str(document["role"]))
        except (KeyError, TypeError, ValueError) as error:
            raise CorruptTreeError(problem="coordinates cannot be read", revision_id=point.id) from error


@dataclass(frozen=True, slots=True)
class PathHead:
    """What the first row of a sweep says: the header, and the revision the path was asked for.

    ``summary_above``: as in ``PathRead``.
    """

    header: Header
    target: Target | None
    summary_above: int | None

    @classmethod
    def of(cls, row: Document) -> PathHead:
        """The head in a row of ``Pipelines.path``."""
        head = row["header"]
        summary_above = None if head.get("summary_above") is None else _number(head, "summary_above")
        return cls(read_header(head), Target.of(head.get("leaf")), summary_above)


class PathRows:
    """Puts the rows of ``Pipelines.path`` in order as they come: segment by segment, and within one mostly in order."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self._selected = None if header.selected is None else header.selected.key
        self._segment: object = None
        self._next: int | None = None
        self._early: dict[int, Document] = {}

    def add(self, row: Document) -> tuple[Revision, ...]:
        """Take the next row; gives what can be given by now, so that nothing waits but what came too early."""
        document = row.get("r")
        if document is None:
            return ()
        segment = (document.get("segment"), row["from"])
        done = list(self.end()) if segment != self._segment else []
        self._segment = segment
        depth = _depth(document)
        if not (row["from"] <= depth <= row["upto"] and _is_of(document, self._header)):
            return tuple(done)
        if self._next is None:
            self._next = int(row["from"])
        if depth != self._next and depth not in self._early:
            self._early[depth] = document
            return tuple(done)
        done.append(self._read(document))
        self._next = depth + 1
        while (following := self._early.pop(self._next, None)) is not None:
            done.append(self._read(following))
            self._next += 1
        return tuple(done)

    def end(self) -> tuple[Revision, ...]:
        """What is left of the segment that was begun: behind a gap, which whoever reads it finds."""
        early, self._early = self._early, {}
        if early:
            self._next = max(early) + 1
        return tuple(self._read(early[depth]) for depth in sorted(early))

    def _read(self, document: Document) -> Revision:
        return read_revision(document, selected_key=self._selected)


@dataclass(frozen=True, slots=True)
class PathRead:
    """One sweep: the header, the revision the path was asked for, system prompt and tools, the revisions in order.

    ``summary_above``: the depth of the newest summary above that revision, of a path without it that starts there.
    """

    header: Header
    target: Target | None
    prompt: PromptVersion | None
    tool_set: ToolSet | None
    revisions: tuple[Revision, ...]
    summary_above: int | None

    @classmethod
    def of(cls, rows: Sequence[Document]) -> PathRead | None:
        """What the rows of ``Pipelines.path`` say; None if there is no such conversation."""
        if not rows:
            return None
        head = rows[0]["header"]
        first = PathHead.of(rows[0])
        header = first.header
        selected = None if header.selected is None else header.selected.key
        kept = [
            row["r"]
            for row in rows[1:]
            if "r" in row and row["from"] <= _depth(row["r"]) <= row["upto"] and _is_of(row["r"], header)
        ]
        kept.sort(key=_depth)
        return cls(
            header=header,
            target=first.target,
            prompt=_joined(head, "chosen_prompt", "prompt", read_prompt),
            tool_set=_joined(head, "chosen_tools", "tools", read_tool_set),
            revisions=tuple(read_revision(document, selected_key=selected) for document in kept),
            summary_above=first.summary_above,
        )


def _joined(head: Document, key: str, into: str, read: Callable[[Document], _T]) -> _T | None:
    """What was looked up by the key in ``key``: a request must never be built without what it names."""
    found = head.get(into)
    if found:
        return read(found[0])
    if head.get(key, NOTHING) != NOTHING:
        raise CorruptTreeError(
            problem=f"what {head[key]!r} names ({into}) is missing",
            conversation_id=head.get("conversation_id"),
        )
    return None


def _is_of(document: Document, header: Header) -> bool:
    """Whether a revision says that it is of the header's conversation. One that was planted under its keys is passed
    over; where one of its own says otherwise, a gap is left that every reader finds.
    """
    said = (document.get("tenant_id"), document.get("conversation_id"))
    return said == (header.scope.tenant_id, header.scope.conversation_id)


def _depth(document: Document) -> int:
    return _number(document, "depth")


def _ordinal(document: Document) -> int:
    return _number(document, "ordinal")


def _number(document: Document, field: str) -> int:
    number = document.get(field)
    if type(number) is not int or abs(number) > _LARGEST_NUMBER:
        raise CorruptTreeError(
            problem=f"field {field!r} of a revision or counter holds no number that can be",
            conversation_id=document.get("conversation_id"),
            revision_id=document.get("revision_id"),
        )
    return number


@dataclass(frozen=True, slots=True)
class SiblingsRead:
    """A revision, the ordinals of all its siblings (itself among them), and one page of them in order."""

    header: Header
    target: Target | None
    ordinals: tuple[int, ...]
    page: tuple[Revision, ...]

    @classmethod
    def of(cls, rows: Sequence[Document]) -> SiblingsRead | None:
        """What the rows of ``Pipelines.siblings`` say; None if there is no such conversation."""
        if not rows:
            return None
        head = rows[0]["header"]
        header = read_header(head)
        selected = None if header.selected is None else header.selected.key
        siblings = [row["r"] for row in rows[1:] if "r" in row and _is_of(row["r"], header)]
        page = [read_revision(one, selected_key=selected) for one in siblings]
        target = Target.of(head.get("leaf"))
        own = None
        if target is not None:
            found = (row["r"] for row in rows[1:] if "r" in row)
            own = next((one for one in found if one.get("_id") == target.point.key), None)
        if own is not None and not _is_of(own, header):
            raise CorruptTreeError(
                problem="it says that it is of another tenant or conversation",
                conversation_id=header.scope.conversation_id,
                revision_id=text_or_none(own.get("revision_id")),
            )
        return cls(
            header=header,
            target=target,
            ordinals=tuple(sorted(map(_ordinal, head.get("all", siblings)))),
            page=tuple(sorted(page, key=lambda revision: revision.ordinal)),
        )


@dataclass(frozen=True, slots=True)
class PlaceRead:
    """What is needed to append: lean header, the target, its parent where that was asked for, and the lane's start.

    ``next_ordinal``: what the counter of the siblings-to-be would give next; 0 if there is none yet.
    """

    header: Header
    target: Target | None
    parent: Target | None
    start: LaneStart | None
    next_ordinal: int

    @classmethod
    def of(cls, rows: Sequence[Document]) -> PlaceRead | None:
        """What the row of ``Pipelines.below`` or ``Pipelines.beside`` says; None if there is no such conversation."""
        if not rows:
            return None
        row = rows[0]
        start = row.get("start")
        return cls(
            header=read_header(row),
            target=Target.of(row.get("leaf")),
            parent=Target.of(row.get("parent")),
            start=None if start is None else read_lane_start(start),
            next_ordinal=max((_number(one, "next") for one in row.get("counter", ())), default=0),
        )


@dataclass(frozen=True, slots=True)
class SelectionRead:
    """What ``select`` decides on: the target, whether it has children, and the remembered leaves that are there.

    ``leaves`` by key; ``inner``: keys of those that have children by now; ``starts``: their lane starts by key.
    """

    header: Header
    target: Target | None
    target_is_leaf: bool
    leaves: dict[Key, AppendPoint]
    inner: frozenset[Key]
    starts: dict[Key, LaneStart]

    @classmethod
    def of(cls, rows: Sequence[Document]) -> SelectionRead | None:
        """What the row of ``Pipelines.selection`` says; None if there is no such conversation."""
        if not rows:
            return None
        row: dict[str, Any] = rows[0]
        leaves = [read_point(one) for one in row.get("left", ())]
        starts = [read_lane_start(one) for one in row.get("left_starts", ())]
        return cls(
            header=read_header(row),
            target=Target.of(row.get("leaf")),
            target_is_leaf=not row.get("child"),
            leaves={leaf.key: leaf for leaf in leaves},
            inner=frozenset(Key(one["parent_key"]) for one in row.get("left_children", ())),
            starts={start.key: start for start in starts},
        )
