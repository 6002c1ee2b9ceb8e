"""Counters of ordinals: the next number below a parent that has more than one child.

"Highest ordinal plus one, retry" is quadratic when many writers meet under one parent; a counter is not. A number is
never given twice; a crash between counter and insert leaves a hole.

Not ``findAndModify``: on the embedded engine it costs as much as the collection is large. Every taker increments the
counter and puts a token of its own before the others' in the same update, and so can read afterwards which number it
took, however many took one since.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from convotree.domain.limits import SCHEMA_NUMBER
from convotree.domain.stored import Scope
from convotree.errors import CorruptTreeError, UnavailableError
from convotree.identity import Key, new_id
from convotree.storage import filters
from convotree.storage.collections import COUNTERS, REVISIONS
from convotree.storage.driver import Document, Driver

__all__ = ["CounterStorage"]

_TOKENS: Final = 256
"""Tokens kept: more than that many takers between one's update and its read push it out, and it takes again."""
_ATTEMPTS: Final = 16


@dataclass(frozen=True, slots=True)
class CounterStorage:
    """The collection of counters."""

    driver: Driver

    async def next_ordinal(self, scope: Scope, parent_key: Key, *, known: int | None = None) -> int:
        """Take the next ordinal, 1 or higher.

        ``known``: where the counter stood when it was read (0: there was none). One round trip if it stands there
        still, else two more.
        """
        if known == 0:
            if await self.driver.insert_one(COUNTERS, self._document(scope, parent_key, 2)):
                return 1
        elif known is not None:
            query = self._by_key(scope, parent_key) | {"next": known}
            if await self.driver.update_one(COUNTERS, query, _take(new_id())):
                return known
        for _ in range(_ATTEMPTS):
            token = new_id()
            if await self.driver.update_one(COUNTERS, self._by_key(scope, parent_key), _take(token)):
                taken = await self._number_of(scope, parent_key, token)
                if taken is not None:
                    return taken
            elif await self.driver.insert_one(COUNTERS, self._document(scope, parent_key, 2)):
                return 1
        raise UnavailableError(operation="append", reason="too many others append under this parent")

    async def catch_up(self, scope: Scope, parent_id: str | None, parent_key: Key) -> None:
        """Put the counter above every ordinal that is taken, after it was found to lag (a restored collection)."""
        highest = await self.driver.find(
            REVISIONS, filters.children_of(scope, parent_id), {"ordinal": 1}, sort=[("ordinal", -1)], limit=1
        )
        if highest:
            await self._raise_to(scope, parent_key, int(highest[0]["ordinal"]) + 1)

    async def unusable(self, scope: Scope, parent_keys: list[Key]) -> list[Key]:
        """Those of the counters whose number or tokens cannot be read; one that is not there is made when needed."""
        query = filters.by_keys(scope, parent_keys, sharded=self.driver.is_sharded)
        return [
            Key(one["_id"])
            for one in await self.driver.find(COUNTERS, query)
            if not _is_usable(one.get("next"), one.get("tokens"))
        ]

    async def start_at(self, scope: Scope, numbers: dict[Key, int]) -> None:
        """Make counters that do not exist yet, each with its first number: for an import that plans ordinals itself."""
        waiting = [self._document(scope, key, number) for key, number in numbers.items()]
        while waiting:
            stored = await self.driver.insert_many(COUNTERS, waiting)
            if stored < len(waiting):
                await self._raise_to(scope, waiting[stored]["_id"], waiting[stored]["next"])
            waiting = waiting[stored + 1 :]

    async def _number_of(self, scope: Scope, parent_key: Key, token: str) -> int | None:
        """The number that was taken with ``token``; None if it was pushed out."""
        document = await self.driver.find_one(COUNTERS, self._by_key(scope, parent_key))
        if document is None:
            return None
        tokens: list[Any] = document.get("tokens", [])
        number = document.get("next")
        if not _is_usable(number, tokens):
            raise CorruptTreeError(
                problem="a counter of ordinals cannot be read", conversation_id=scope.conversation_id
            )
        return number - 1 - tokens.index(token) if token in tokens else None

    async def _raise_to(self, scope: Scope, parent_key: Key, number: int) -> None:
        # Tokens before the jump would be counted from its far side: they are taken away, and their takers take again.
        query = self._by_key(scope, parent_key) | {"next": {"$lt": number}}
        await self.driver.update_one(COUNTERS, query, {"$set": {"next": number, "tokens": []}})

    def _by_key(self, scope: Scope, parent_key: Key) -> Document:
        return filters.by_key(scope, parent_key, sharded=self.driver.is_sharded)

    def _document(self, scope: Scope, parent_key: Key, number: int) -> Document:
        return {
            "_id": parent_key,
            "schema": SCHEMA_NUMBER,
            "tenant_id": scope.tenant_id,
            "conversation_id": scope.conversation_id,
            "next": number,
            "tokens": [],
        }


def _is_usable(number: object, tokens: object) -> TypeGuard[int]:
    return type(number) is int and 0 < number < 1 << 40 and isinstance(tokens, list)


def _take(token: str) -> Document:
    newest = {"$each": [token], "$position": 0, "$slice": _TOKENS}
    return {"$inc": {"next": 1}, "$push": {"tokens": newest}}
