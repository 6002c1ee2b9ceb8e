"""Pipelines: each reads in one command what one call needs. Functions from values to documents, no I/O.

All start at the header, so an unknown conversation gives no row. Callers' values enter as ``$literal`` only. What
costs what on which engine, and why the path is read by segment, is in docs/decisions/0001-lanes.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from convotree.domain.choices import CompactionChoice, PromptChoice
from convotree.domain.lanes import SEGMENT_LENGTH
from convotree.domain.stored import Scope
from convotree.identity import Key
from convotree.storage import filters
from convotree.storage.collections import COUNTERS, PROMPTS, REVISIONS, TOOL_SETS
from convotree.storage.driver import Document

__all__ = ["NOTHING", "PathQuery", "Pipelines"]

NOTHING: Final = "-"
"""Joins to no document: no derived key is one character long."""

# A last of None means the whole path; larger than any depth.
_WHOLE: Final = 1 << 40

_MOST_SEGMENTS: Final = 1 << 16
"""Of one range: four million revisions."""

_POINT: Final = {
    "revision_id": 1,
    "parent_id": 1,
    "parent_key": 1,
    "role": 1,
    "ordinal": 1,
    "depth": 1,
    "lane_key": 1,
    "lane_id": 1,
    "chain": 1,
    "answered": 1,
    "prompt_key": 1,
    "tool_set_key": 1,
    "summary_depth": 1,
    "open_calls": 1,
    "more_open_calls": 1,
    "epoch": 1,
}
_CONTENT: Final = ("parts", "provider_data", "generation", "call_keys")
"""What of a revision has the size of its message, or more."""
_START: Final = {"revision_id": 1, "depth": 1, "forks": 1}
_HEADER_LEAN: Final = {
    "schema": 1,
    "tenant_id": 1,
    "conversation_id": 1,
    "version": 1,
    "moves": 1,
    "epoch": 1,
    "selected": 1,
    "prompt_version": 1,
    "tool_set": 1,
    "prompt_key": 1,
    "tool_set_key": 1,
    "created_at": 1,
    "updated_at": 1,
}


@dataclass(frozen=True, slots=True)
class PathQuery:
    """Which path to read: to ``target`` (None: the selected leaf), without it if ``exclusive``, its newest ``last``.

    ``prompt``: also bring a system prompt and tools. ``compaction``: start at the newest summary.
    """

    target: Key | None = None
    exclusive: bool = False
    last: int | None = None
    prompt: PromptChoice | None = None
    compaction: CompactionChoice = CompactionChoice.NONE


@dataclass(frozen=True, slots=True)
class Pipelines:
    """Builds pipelines for one database: ``prefix`` of its collections, and whether it is a sharded cluster."""

    prefix: str
    sharded: bool

    def path(self, scope: Scope, query: PathQuery) -> list[Document]:
        """The path in one sweep, all on the collection of headers.

        Rows: first one with ``header``, ``leaf``, ``prompt``, ``tools`` and the keys these were looked up by, and
        ``summary_above``, the ``summary_depth`` of the target's parent where it matters; then one for each revision
        (``r``) of the segments on the path, segments in path order. ``from`` and ``upto`` bound what of a segment is
        on the path.
        """
        return [
            *self._header_and_target(scope, query.target),
            *self._join_one("leaf.lane_key", "start", scope, _START),
            *self._above(scope, query),
            *self._prompts(query),
            *self._bounds(query),
            *self._join_some("book_keys", "books", scope, {"forks.pages": 1}),
            {"$project": {"_id": 0, "lo": 1, "hi": 1, "rows": _path_rows()}},
            {"$unwind": "$rows"},
            *self._join_one("rows.page", "page", scope, {"forks.tail": 1}),
            {
                "$project": {
                    "lo": 1,
                    "hi": 1,
                    "rows.head": 1,
                    "ranges": _if_null("$page.forks.tail", "$rows.ranges"),
                }
            },
            {"$unwind": "$ranges"},
            {
                "$project": {
                    "header": "$rows.head",
                    "lane": "$ranges.lane",
                    "from": {"$max": ["$ranges.from", "$lo"]},
                    "upto": {"$min": ["$ranges.upto", "$hi"]},
                }
            },
            {"$project": {"header": 1, "lane": 1, "from": 1, "upto": 1, "number": _segment_numbers()}},
            {"$unwind": "$number"},
            {
                "$project": {
                    "header": 1,
                    "from": 1,
                    "upto": 1,
                    "segment": {"$concat": ["$lane", ":", {"$toString": "$number"}]},
                }
            },
            self._join_segment(scope),
            _unwind("r"),
        ]

    def siblings(
        self, scope: Scope, target: Key, *, after_ordinal: int | None, limit: int | None
    ) -> list[Document]:
        """First a row with ``leaf`` (the target); then one for each sibling (``r``), in unspecified order.

        Of a page the first row also has ``all`` ordinals; without bounds the siblings themselves say them.
        """
        page: list[Document] = []
        if after_ordinal is not None:
            page.append({"$match": {"ordinal": {"$gt": after_ordinal}}})
        if limit is not None:
            page += [{"$sort": {"ordinal": 1}}, {"$limit": limit}]
        ordinals = self._join("leaf.parent_key", "parent_key", "all", scope, {"_id": 0, "ordinal": 1})
        return [
            *self._header_and_target(scope, target),
            *([ordinals] if page else []),
            {
                "$project": {
                    "_id": 0,
                    "rows": [
                        {"header": _head_fields() | ({"all": "$all"} if page else {}), "parent": NOTHING},
                        {"parent": _if_null("$leaf.parent_key", NOTHING)},
                    ],
                }
            },
            {"$unwind": "$rows"},
            {"$project": {"header": "$rows.header", "parent": "$rows.parent"}},
            self._join("parent", "parent_key", "r", scope, None, page),
            _unwind("r"),
        ]

    def below(self, scope: Scope, parent: Key | None) -> list[Document]:
        """One row: lean header, ``leaf`` (the parent; None: the selected leaf), ``start`` of its lane, and the
        ``counter`` of its children."""
        return [
            *self._header_and_target(scope, parent),
            *self._join_one("leaf.lane_key", "start", scope, _START),
            self._join_counter("leaf._id", scope),
        ]

    def beside(self, scope: Scope, target: Key) -> list[Document]:
        """One row: lean header, ``leaf`` (the target), ``parent`` of it, ``start`` of the parent's lane, and the
        ``counter`` of the parent's children."""
        return [
            *self._header_and_target(scope, target),
            *self._join_one("leaf.parent_key", "parent", scope, _POINT),
            *self._join_one("parent.lane_key", "start", scope, _START),
            self._join_counter("leaf.parent_key", scope),
        ]

    def selection(self, scope: Scope, target: Key) -> list[Document]:
        """One row: the whole header, ``leaf`` (the target), its first child, and of the remembered leaves their
        revisions (``left``), first children (``left_children``) and lane starts (``left_starts``)."""
        first_child: list[Document] = [{"$match": {"ordinal": 0}}]
        return [
            *self._header_and_target(scope, target, memory=True),
            self._join("leaf._id", "parent_key", "child", scope, {"parent_key": 1}, first_child),
            {
                "$addFields": {
                    "left_keys": {"$map": {"input": _if_null("$memory", []), "in": "$$this.key"}},
                    "lane_keys": {"$map": {"input": _if_null("$memory", []), "in": "$$this.lane_key"}},
                }
            },
            self._join("left_keys", "_id", "left", scope, _POINT),
            self._join("left_keys", "parent_key", "left_children", scope, {"parent_key": 1}, first_child),
            self._join("lane_keys", "_id", "left_starts", scope, _START),
        ]

    # ------------------------------------------------------------ stages

    def _header_and_target(self, scope: Scope, target: Key | None, *, memory: bool = False) -> list[Document]:
        kept: Document = _HEADER_LEAN | ({"memory": 1, "title": 1, "metadata": 1} if memory else {})
        kept["target"] = _if_null("$selected.key", NOTHING) if target is None else {"$literal": target}
        return [
            {"$match": filters.header(scope, sharded=self.sharded)},
            {"$project": kept},
            *self._join_one("target", "leaf", scope, _POINT),
        ]

    def _above(self, scope: Scope, query: PathQuery) -> list[Document]:
        """What the path without its target ends at, where more than its depth must be known of it."""
        starts_at_summary = query.compaction is CompactionChoice.NEWEST
        if not query.exclusive or not (query.prompt is PromptChoice.GENERATED or starts_at_summary):
            return []
        return self._join_one("leaf.parent_key", "above", scope, _POINT)

    def _prompts(self, query: PathQuery) -> list[Document]:
        if query.prompt is None:
            return []
        chosen: Document = {
            "chosen_prompt": _if_null("$prompt_key", NOTHING),
            "chosen_tools": _if_null("$tool_set_key", NOTHING),
        }
        if query.prompt is PromptChoice.GENERATED:
            # The newest answer above the target is what its parent knows.
            newest = "above" if query.exclusive else "leaf"
            answered = {"$eq": [f"${newest}.answered", True]}
            chosen = {
                "chosen_prompt": _if_null(_choose(answered, f"${newest}.prompt_key", "$prompt_key"), NOTHING),
                "chosen_tools": _if_null(
                    _choose(answered, f"${newest}.tool_set_key", "$tool_set_key"), NOTHING
                ),
            }
        return [
            {"$addFields": chosen},
            _lookup(self.prefix + PROMPTS, "chosen_prompt", "_id", "prompt"),
            _lookup(self.prefix + TOOL_SETS, "chosen_tools", "_id", "tools"),
        ]

    def _bounds(self, query: PathQuery) -> list[Document]:
        excluded = 1 if query.exclusive else 0
        last = _WHOLE if query.last is None else query.last
        bounds: list[Any] = [0, {"$subtract": ["$leaf.depth", excluded + last - 1]}]
        if query.compaction is CompactionChoice.NEWEST:
            bounds.append(_if_null("$above.summary_depth" if query.exclusive else "$leaf.summary_depth", 0))
        return [
            {
                "$addFields": {
                    "hi": {"$subtract": ["$leaf.depth", excluded]},
                    "lo": {"$max": bounds},
                }
            },
            {"$addFields": {"book_keys": _keys_from("$start.forks.books")}},
        ]

    def _join(
        self,
        local: str,
        foreign: str,
        into: str,
        scope: Scope,
        projection: Document | None,
        stages: list[Document] | None = None,
    ) -> Document:
        """Join revisions by equality on a key that an index leads with."""
        inner: list[Document] = []
        if self.sharded:  # without these two a join asks every shard
            inner.append({"$match": filters.all_revisions(scope)})
        inner += stages or []
        if projection is not None:
            inner.append({"$project": projection})
        return _lookup(self.prefix + REVISIONS, local, foreign, into, inner)

    def _join_one(self, local: str, into: str, scope: Scope, kept: Document) -> list[Document]:
        """Join the one revision that a key names, without its content."""
        return self._join_some(local, into, scope, kept, unwound=True)

    def _join_some(
        self, local: str, into: str, scope: Scope, kept: Document, *, unwound: bool = False
    ) -> list[Document]:
        unwind = [_unwind(into)] if unwound else []
        if self.sharded:
            return [self._join(local, "_id", into, scope, kept), *unwind]
        # Not every engine uses the index where a join has a sub-pipeline: the content goes in a stage of its own.
        content = {f"{into}.{field}": 0 for field in _CONTENT}
        return [_lookup(self.prefix + REVISIONS, local, "_id", into), *unwind, {"$project": content}]

    def _join_counter(self, local: str, scope: Scope) -> Document:
        inner: list[Document] = []
        if self.sharded:
            inner = [{"$match": filters.all_revisions(scope)}, {"$project": {"next": 1}}]
        return _lookup(self.prefix + COUNTERS, local, "_id", "counter", inner)

    def _join_segment(self, scope: Scope) -> Document:
        if not self.sharded:
            # The client drops what lies past the range: on every engine cheaper than a sub-pipeline for each segment.
            return _lookup(self.prefix + REVISIONS, "segment", "segment", "r")
        bounds = {"$and": [{"$gte": ["$depth", "$$from"]}, {"$lte": ["$depth", "$$upto"]}]}
        inner: list[Document] = [{"$match": filters.all_revisions(scope) | {"$expr": bounds}}]
        stage = _lookup(self.prefix + REVISIONS, "segment", "segment", "r", inner)
        stage["$lookup"]["let"] = {"from": "$from", "upto": "$upto"}
        return stage


