"""Updates: what is written to a header, and under which condition. Every change bumps ``version``.

A compare-and-set names what it relies on in its filter: a lost race finds nothing and changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from convotree.domain.limits import MAX_REMEMBERED_LEAVES
from convotree.domain.stored import AppendPoint, RememberedLeaf, Scope
from convotree.identity import Key
from convotree.storage import filters
from convotree.storage.documents import leaf_document, listing_key, point_document
from convotree.storage.driver import Document

__all__ = ["HeaderChange", "PointerMove", "header_change", "pointer_move"]


@dataclass(frozen=True, slots=True)
class PointerMove:
    """A move of the pointer to ``target``, only within ``epoch`` and only if every condition that is set holds.

    ``from_key``: the pointer stands on this revision (``standing_on`` says whether to ask; None: on nothing).
    ``moves``: it has been moved this often. ``version``: the header is at this version. ``memory``: the remembered
    leaves after the move; ``remember``: one to put before those that are there, where they were not read.
    """

    target: AppendPoint
    epoch: int
    standing_on: bool = False
    from_key: Key | None = None
    moves: int | None = None
    version: int | None = None
    memory: Sequence[RememberedLeaf] | None = None
    remember: RememberedLeaf | None = None


def pointer_move(
    scope: Scope, move: PointerMove, now: datetime, *, sharded: bool
) -> tuple[Document, Document]:
    """Filter and update of a move."""
    query = filters.header(scope, sharded=sharded) | {"epoch": move.epoch}
    if move.standing_on:
        if move.from_key is None:
            query["selected"] = None
        else:
            query["selected.key"] = move.from_key
    if move.moves is not None:
        query["moves"] = move.moves
    if move.version is not None:
        query["version"] = move.version
    changed: Document = {"selected": point_document(move.target), **_touched(scope, now)}
    if move.memory is not None:
        changed["memory"] = [leaf_document(leaf) for leaf in move.memory]
    update: Document = {"$set": changed, "$inc": {"version": 1, "moves": 1}}
    if move.remember is not None and move.memory is None:
        newest = {"$each": [leaf_document(move.remember)], "$position": 0, "$slice": MAX_REMEMBERED_LEAVES}
        update["$push"] = {"memory": newest}
    return query, update


@dataclass(frozen=True, slots=True)
class HeaderChange:
    """New values of header fields by name. ``version`` and ``metadata``: what must still stand there, if given."""

    fields: tuple[tuple[str, Any], ...]
    version: int | None = None
    metadata: bytes | None = None


def header_change(
    scope: Scope, change: HeaderChange, now: datetime, *, sharded: bool
) -> tuple[Document, Document]:
    """Filter and update of a change of the header; the pointer and its counter stay."""
    query = filters.header(scope, sharded=sharded)
    if change.version is not None:
        query["version"] = change.version
    if change.metadata is not None:
        query["metadata"] = change.metadata
    return query, {"$set": {**dict(change.fields), **_touched(scope, now)}, "$inc": {"version": 1}}


def _touched(scope: Scope, now: datetime) -> Document:
    return {"updated_at": now, "updated_key": listing_key(now, scope.key)}
