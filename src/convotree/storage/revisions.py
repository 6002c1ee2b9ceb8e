"""Revisions: insert them, and read paths, siblings, skeletons and places to append. No rule is decided here."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from convotree.domain.revision import Revision
from convotree.domain.stored import AppendPoint, CallPlace, LaneStart, Scope, StoredRevision
from convotree.domain.tree import TreeRevision
from convotree.domain.verification import RevisionFacts
from convotree.errors import CorruptTreeError
from convotree.identity import Key
from convotree.storage import filters
from convotree.storage.collections import CONVERSATIONS, REVISIONS
from convotree.storage.documents import (
    owned_header,
    read_call_place,
    read_facts,
    read_lane_start,
    read_point,
    read_stored_revision,
    read_tree_revision,
    revision_document,
)
from convotree.storage.driver import Document, Driver
from convotree.storage.pipelines import PathQuery, Pipelines
from convotree.storage.rows import PathHead, PathRead, PathRows, PlaceRead, SelectionRead, SiblingsRead

__all__ = ["RevisionStorage"]

_FEW: Final = 8
"""Rows taken at a time from a stream: a list that spans batches is held beside the batch, and rows may be large."""
_SKELETON = {
    "_id": 0,
    "schema": 1,
    "revision_id": 1,
    "parent_id": 1,
    "ordinal": 1,
    "depth": 1,
    "lane_id": 1,
    "role": 1,
}


@dataclass(frozen=True, slots=True)
class RevisionStorage:
    """The collection of revisions. Each method is one round trip unless it says otherwise."""

    driver: Driver

    async def insert(self, revision: StoredRevision) -> bool:
        """Insert; False if its id or its place among its siblings is taken."""
        return await self.driver.insert_one(REVISIONS, revision_document(revision))

    async def insert_many(self, revisions: Sequence[StoredRevision]) -> int:
        """Insert in order, stopping at the first whose id or place is taken; how many of them are stored."""
        return await self.driver.insert_many(REVISIONS, [revision_document(one) for one in revisions])

    async def find(self, scope: Scope, key: Key) -> StoredRevision | None:
        """One revision with all its coordinates, or None."""
        document = await self.driver.find_one(REVISIONS, self._by_key(scope, key))
        return None if document is None else read_stored_revision(document)

    async def find_point(self, scope: Scope, key: Key) -> AppendPoint | None:
        """One revision's append point, without its content, or None."""
        document = await self.driver.find_one(REVISIONS, self._by_key(scope, key), {"parts": 0, "forks": 0})
        return None if document is None else read_point(document)

    async def find_many(self, scope: Scope, keys: Sequence[Key]) -> dict[Key, StoredRevision]:
        """Those of ``keys`` that are there."""
        query = filters.by_keys(scope, keys, sharded=self.driver.is_sharded)
        found = [read_stored_revision(document) for document in await self.driver.find(REVISIONS, query)]
        return {revision.point.key: revision for revision in found}

    async def existing_keys(self, scope: Scope, keys: Collection[Key]) -> set[Key]:
        """Which of ``keys`` are there, and say that they are of this conversation."""
        query = filters.by_keys(scope, keys, sharded=True)
        return {Key(document["_id"]) for document in await self.driver.find(REVISIONS, query, {"_id": 1})}

    async def lane_starts(self, scope: Scope, keys: Sequence[Key]) -> dict[Key, LaneStart]:
        """The lane starts of these keys that are there."""
        query = filters.by_keys(scope, keys, sharded=self.driver.is_sharded)
        found = await self.driver.find(REVISIONS, query, {"revision_id": 1, "depth": 1, "forks": 1})
        return {start.key: start for start in map(read_lane_start, found)}

    async def find_calls(self, scope: Scope, tool_call_ids: Collection[str]) -> list[CallPlace]:
        """The revisions that hold a call or a result of one of these ids, upper ones first."""
        keys = [scope.call_key(one) for one in tool_call_ids]
        query = filters.by_call_keys(scope, keys, sharded=self.driver.is_sharded)
        found = await self.driver.find(REVISIONS, query, {"parts.json": 0, "forks": 0, "call_keys": 0})
        return sorted(map(read_call_place, found), key=lambda one: (one.point.depth, one.point.key))

    async def has_children(self, scope: Scope, key: Key) -> bool:
        """Whether a revision has a first child."""
        query = filters.first_child_of(scope, key, sharded=self.driver.is_sharded)
        return await self.driver.find_one(REVISIONS, query, {"_id": 1}) is not None

    async def delete(self, scope: Scope, key: Key) -> None:
        """Withdraw a revision that was inserted into a conversation that was just removed."""
        await self.driver.delete_one(REVISIONS, self._by_key(scope, key))

    async def path(self, scope: Scope, query: PathQuery) -> PathRead | None:
        """A path with the header; None if there is no such conversation. One more round trip per further 16 MB."""
        return _owned(PathRead.of(await self._aggregate(self._pipelines.path(scope, query))), scope)

    async def stream_path(
        self, scope: Scope, query: PathQuery
    ) -> AsyncGenerator[PathHead | tuple[Revision, ...], None]:
        """The head of a path, then its revisions, root first, a segment at a time; nothing if there is no such
        conversation. As many round trips as ``path``; 16 MB are held at most, and what of a segment comes too early.
        """
        rows: PathRows | None = None
        pipeline = self._pipelines.path(scope, query)
        stream = self.driver.stream_aggregate(CONVERSATIONS, pipeline, size=_FEW)
        async with contextlib.aclosing(stream) as lists:
            async for found in lists:
                for row in found:
                    if rows is None:
                        head = PathHead.of(row)
                        owned_header(head.header, scope)
                        rows = PathRows(head.header)
                        yield head
                    elif done := rows.add(row):
                        yield done
        if rows is not None and (done := rows.end()):
            yield done

    async def siblings(
        self, scope: Scope, target: Key, *, after_ordinal: int | None, limit: int | None
    ) -> SiblingsRead | None:
        """A page of siblings with the header; None if there is no such conversation."""
        pipeline = self._pipelines.siblings(scope, target, after_ordinal=after_ordinal, limit=limit)
        return _owned(SiblingsRead.of(await self._aggregate(pipeline)), scope)

    async def below(self, scope: Scope, parent: Key | None) -> PlaceRead | None:
        """What is needed to append below ``parent`` (None: the selected leaf)."""
        return _owned(PlaceRead.of(await self._aggregate(self._pipelines.below(scope, parent))), scope)

    async def beside(self, scope: Scope, target: Key) -> PlaceRead | None:
        """What is needed to append a sibling of ``target``."""
        return _owned(PlaceRead.of(await self._aggregate(self._pipelines.beside(scope, target))), scope)

    async def selection(self, scope: Scope, target: Key) -> SelectionRead | None:
        """What is needed to select ``target`` or a leaf below it."""
        return _owned(
            SelectionRead.of(await self._aggregate(self._pipelines.selection(scope, target))), scope
        )

    async def skeleton(self, scope: Scope) -> list[TreeRevision]:
        """All revisions of a conversation without content, in unspecified order."""
        found = await self.driver.find(REVISIONS, filters.all_revisions(scope), _SKELETON)
        return [read_tree_revision(document) for document in found]

    async def stream_facts(self, scope: Scope) -> AsyncIterator[list[RevisionFacts | CorruptTreeError]]:
        """What a check needs of every revision, in lists, in unspecified order; of one that cannot be read, why.

        One round trip for each 500 revisions or 16 MB; content is dropped as soon as its digest is taken.
        """
        async for documents in self.driver.stream(REVISIONS, filters.all_revisions(scope), size=500):
            yield [read_facts(document) for document in documents]

    def _by_key(self, scope: Scope, key: Key) -> Document:
        return filters.by_key(scope, key, sharded=self.driver.is_sharded)

    async def _aggregate(self, pipeline: list[Document]) -> list[Document]:
        return await self.driver.aggregate(CONVERSATIONS, pipeline)

    @property
    def _pipelines(self) -> Pipelines:
        return Pipelines(self.driver.prefix, self.driver.is_sharded)


_Read = TypeVar("_Read", PathRead, SiblingsRead, PlaceRead, SelectionRead)


def _owned(read: _Read | None, scope: Scope) -> _Read | None:
    """What was read, if its header says that it is of ``scope``."""
    if read is not None:
        owned_header(read.header, scope)
    return read