def _lookup(
    collection: str, local: str, foreign: str, into: str, inner: list[Document] | None = None
) -> Document:
    stage: Document = {"from": collection, "localField": local, "foreignField": foreign, "as": into}
    if inner:
        stage["pipeline"] = inner
    return {"$lookup": stage}


def _unwind(field: str) -> Document:
    return {"$unwind": {"path": f"${field}", "preserveNullAndEmptyArrays": True}}


def _if_null(value: Any, default: Any) -> Document:
    return {"$ifNull": [value, default]}


def _choose(condition: Any, then: Any, otherwise: Any) -> Document:
    return {"$cond": [condition, then, otherwise]}


def _head_fields() -> Document:
    found = ("leaf", "chosen_prompt", "prompt", "chosen_tools", "tools")
    named = {field: f"${field}" for field in (*_HEADER_LEAN, *found)}
    return named | {"summary_above": "$above.summary_depth"}


def _keys_from(pointers: str) -> Document:
    """The keys of the fork pointers whose pages reach into the window."""
    reaching = {"$filter": {"input": _if_null(pointers, []), "cond": {"$gte": ["$$this.upto", "$lo"]}}}
    return {"$map": {"input": reaching, "in": "$$this.key"}}


def _path_rows() -> Document:
    """The header's row, one row for each page of forks in order, and one with the newest ranges and the leaf's own."""
    # Books come back in any order: take them in the order of their keys. Each gives its pages, then itself.
    pages_of_books = {
        "$reduce": {
            "input": "$book_keys",
            "initialValue": [],
            "in": {
                "$concatArrays": [
                    "$$value",
                    {
                        "$reduce": {
                            "input": {
                                "$filter": {
                                    "input": "$books",
                                    "as": "b",
                                    "cond": {"$eq": ["$$b._id", "$$this"]},
                                }
                            },
                            "initialValue": [],
                            "in": {"$concatArrays": ["$$value", _if_null("$$this.forks.pages", [])]},
                        }
                    },
                    [{"key": "$$this", "upto": _WHOLE}],
                ]
            },
        }
    }
    all_pages = {"$concatArrays": [pages_of_books, _if_null("$start.forks.pages", [])]}
    page_rows = {
        "$map": {
            "input": {"$filter": {"input": all_pages, "cond": {"$gte": ["$$this.upto", "$lo"]}}},
            "in": {"page": "$$this.key"},
        }
    }
    newest = {
        "$filter": {"input": _if_null("$start.forks.tail", []), "cond": {"$gte": ["$$this.upto", "$lo"]}}
    }
    own = [{"lane": "$leaf.lane_key", "from": "$start.depth", "upto": "$leaf.depth"}]
    no_range = [{"lane": NOTHING, "from": 0, "upto": 0}]
    header_row = [{"head": _head_fields(), "page": NOTHING, "ranges": no_range}]
    found = {"$gte": [_if_null("$start.depth", -1), 0]}
    newest_row = [{"page": NOTHING, "ranges": {"$concatArrays": [newest, own]}}]
    return {"$concatArrays": [header_row, _choose(found, {"$concatArrays": [page_rows, newest_row]}, [])]}


def _segment_numbers() -> Document:
    """The numbers of the segments a range touches; none if the window leaves nothing of it, one for the header."""
    first = {"$floor": {"$divide": ["$from", SEGMENT_LENGTH]}}
    end = {"$add": [{"$floor": {"$divide": ["$upto", SEGMENT_LENGTH]}}, 1]}
    # A damaged depth must not make the server count to it.
    behind = {"$min": [end, {"$add": [first, _MOST_SEGMENTS]}]}
    touched = _choose({"$lte": ["$from", "$upto"]}, {"$range": [{"$toInt": first}, {"$toInt": behind}]}, [])
    return _choose({"$eq": ["$lane", NOTHING]}, [0], touched)
