"""Headers: read, insert, list and change them. No rule about conversations is decided here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from convotree.domain.choices import ListOrder
from convotree.domain.stored import Header, Scope
from convotree.errors import CorruptTreeError
from convotree.identity import new_id
from convotree.storage import filters, updates
from convotree.storage.collections import CONVERSATIONS
from convotree.storage.documents import header_document, owned_header, read_header
from convotree.storage.driver import Document, Driver

__all__ = ["ConversationStorage"]

# Listings and appends need neither: the header's large fields stay on the server.
_WHOLE = {"writes": 0}
_LEAN = {"metadata": 0, "memory": 0, "title": 0, "writes": 0}
_LISTED = {"memory": 0, "writes": 0}
_SORT_FIELD = {ListOrder.CREATED: "created_key", ListOrder.UPDATED: "updated_key"}


@dataclass(frozen=True, slots=True)
class ConversationStorage:
    """The collection of headers. Each method is one round trip unless it says otherwise."""

    driver: Driver

    async def find(self, scope: Scope) -> Header | None:
        """The whole header, or None."""
        document = await self.driver.find_one(CONVERSATIONS, self._filter(scope), _WHOLE)
        return None if document is None else owned_header(read_header(document), scope)

    async def find_lean(self, scope: Scope) -> Header | None:
        """The header without title, metadata and remembered leaves, or None."""
        document = await self.driver.find_one(CONVERSATIONS, self._filter(scope), _LEAN)
        return None if document is None else owned_header(read_header(document), scope)

    async def insert(self, header: Header) -> bool:
        """Insert; False if there is a conversation of this id."""
        return await self.driver.insert_one(CONVERSATIONS, header_document(header))

    async def list_page(
        self, tenant_id: str, order: ListOrder, *, limit: int, after: str | None
    ) -> list[tuple[str, Header]]:
        """Up to ``limit`` headers (without remembered leaves) behind the sort key ``after``, with their sort keys."""
        field = _SORT_FIELD[order]
        found = await self.driver.find(
            CONVERSATIONS,
            filters.tenant_page(tenant_id, field, after),
            _LISTED,
            sort=[(field, -1)],
            limit=limit,
        )
        return [(_sort_key(document, field), _listed(document)) for document in found]

    async def move_pointer(self, scope: Scope, move: updates.PointerMove, now: datetime) -> bool:
        """Move the pointer, once, if the conditions of ``move`` hold; whether this call moved it."""
        query, update = updates.pointer_move(scope, move, now, sharded=self.driver.is_sharded)
        return await self.driver.update_once(CONVERSATIONS, query, update, token=new_id())

    async def change(self, scope: Scope, change: updates.HeaderChange, now: datetime) -> Header | None:
        """Change the header and read it after that (with what others changed meanwhile), or None if the conditions do
        not hold. Two round trips."""
        # Not findAndModify: on the embedded engine it costs as much as the collection is large.
        query, update = updates.header_change(scope, change, now, sharded=self.driver.is_sharded)
        if not await self.driver.update_once(CONVERSATIONS, query, update, token=new_id()):
            return None
        return await self.find(scope)

    def _filter(self, scope: Scope) -> dict[str, object]:
        return filters.header(scope, sharded=self.driver.is_sharded)


def _sort_key(document: Document, field: str) -> str:
    key = document.get(field)
    if not isinstance(key, str):
        raise CorruptTreeError(
            problem=f"field {field!r} of a header holds no string",
            conversation_id=str(document.get("conversation_id")),
        )
    return key


def _listed(document: Document) -> Header:
    """A header whose id is that of its key: else another conversation would be shown under its name."""
    header = read_header(document)
    if document["_id"] != header.scope.key:
        raise CorruptTreeError(
            problem="the key of a header does not follow from its ids",
            conversation_id=header.scope.conversation_id,
        )
    return header
