"""Coordinates in documents: append points, forks, lane starts, remembered leaves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convotree.domain.lanes import ForkPointer, Forks, LaneRange
from convotree.domain.stored import AppendPoint, LaneStart, RememberedLeaf
from convotree.errors import CorruptTreeError
from convotree.identity import Key
from convotree.storage.documents.reading import reason_of, stored_key, text_or_none, typed
from convotree.storage.driver import Document

__all__ = [
    "forks_document",
    "leaf_document",
    "optional_key",
    "point_document",
    "read_forks",
    "read_lane_start",
    "read_point",
]


def point_document(point: AppendPoint) -> Document:
    """The fields of an append point, as they stand in a revision and in the header's ``selected``."""
    document: Document = {
        "key": point.key,
        "revision_id": point.id,
        "depth": point.depth,
        "lane_key": point.lane_key,
        "lane_id": point.lane_id,
        "chain": point.chain,
    }
    if point.answered:
        document["answered"] = True
    if point.prompt_key is not None:
        document["prompt_key"] = point.prompt_key
    if point.tool_set_key is not None:
        document["tool_set_key"] = point.tool_set_key
    if point.summary_depth is not None:
        document["summary_depth"] = point.summary_depth
    if point.open_calls:
        document["open_calls"] = list(point.open_calls)
    if point.more_open_calls:
        document["more_open_calls"] = True
    return document


def read_point(document: Mapping[str, Any]) -> AppendPoint:
    """The append point in a revision's document (key ``_id``) or in the header's ``selected`` (key ``key``)."""
    try:
        key = document["_id"] if "_id" in document else document["key"]
        return AppendPoint(
            key=stored_key(key, "key"),
            id=typed(document["revision_id"], str, "revision_id"),
            depth=typed(document["depth"], int, "depth"),
            lane_key=stored_key(document["lane_key"], "lane_key"),
            lane_id=typed(document["lane_id"], str, "lane_id"),
            chain=typed(document["chain"], bytes, "chain"),
            answered=typed(document.get("answered", False), bool, "answered"),
            prompt_key=optional_key(document, "prompt_key"),
            tool_set_key=optional_key(document, "tool_set_key"),
            summary_depth=_optional_int(document, "summary_depth"),
            open_calls=tuple(typed(one, str, "open_calls") for one in document.get("open_calls", ())),
            more_open_calls=typed(document.get("more_open_calls", False), bool, "more_open_calls"),
        )
    except (KeyError, TypeError) as error:
        raise CorruptTreeError(
            problem=f"coordinates cannot be read: {reason_of(error)}",
            revision_id=text_or_none(document.get("revision_id")),
        ) from error


def optional_key(document: Mapping[str, Any], field: str) -> Key | None:
    value = document.get(field)
    return None if value is None else Key(typed(value, str, field))


def _optional_int(document: Mapping[str, Any], field: str) -> int | None:
    value = document.get(field)
    return None if value is None else typed(value, int, field)


def forks_document(forks: Forks) -> Document:
    document: Document = {
        "tail": [{"lane": one.lane_key, "from": one.start, "upto": one.upto} for one in forks.tail]
    }
    if forks.pages:
        document["pages"] = [{"key": one.key, "upto": one.upto} for one in forks.pages]
    if forks.books:
        document["books"] = [{"key": one.key, "upto": one.upto} for one in forks.books]
    return document


def read_forks(document: Mapping[str, Any]) -> Forks:
    return Forks(
        tail=tuple(
            LaneRange(
                stored_key(one["lane"], "forks.lane"),
                typed(one["from"], int, "forks.from"),
                typed(one["upto"], int, "forks.upto"),
            )
            for one in document["tail"]
        ),
        pages=_read_pointers(document.get("pages", ())),
        books=_read_pointers(document.get("books", ())),
    )


def _read_pointers(documents: list[Mapping[str, Any]]) -> tuple[ForkPointer, ...]:
    return tuple(
        ForkPointer(stored_key(one["key"], "forks.key"), typed(one["upto"], int, "forks.upto"))
        for one in documents
    )


def read_lane_start(document: Mapping[str, Any]) -> LaneStart:
    """The lane start in a revision's document (projected to ``_id``, ``depth`` and ``forks`` or whole)."""
    try:
        return LaneStart(
            stored_key(document["_id"], "_id"),
            typed(document["depth"], int, "depth"),
            read_forks(document["forks"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise CorruptTreeError(
            problem=f"the start of a lane cannot be read: {reason_of(error)}",
            revision_id=text_or_none(document.get("revision_id")),
        ) from error


def leaf_document(leaf: RememberedLeaf) -> Document:
    """A remembered leaf."""
    return {"key": leaf.key, "lane_key": leaf.lane_key, "depth": leaf.depth}
