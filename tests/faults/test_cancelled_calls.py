"""Calls cancelled at each of their awaits: a write is done to its end, a read stops, and everything goes on working."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import count
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from convotree import ConversationStore
from tests.conftest import Database
from tests.faults.operations import READS, WRITES, Operation, snapshot
from tests.faults.scripted_driver import Acts, scripted_store
from tests.faults.test_interrupted_writes import begin, told, undisturbed

Cancel = Callable[[], None]
MOMENTS = ["before", "during", "after"]


class Task:
    """The call runs in a task of its own, which is cancelled as asyncio does it: once."""

    def __init__(self) -> None:
        self._task: asyncio.Task[Any] | None = None

    def cancel(self) -> None:
        assert self._task is not None
        self._task.cancel()

    async def run(self, work: Callable[[], Awaitable[Any]]) -> bool:
        """Whether the cancellation came through."""

        async def body() -> None:
            await work()
            await anyio.lowlevel.checkpoint()  # cancelled behind its last await, it is told at the next

        self._task = asyncio.ensure_future(body())
        try:
            await self._task
        except asyncio.CancelledError:
            return True
        return False


class Scope:
    """The call runs inside a cancel scope of anyio, which cancels again at each await, as Starlette does it."""

    def __init__(self) -> None:
        self._scope = anyio.CancelScope()

    def cancel(self) -> None:
        self._scope.cancel()

    async def run(self, work: Callable[[], Awaitable[Any]]) -> bool:
        """Whether the cancellation came through."""
        with self._scope:
            await work()
            await anyio.lowlevel.checkpoint()
        return self._scope.cancelled_caught


@pytest.mark.parametrize(("driver", "caller"), [("pymongo", Task), ("pymongo", Scope), ("motor", Scope)])
async def test_a_write_cancelled_at_any_call_is_done_and_the_cancellation_is_told(
    store: ConversationStore, database: Database, caller: type[Task] | type[Scope]
) -> None:
    for index, write in enumerate(WRITES):
        wanted = await undisturbed(store, write)
        for at in count(1):
            conversation_id = await begin(store)
            moment = MOMENTS[(index + at) % len(MOMENTS)]  # all three at all calls would take a minute
            with told(write, at):
                reached, cancelled = await cancel_at(write, at, moment, caller(), database, conversation_id)
                assert cancelled == reached
                assert await snapshot(store, write.target(conversation_id)) == wanted
                assert await store.verify(write.target(conversation_id)) == []
                if not reached:
                    break


@pytest.mark.parametrize("caller", [Task, Scope])
@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_read_cancelled_at_any_call_stops_and_the_next_one_works(
    store: ConversationStore, database: Database, caller: type[Task] | type[Scope], moment: str
) -> None:
    conversation_id = await begin(store)
    for read in READS:
        wanted = await read.send(store, conversation_id)
        for at in count(1):
            with told(read, at):
                reached, cancelled = await cancel_at(read, at, moment, caller(), database, conversation_id)
                assert cancelled == reached
                assert await read.send(store, conversation_id) == wanted
            if not reached:
                break


def _soon(loop: asyncio.AbstractEventLoop, caller: Task | Scope) -> None:
    loop.call_soon(caller.cancel)  # when the call has been sent


async def cancel_at(
    operation: Operation,
    at: int,
    moment: str,
    caller: Task | Scope,
    database: Database,
    conversation_id: str,
) -> tuple[bool, bool]:
    """Run it, cancelling at its call number ``at``: whether it came so far, and whether it was told."""
    loop = asyncio.get_running_loop()
    script = Acts(at)
    if moment == "before":
        script.before = caller.cancel
    elif moment == "during":
        script.before = partial(_soon, loop, caller)
    else:
        script.after = caller.cancel
    scripted = scripted_store(database, script)
    cancelled = await caller.run(lambda: operation.send(scripted, conversation_id))
    return script.was_reached, cancelled
