"""The OpenAI Agents SDK's session in MongoDB: a list of items."""

from __future__ import annotations

import importlib.metadata
from typing import Any

from pymongo import AsyncMongoClient

from scripts.peers.peer import package

__all__ = ["OpenAIAgents"]


class OpenAIAgents:
    name = "openai-agents session"
    remarks: tuple[str, ...] = ("fork copies the items", "regenerate takes the last item away for good")

    def __init__(self) -> None:
        self.version = importlib.metadata.version("openai-agents")

    async def open(self, uri: str, database: str) -> None:
        self._client = AsyncMongoClient[dict[str, Any]](uri)
        self._database = database
        self._make: Any = package("agents.extensions.memory.mongodb_session").MongoDBSession
        self._sessions: dict[str, Any] = {}

    async def turn(self, conversation: str, question: str, answer: str, key: str) -> None:
        # The question when it comes, the answer when it is there: two writes, as a back end has them.
        session = self._session(conversation)
        await session.add_items([{"role": "user", "content": question}])
        await session.add_items([{"role": "assistant", "content": answer}])

    async def load(self, conversation: str) -> list[str]:
        return [one["content"] for one in await self._session(conversation).get_items()]

    async def fork(self, conversation: str, turns: int) -> str:
        items = await self._session(conversation).get_items()
        await self._session(f"{conversation} fork").add_items(items[: 2 * turns])
        return f"{conversation} fork"

    async def regenerate(self, conversation: str, answer: str) -> None:
        session = self._session(conversation)
        await session.pop_item()
        await session.add_items([{"role": "assistant", "content": answer}])

    async def answers_kept(self, conversation: str) -> int:
        return 1

    async def close(self) -> None:
        await self._client.close()

    def _session(self, conversation: str) -> Any:
        if conversation not in self._sessions:
            self._sessions[conversation] = self._make(
                conversation, client=self._client, database=self._database
            )
        return self._sessions[conversation]
