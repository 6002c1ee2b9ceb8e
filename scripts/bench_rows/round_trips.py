"""Round trips of each public method, counted by a command listener."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable

from convotree import ExactJson, Message, ParsedConversation, ParsedRevision, PromptChoice, ToolCallPart
from scripts.bench_rows.bench import Bench
from scripts.bench_rows.growing import message
from scripts.bench_rows.row import Row, Unit

GROUP = "Round trips"
TOOLS = [{"name": "clock", "input_schema": {"type": "object"}}]


async def measure(bench: Bench) -> AsyncIterator[Row]:
    store = bench.counted

    async def counted(name: str, call: Awaitable[object], aim: float | None = None) -> Row:
        return Row(GROUP, name, await _count(bench, call), Unit.ROUND_TRIPS, aim=aim)

    yield await counted("setup, on a database that is set up", store.setup())
    yield await counted("create", store.create("trips"))
    yield await counted(
        "create with system prompt and tools", store.create("trips-2", system="Be brief.", tools=TOOLS)
    )
    yield await counted("get", store.get("trips"), 1)
    yield await counted("update of the title", store.update("trips", title="Trips"))
    yield await counted("update of metadata", store.update("trips", metadata={"a": 1}))
    yield await counted("list", store.list(), 1)
    yield await counted("append of a root", store.append("trips", message(0), revision_id="q"), 3)
    yield await counted("append to a leaf", store.append("trips", message(1), revision_id="a"), 3)
    call = Message.assistant([ToolCallPart("call", "clock", ExactJson("{}"))])
    called = await store.append("trips-2", call, parent_id=None)
    result = Message.tool_result("call", "noon")
    yield await counted("append of a tool result", store.append("trips-2", result, parent_id=called.id), 3)
    yield await counted(
        "append below a parent that has one child",
        store.append("trips", message(1), parent_id="q", revision_id="other"),
        6,
    )
    yield await counted(
        "append below a parent that has two", store.append("trips", message(1), parent_id="q"), 6
    )
    yield await counted("append again, by the same id", store.append("trips", message(1), revision_id="a"))
    yield await counted("extend by 20", store.extend("trips", [message(n) for n in range(20)]), 3)
    yield await counted("regenerate", store.regenerate("trips-2", called.id, message(1)), 6)
    yield await counted("regenerate again", store.regenerate("trips-2", called.id, message(1)), 6)
    yield await counted("edit", store.edit("trips", "q", message(0)), 6)
    yield await counted("edit again", store.edit("trips", "q", message(0)), 6)
    yield await counted("select of a leaf", store.select("trips", "other"), 2)
    yield await counted("select of an inner revision", store.select("trips", "q"), 4)
    yield await counted("path", store.path("trips"), 1)
    yield await counted("path, the last 2", store.path("trips", last=2), 1)
    yield await counted("path before a revision", store.path("trips", before="a"), 1)
    yield await counted("replay", store.replay("trips-2"), 1)
    yield await counted(
        "replay with the prompt of the answer", store.replay("trips", prompt=PromptChoice.GENERATED), 1
    )
    yield await counted("siblings", store.siblings("trips", "a"), 1)
    yield await counted("tree", store.tree("trips"), 2)
    yield await counted("verify", store.verify("trips"))
    yield await counted("import of a conversation of 20", store.import_([_parsed(20)]))


async def _count(bench: Bench, call: Awaitable[object]) -> int:
    bench.round_trips.names.clear()
    await call
    return bench.round_trips.names.total()


def _parsed(length: int) -> ParsedConversation:
    ids = [f"r{number}" for number in range(length)]
    parents = [None, *ids[:-1]]
    revisions = [
        ParsedRevision(one, parent, message(number))
        for number, (one, parent) in enumerate(zip(ids, parents, strict=True))
    ]
    return ParsedConversation("imported", tuple(revisions), selected_leaf_id=ids[-1])
