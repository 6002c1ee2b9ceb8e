"""A long work of many calls ends at the next of them, under both kinds of cancellation."""

import asyncio
from collections.abc import Awaitable, Callable

import anyio
import pytest

from convotree import ConversationStore, Message, ParsedConversation, ParsedRevision
from tests.conftest import Database
from tests.faults.scripted_driver import Acts, scripted_store

COUNT = 30


async def by_scope(work: Callable[[], Awaitable[object]], script: Acts) -> bool:
    with anyio.CancelScope() as scope:
        script.after = scope.cancel
        await work()
    return scope.cancelled_caught


async def by_task(work: Callable[[], Awaitable[object]], script: Acts) -> bool:
    async def body() -> None:
        await work()

    task = asyncio.ensure_future(body())
    script.after = lambda: bool(task.cancel())  # type: ignore[assignment]  # what it gives is not used
    await asyncio.wait([task])
    return task.cancelled()


async def open_cursors(database: Database) -> int:
    status = await database.command("serverStatus")
    return int(status.get("metrics", {}).get("cursor", {}).get("open", {}).get("total", 0))


Cancelled = Callable[[Callable[[], Awaitable[object]], Acts], Awaitable[bool]]


@pytest.mark.parametrize("cancelled", [by_scope, by_task])
async def test_an_import_stops_after_the_conversation_it_is_at(
    store: ConversationStore, database: Database, cancelled: Cancelled
) -> None:
    parsed = [
        ParsedConversation(id=f"c{number:02}", revisions=(ParsedRevision("q", None, Message.user("x")),))
        for number in range(COUNT)
    ]
    script = Acts(at=8)
    disturbed = scripted_store(database, script)
    assert await cancelled(lambda: disturbed.import_(parsed), script)
    stored = await store.list(limit=COUNT)
    assert 0 < len(stored) < 8
    for conversation in stored:
        assert await store.verify(conversation.id) == []
    report = await store.import_(parsed)
    assert all(one.failed is None for one in report)
    assert len(await store.list(limit=COUNT)) == COUNT


@pytest.mark.parametrize("cancelled", [by_scope, by_task])
async def test_verify_stops_after_the_call_it_is_at(
    store: ConversationStore, database: Database, cancelled: Cancelled
) -> None:
    conversation = await store.create()
    await store.extend(conversation.id, [Message.user("x")] * 1600)
    script = Acts(at=2)
    disturbed = scripted_store(database, script)
    open_before = await open_cursors(database)
    assert await cancelled(lambda: disturbed.verify(conversation.id), script)
    # The call it was at was the second; the third was not sent.
    assert script.count <= 3
    assert await open_cursors(database) == open_before
    assert await store.verify(conversation.id) == []
