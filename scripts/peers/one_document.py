"""A whole conversation in one document, read, changed and written back, as several chat applications keep it."""

from __future__ import annotations

from typing import Any

import pymongo
from pymongo import AsyncMongoClient, WriteConcern

__all__ = ["OneDocument"]


class OneDocument:
    name = "one document"
    version = f"pymongo {pymongo.version}"
    remarks: tuple[str, ...] = (
        "fork copies the document",
        "regenerate overwrites the answer",
        "writers overwrite each other",
    )

    async def open(self, uri: str, database: str) -> None:
        self._client = AsyncMongoClient[dict[str, Any]](uri)
        self._chats = self._client[database].get_collection(
            "chats", write_concern=WriteConcern(w="majority", j=True)
        )

    async def turn(self, conversation: str, question: str, answer: str, key: str) -> None:
        for role, text in (("user", question), ("assistant", answer)):
            messages = await self._messages(conversation)
            await self._save(conversation, [*messages, {"role": role, "content": text}])

    async def load(self, conversation: str) -> list[str]:
        return [one["content"] for one in await self._messages(conversation)]

    async def fork(self, conversation: str, turns: int) -> str:
        await self._save(f"{conversation} fork", (await self._messages(conversation))[: 2 * turns])
        return f"{conversation} fork"

    async def regenerate(self, conversation: str, answer: str) -> None:
        messages = await self._messages(conversation)
        await self._save(conversation, [*messages[:-1], {"role": "assistant", "content": answer}])

    async def answers_kept(self, conversation: str) -> int:
        return 1

    async def close(self) -> None:
        await self._client.close()

    async def _messages(self, conversation: str) -> list[dict[str, Any]]:
        found = await self._chats.find_one({"_id": conversation})
        return [] if found is None else found["messages"]

    async def _save(self, conversation: str, messages: list[dict[str, Any]]) -> None:
        await self._chats.replace_one({"_id": conversation}, {"messages": messages}, upsert=True)
