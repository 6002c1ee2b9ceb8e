"""Hundreds of calls cancelled in flight leave the pool whole: every connection comes back and can be used."""

import asyncio
from random import Random
from typing import Any

import pytest
from pymongo.monitoring import (
    ConnectionCheckedInEvent,
    ConnectionCheckedOutEvent,
    ConnectionCheckOutFailedEvent,
    ConnectionCheckOutStartedEvent,
    ConnectionClosedEvent,
    ConnectionCreatedEvent,
    ConnectionPoolListener,
    ConnectionReadyEvent,
    PoolClearedEvent,
    PoolClosedEvent,
    PoolCreatedEvent,
    PoolReadyEvent,
)

from convotree import ConversationStore, Message
from tests.command_log import CommandLog
from tests.conftest import Connect
from tests.faults.operations import tree_of
from tests.faults.test_cancelled_calls import Scope, Task

POOL = 4
CANCELLED = 320
TOGETHER = 20


class PoolLog(CommandLog, ConnectionPoolListener):
    """How many connections are in use, and were at once at most."""

    def __init__(self) -> None:
        super().__init__()
        self.in_use = 0
        self.most = 0

    def connection_checked_out(self, event: ConnectionCheckedOutEvent) -> None:
        self.in_use += 1
        self.most = max(self.most, self.in_use)

    def connection_checked_in(self, event: ConnectionCheckedInEvent) -> None:
        self.in_use -= 1

    # The interface wants all of them.
    def pool_created(self, event: PoolCreatedEvent) -> None: ...
    def pool_ready(self, event: PoolReadyEvent) -> None: ...
    def pool_cleared(self, event: PoolClearedEvent) -> None: ...
    def pool_closed(self, event: PoolClosedEvent) -> None: ...
    def connection_created(self, event: ConnectionCreatedEvent) -> None: ...
    def connection_ready(self, event: ConnectionReadyEvent) -> None: ...
    def connection_closed(self, event: ConnectionClosedEvent) -> None: ...
    def connection_check_out_started(self, event: ConnectionCheckOutStartedEvent) -> None: ...
    def connection_check_out_failed(self, event: ConnectionCheckOutFailedEvent) -> None: ...


@pytest.fixture
def commands() -> PoolLog:
    return PoolLog()


@pytest.mark.parametrize("caller", [Task, Scope])
async def test_the_pool_is_whole_after_hundreds_of_cancelled_calls(
    connect: Connect, commands: PoolLog, caller: type[Task] | type[Scope]
) -> None:
    chance = Random(7)
    async with connect(maxPoolSize=POOL, waitQueueTimeoutMS=60_000) as client:
        database = client[f"convotree_test_pool_{id(commands):x}"]
        store = ConversationStore(database)
        await store.setup()
        await store.import_([tree_of("talk")])

        async def one(number: int) -> bool:
            cancelled = caller()

            async def work() -> Any:
                if number % 2:
                    return await store.replay("talk")
                return await store.append("talk", Message.user("x"), revision_id=f"n{number}", parent_id="a2")

            running = asyncio.ensure_future(cancelled.run(work))
            # Anywhere between waiting for a connection and the answer: by rounds of the loop, and by time.
            for _ in range(chance.randrange(1, 100)):
                await asyncio.sleep(0)
            if number % 3 == 0:
                await asyncio.sleep(chance.uniform(0, 0.02))
            cancelled.cancel()
            return await running

        told = 0
        for start in range(0, CANCELLED, TOGETHER):
            told += sum(await asyncio.gather(*map(one, range(start, start + TOGETHER))))
        assert told > CANCELLED // 4  # else they were cancelled too late to matter

        commands.most = 0
        await asyncio.gather(*(store.replay("talk") for _ in range(3 * POOL)))
        assert commands.in_use == 0
        assert commands.most == POOL

        # What was begun was done: each append is there, once.
        tree = await store.tree("talk")
        begun = {one.id for one in tree if one.id.startswith("n")}
        assert begun <= {f"n{number}" for number in range(0, CANCELLED, 2)}
        assert await store.verify("talk") == []
        await client.drop_database(database.name)
