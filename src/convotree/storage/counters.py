"""Counters of ordinals: the next number below a parent that has more than one child.

"Highest ordinal plus one, retry" is quadratic when many writers meet under one parent; a counter is not. A number is
never given twice; a crash between counter and insert leaves a hole.
"""

from __future__ import annotations

from dataclasses import dataclass

from convotree.domain.limits import SCHEMA_NUMBER
from convotree.domain.stored import Scope
from convotree.identity import Key
from convotree.storage import filters
from convotree.storage.collections import COUNTERS, REVISIONS
from convotree.storage.driver import Document, Driver

__all__ = ["CounterStorage"]


@dataclass(frozen=True, slots=True)
class CounterStorage:
    """The collection of counters."""

    driver: Driver

    async def next_ordinal(self, scope: Scope, parent_key: Key) -> int:
        """Take the next ordinal, 1 or higher. One round trip; one more for the first sibling below a parent."""
        while True:
            taken = await self._take(scope, parent_key)
            if taken is not None:
                return taken
            # The insert first: an upsert that meets another one on a missing key gives nothing on some engines.
            if await self.driver.insert_one(COUNTERS, self._document(scope, parent_key, 2)):
                return 1

    async def catch_up(self, scope: Scope, parent_id: str | None, parent_key: Key) -> None:
        """Put the counter above every ordinal that is taken, after it was found to lag (a restored collection)."""
        highest = await self.driver.find(
            REVISIONS, filters.children_of(scope, parent_id), {"ordinal": 1}, sort=[("ordinal", -1)], limit=1
        )
        if highest:
            number = int(highest[0]["ordinal"]) + 1
            query = filters.by_key(scope, parent_key, sharded=self.driver.is_sharded)
            await self.driver.update_one(COUNTERS, query, {"$max": {"next": number}})

    async def start_at(self, scope: Scope, numbers: dict[Key, int]) -> None:
        """Make counters that do not exist yet, each with its first number: for an import that plans ordinals itself."""
        waiting = [self._document(scope, key, number) for key, number in numbers.items()]
        while waiting:
            stored = await self.driver.insert_many(COUNTERS, waiting)
            if stored < len(waiting):
                lagging = waiting[stored]
                query = filters.by_key(scope, lagging["_id"], sharded=self.driver.is_sharded)
                await self.driver.update_one(COUNTERS, query, {"$max": {"next": lagging["next"]}})
            waiting = waiting[stored + 1 :]

    async def _take(self, scope: Scope, parent_key: Key) -> int | None:
        query = filters.by_key(scope, parent_key, sharded=self.driver.is_sharded)
        document = await self.driver.find_one_and_update(COUNTERS, query, {"$inc": {"next": 1}})
        return None if document is None else int(document["next"]) - 1

    def _document(self, scope: Scope, parent_key: Key, number: int) -> Document:
        return {
            "_id": parent_key,
            "schema": SCHEMA_NUMBER,
            "tenant_id": scope.tenant_id,
            "conversation_id": scope.conversation_id,
            "next": number,
        }
