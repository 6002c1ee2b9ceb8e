"""LangGraph with its MongoDB checkpointer, whose threads are checkpoints of the whole state."""

from __future__ import annotations

import importlib.metadata
from typing import Any

from scripts.peers.peer import package

__all__ = ["LangGraph"]


class LangGraph:
    remarks: tuple[str, ...] = ("fork and regenerate go on from an older checkpoint of the same thread",)

    def __init__(self, durability: str) -> None:
        self.name = f"langgraph, durability {durability}"
        self._durability = durability
        versions = (importlib.metadata.version(one) for one in ("langgraph", "langgraph-checkpoint-mongodb"))
        self.version = " / ".join(versions)
        self._answer = ""

    async def open(self, uri: str, database: str) -> None:
        graph: Any = package("langgraph.graph")
        self._messages: Any = package("langchain_core.messages")
        self._client = package("pymongo").MongoClient(uri)
        saver = package("langgraph.checkpoint.mongodb").MongoDBSaver(self._client, database)
        builder = graph.StateGraph(graph.MessagesState)
        # The node stands for the model: it gives the answer that the last question carries.
        builder.add_node("model", lambda state: {"messages": [self._answer_to(state["messages"])]})
        builder.add_edge(graph.START, "model")
        self._graph: Any = builder.compile(checkpointer=saver)
        self._configs: dict[str, dict[str, Any]] = {}

    async def turn(self, conversation: str, question: str, answer: str, key: str) -> None:
        asked = self._messages.HumanMessage(
            question, id=f"{key} q", additional_kwargs={"answer": answer, "key": key}
        )
        await self._invoke(conversation, {"messages": [asked]})

    async def load(self, conversation: str) -> list[str]:
        state = await self._graph.aget_state(self._config(conversation))
        return [one.content for one in state.values.get("messages", [])]

    async def fork(self, conversation: str, turns: int) -> str:
        async for state in self._graph.aget_state_history({"configurable": {"thread_id": conversation}}):
            if len(state.values.get("messages", [])) == 2 * turns and not state.next:
                self._configs[conversation] = state.config
                return conversation
        raise LookupError("there is no such checkpoint")

    async def regenerate(self, conversation: str, answer: str) -> None:
        self._answer = answer
        async for state in self._graph.aget_state_history({"configurable": {"thread_id": conversation}}):
            if state.next == ("model",):
                await self._graph.ainvoke(None, state.config, durability=self._durability)
                break
        self._answer = ""

    async def answers_kept(self, conversation: str) -> int:
        texts = set()
        async for state in self._graph.aget_state_history({"configurable": {"thread_id": conversation}}):
            messages = state.values.get("messages", [])
            if messages and messages[-1].type == "ai" and "again" in messages[-1].content:
                texts.add(messages[-1].content)
        return len(texts) + 1

    async def close(self) -> None:
        self._client.close()

    def _config(self, conversation: str) -> dict[str, Any]:
        return self._configs.get(conversation, {"configurable": {"thread_id": conversation}})

    async def _invoke(self, conversation: str, given: object) -> None:
        await self._graph.ainvoke(given, self._config(conversation), durability=self._durability)
        self._configs.pop(conversation, None)

    def _answer_to(self, messages: Any) -> Any:
        asked = messages[-1]
        text = self._answer or asked.additional_kwargs.get("answer", "")
        return self._messages.AIMessage(text, id=None if self._answer else f"{asked.id} a")
