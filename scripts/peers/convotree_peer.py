"""This library."""

from __future__ import annotations

from typing import Any

from pymongo import AsyncMongoClient

import convotree
from convotree import ConversationStore, Message

__all__ = ["Convotree"]


class Convotree:
    name = "convotree"
    version = str(getattr(convotree, "__version__", "this tree"))
    remarks: tuple[str, ...] = ()

    async def open(self, uri: str, database: str) -> None:
        self._client = AsyncMongoClient[dict[str, Any]](uri)
        self._store = ConversationStore(self._client[database])
        await self._store.setup()
        self._known: set[str] = set()

    async def turn(self, conversation: str, question: str, answer: str, key: str) -> None:
        if conversation not in self._known:
            await self._store.create(conversation)
            self._known.add(conversation)
        await self._store.append(conversation, Message.user(question), revision_id=f"{key} q")
        await self._store.append(conversation, Message.assistant(answer), revision_id=f"{key} a")

    async def load(self, conversation: str) -> list[str]:
        if not conversation.startswith("crowd"):
            return [one.message.text for one in await self._store.path(conversation)]
        # Of a crowd every branch counts: all are there, on whichever path.
        tree = await self._store.tree(conversation)
        seen: dict[str, str] = {}
        for leaf in tree.leaves:
            for one in await self._store.path(conversation, leaf_id=leaf.id):
                seen[one.id] = one.message.text
        return list(seen.values())

    async def fork(self, conversation: str, turns: int) -> str:
        path = await self._store.path(conversation)
        # A branch is a branch: nothing is copied, the pointer moves.
        await self._store.select(conversation, path[2 * turns - 1].id, descend=False)
        return conversation

    async def regenerate(self, conversation: str, answer: str) -> None:
        (last,) = await self._store.path(conversation, last=1)
        await self._store.regenerate(conversation, last.id, Message.assistant(answer))

    async def answers_kept(self, conversation: str) -> int:
        (last,) = await self._store.path(conversation, last=1)
        return (await self._store.siblings(conversation, last.id, limit=1)).count

    async def close(self) -> None:
        await self._client.close()
