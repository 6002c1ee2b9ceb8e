"""Connections that break on the wire: one repetition makes it good, and nothing is done twice.

Broken before the server acts (its own fail point), and after it acted (a proxy that loses the answer).
"""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from pymongo.errors import OperationFailure
from pymongo.monitoring import CommandFailedEvent

from convotree import ConversationStore, Message, UnavailableError
from tests.command_log import CommandLog
from tests.conftest import Client, Connect, Database
from tests.faults.operations import WRITES, snapshot, tree_of
from tests.faults.test_interrupted_writes import undisturbed
from tests.faults.wire_proxy import WireProxy, wire_proxy

BY_NAME = {write.name: write for write in WRITES}
# Each command that a write or read consists of, and one that sends it.
BROKEN = [
    ("append", "insert"),
    ("append", "update"),
    ("regenerate", "aggregate"),
    ("regenerate", "update"),
    ("select a leaf", "update"),
    ("update all", "find"),
    ("import", "insert"),
]
LOST = [
    ("create", "insert"),
    ("append", "insert"),
    ("append", "update"),
    ("extend beside a child", "insert"),
    ("regenerate", "update"),
    ("select a leaf", "update"),
    ("update all", "update"),
]


class FailureLog(CommandLog):
    """Also the names of the commands that failed, so that a test knows that something did."""

    def __init__(self) -> None:
        super().__init__()
        self.failures: list[str] = []

    def failed(self, event: CommandFailedEvent) -> None:
        self.failures.append(event.command_name)


@pytest.fixture
def commands() -> FailureLog:
    return FailureLog()


@pytest.mark.parametrize(("name", "command"), BROKEN)
async def test_a_request_that_the_server_never_saw_is_sent_again(
    store: ConversationStore, client: Client, commands: FailureLog, name: str, command: str
) -> None:
    write = BY_NAME[name]
    wanted = await undisturbed(store, write)
    await store.import_([tree_of("talk")])
    commands.failures.clear()
    await close_connection_on(client, command)
    await write.send(store, "talk")
    assert commands.failures == [command]
    assert await snapshot(store, write.target("talk")) == wanted
    assert await store.verify(write.target("talk")) == []


async def test_a_connection_that_breaks_twice_is_told_and_the_call_can_be_repeated(
    store: ConversationStore, client: Client
) -> None:
    await store.import_([tree_of("talk")])
    await close_connection_on(client, "insert", times=2)
    with pytest.raises(UnavailableError) as caught:
        await store.append("talk", Message.user("new"), revision_id="n1")
    assert isinstance(caught.value.__cause__, Exception)
    stored = await store.append("talk", Message.user("new"), revision_id="n1")
    assert stored.selected
    assert await store.verify("talk") == []


async def test_a_streamed_read_that_breaks_is_told_and_never_taken_for_the_end(
    store: ConversationStore, client: Client
) -> None:
    conversation = await store.create()
    await store.extend(conversation.id, [Message.user("text")] * 1100)
    await close_connection_on(client, "getMore")
    with pytest.raises(UnavailableError):
        await store.verify(conversation.id)
    assert await store.verify(conversation.id) == []


@pytest.mark.parametrize(("name", "command"), LOST)
async def test_an_answer_that_was_lost_is_asked_for_again_and_nothing_doubles(
    store: ConversationStore,
    database: Database,
    through_proxy: tuple[WireProxy, Client],
    name: str,
    command: str,
) -> None:
    proxy, client = through_proxy
    write = BY_NAME[name]
    wanted = await undisturbed(store, write)
    await store.import_([tree_of("talk")])
    before = await store.get("talk")
    behind = ConversationStore(client[database.name])
    await behind.get("talk")
    proxy.lose_answer_to(command)
    await write.send(behind, "talk")
    assert proxy.lost == [command]
    assert await snapshot(store, write.target("talk")) == wanted
    assert await store.verify(write.target("talk")) == []
    if name in ("append", "select a leaf"):
        assert (await store.get("talk")).version == before.version + 1


@pytest.fixture
async def through_proxy(connect: Connect, server_uri: str) -> AsyncIterator[tuple[WireProxy, Client]]:
    with wire_proxy(server_uri) as (proxy, uri):
        async with connect(uri) as client:
            yield proxy, client


async def close_connection_on(client: Client, command: str, *, times: int = 1) -> None:
    """The server closes the connection at the next such command, before it looks at it."""
    data: dict[str, Any] = {"failCommands": [command], "closeConnection": True}
    try:
        await client.admin.command("configureFailPoint", "failCommand", mode={"times": times}, data=data)
    except OperationFailure as error:
        pytest.skip(f"the server has no fail points: {error}")
