"""Errors that a server may give at any command, by its own fail points: conflicts, killed cursors, taken keys."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from convotree import ConversationStore, CorruptTreeError, Message, UnavailableError
from tests.conftest import Client, Connect
from tests.faults.killable_engine import killable_engine
from tests.faults.operations import WRITES, Operation, assert_valid, snapshot, tree_of

WRITE_CONFLICT, CURSOR_KILLED = 112, 237


@pytest.fixture
async def failing(connect: Connect, tmp_path: Path) -> AsyncIterator[Client]:
    """A client of a server that can be told to fail."""
    with killable_engine(tmp_path, "--enable-test-commands") as engine:
        async with connect(engine.uri) as client:
            yield client


async def fail(client: Client, commands: list[str], code: int, *, after: int = 0) -> None:
    """The next command of these names fails with ``code``, without having done anything; or all ``after`` so many."""
    data: dict[str, Any] = {"failCommands": commands, "errorCode": code}
    mode = {"skip": after} if after else {"times": 1}
    await client.admin.command({"configureFailPoint": "failCommand", "mode": mode, "data": data})


async def send_until_done(store: ConversationStore, operation: Operation, name: str) -> int:
    """How often it had to be sent."""
    for attempt in range(1, 5):
        try:
            await operation.send(store, name)
        except UnavailableError:
            continue
        return attempt
    raise AssertionError(f"{operation} was not done")


@pytest.mark.parametrize("code", [WRITE_CONFLICT], ids=["write conflict"])
async def test_whatever_command_fails_the_write_is_done_once_after_a_repetition(
    failing: Client, code: int
) -> None:
    store = ConversationStore(failing["failing"])
    await store.setup()
    for operation in WRITES[1:9:3]:
        calm = f"{operation} calm"
        await store.import_([tree_of(calm)])
        await operation.send(store, calm)
        expected = await snapshot(store, operation.target(calm))
        for command in ("aggregate", "find", "insert", "update"):
            name = f"{operation} {command}"
            await store.import_([tree_of(name)])
            await fail(failing, [command], code)
            await send_until_done(store, operation, name)
            await failing.admin.command({"configureFailPoint": "failCommand", "mode": "off"})
            assert await snapshot(store, operation.target(name)) == expected, name
            await assert_valid(store, operation.target(name))


async def test_a_cursor_that_is_killed_in_the_middle_of_a_path_is_told(failing: Client) -> None:
    store = ConversationStore(failing["failing"])
    await store.setup()
    await store.create("long")
    await store.extend("long", [Message.user("x" * 500_000) for _ in range(150)])
    await fail(failing, ["getMore"], CURSOR_KILLED)
    with pytest.raises(UnavailableError) as caught:
        await store.path("long")
    assert caught.value.code == CURSOR_KILLED
    assert len(await store.path("long")) == 150
    await fail(failing, ["getMore"], CURSOR_KILLED, after=3)
    given: list[str] = []

    async def take() -> None:
        async for revision in store.stream_path("long"):
            given.append(revision.id)

    with pytest.raises(UnavailableError):
        await take()
    assert 0 < len(given) < 150


async def test_a_duplicate_at_the_decisive_moment_is_looked_at(failing: Client) -> None:
    store = ConversationStore(failing["failing"])
    await store.setup()
    await store.import_([tree_of("talk")])
    # The server says that a key is taken, and nobody has it: twice in a row is more than a race.
    await fail(failing, ["insert"], 11000)
    try:
        await store.append("talk", Message.user("new"), revision_id="n1")
    except (UnavailableError, CorruptTreeError):
        await store.append("talk", Message.user("new"), revision_id="n1")
    assert [one.id for one in await store.path("talk", last=1)] == ["n1"]
    await assert_valid(store, "talk")
