"""LangChain's chat history in MongoDB: one document for each message, found by session."""

from __future__ import annotations

import asyncio
import importlib.metadata
from typing import Any

from scripts.peers.peer import package

__all__ = ["LangChain"]


class LangChain:
    name = "langchain-mongodb history"
    remarks: tuple[str, ...] = (
        "blocking; called in threads",
        "fork copies the messages",
        "no call takes an answer away: regenerate clears the history and writes it anew",
    )

    def __init__(self) -> None:
        self.version = importlib.metadata.version("langchain-mongodb")

    async def open(self, uri: str, database: str) -> None:
        self._uri, self._database = uri, database
        self._make: Any = package("langchain_mongodb").MongoDBChatMessageHistory
        self._messages: Any = package("langchain_core.messages")
        self._histories: dict[str, Any] = {}

    async def turn(self, conversation: str, question: str, answer: str, key: str) -> None:
        await self._add(conversation, self._messages.HumanMessage(question))
        await self._add(conversation, self._messages.AIMessage(answer))

    async def load(self, conversation: str) -> list[str]:
        return [one.content for one in await self._read(conversation)]

    async def fork(self, conversation: str, turns: int) -> str:
        for one in (await self._read(conversation))[: 2 * turns]:
            await self._add(f"{conversation} fork", one)
        return f"{conversation} fork"

    async def regenerate(self, conversation: str, answer: str) -> None:
        messages = await self._read(conversation)
        await asyncio.to_thread(self._history(conversation).clear)
        for one in [*messages[:-1], self._messages.AIMessage(answer)]:
            await self._add(conversation, one)

    async def answers_kept(self, conversation: str) -> int:
        return 1

    async def close(self) -> None:
        for history in self._histories.values():
            history.close()

    async def _add(self, conversation: str, message: Any) -> None:
        await asyncio.to_thread(self._history(conversation).add_message, message)

    async def _read(self, conversation: str) -> list[Any]:
        def read() -> list[Any]:
            return list(self._history(conversation).messages)

        return await asyncio.to_thread(read)

    def _history(self, conversation: str) -> Any:
        if conversation not in self._histories:
            self._histories[conversation] = self._make(
                connection_string=self._uri, session_id=conversation, database_name=self._database
            )
        return self._histories[conversation]
