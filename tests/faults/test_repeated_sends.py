"""Fault scenarios B28, B31 and B35: prompts sent twice, answers that break off, and reads that fail."""

import asyncio
import json
import subprocess
import sys
from contextlib import suppress
from typing import Any

import pytest

from convotree import (
    Conversation,
    ConversationNotFoundError,
    ConversationStore,
    Message,
    Outcome,
    Revision,
    RevisionMismatchError,
    Settings,
    StreamedAnswer,
    UnavailableError,
    VersionConflictError,
)
from tests.conftest import REPOSITORY, Connect, Database
from tests.faults.wire_proxy import wire_proxy

CHUNKS = [
    json.dumps(
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}]}
    )
    for text in ("One", " two", " three", " four", " five")
]


async def test_b28_one_key_is_one_revision_however_often_it_is_sent(store: ConversationStore) -> None:
    await store.create("talk")
    prompt = Message.user("once")
    stored = await asyncio.gather(*(store.append("talk", prompt, revision_id="key") for _ in range(10)))
    assert {one.id for one in stored} == {"key"}
    assert (await store.append("talk", prompt, revision_id="key")).id == "key"
    with pytest.raises(RevisionMismatchError):
        await store.append("talk", Message.user("something else"), revision_id="key")
    assert len(await store.tree("talk")) == 1
    assert await store.verify("talk") == []


async def test_b28_a_timeout_that_landed_is_no_second_prompt(
    connect: Connect, database: Database, server_uri: str
) -> None:
    with wire_proxy(server_uri) as (proxy, through):
        async with connect(through) as client:
            store = ConversationStore(client[database.name])
            await store.setup()
            await store.create("talk")
            proxy.lose_answer_to("insert", "insert")  # that of the driver's own repetition too
            with suppress(UnavailableError):
                await store.append("talk", Message.user("once"), revision_id="key")
            await store.append("talk", Message.user("once"), revision_id="key")
            assert [one.id for one in await store.tree("talk")] == ["key"]
            assert proxy.lost[0] == "insert"


async def kept(store: ConversationStore, stream: StreamedAnswer) -> Revision:
    return await store.append("talk", stream.message(), generation=stream.generation(), revision_id="answer")


async def test_b31_a_stopped_answer_is_kept_as_what_it_is(store: ConversationStore) -> None:
    await store.create("talk")
    await store.append("talk", Message.user("count"), revision_id="prompt")
    stream = StreamedAnswer("openai-chat")
    arrived = asyncio.Event()

    async def answer() -> None:
        try:
            for chunk in CHUNKS:
                stream.add(chunk)
                arrived.set()
                await asyncio.sleep(0)
            await asyncio.Event().wait()  # the model goes on thinking
        finally:
            await kept(store, stream)

    task = asyncio.ensure_future(answer())
    await arrived.wait()
    await asyncio.sleep(0.05)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    path = await store.path("talk")
    assert [one.id for one in path] == ["prompt", "answer"]
    assert path[1].message.text == "One two three four five"
    assert path[1].message.outcome is Outcome.ABORTED
    assert await store.verify("talk") == []


async def test_b31_a_database_that_is_gone_once_costs_a_repetition_only(
    connect: Connect, database: Database, server_uri: str
) -> None:
    with wire_proxy(server_uri) as (proxy, through):
        async with connect(through) as client:
            store = ConversationStore(client[database.name])
            await store.setup()
            await store.create("talk")
            await store.append("talk", Message.user("count"))
            stream = StreamedAnswer("openai-chat")
            for chunk in CHUNKS[:3]:
                stream.add(chunk)
            proxy.lose_answer_to("insert", "insert")
            with suppress(UnavailableError):
                await kept(store, stream)
            answer = await kept(store, stream)
            assert (answer.message.text, answer.message.outcome) == ("One two three", Outcome.ABORTED)
            assert len(await store.path("talk")) == 2


STREAMING = """
import asyncio, sys
from convotree import ConversationStore, Message
from motor.motor_asyncio import AsyncIOMotorClient
from pymongo import AsyncMongoClient

async def main(driver, uri, database):
    client = (AsyncMongoClient if driver == "pymongo" else AsyncIOMotorClient)(uri)
    store = ConversationStore(client[database])
    await store.append("talk", Message.user("count"), revision_id="prompt")
    print("prompt", flush=True)
    await asyncio.Event().wait()

asyncio.run(main(*sys.argv[1:]))
"""


async def test_b31_a_killed_process_leaves_the_prompt_and_no_half_made_answer(
    store: ConversationStore, database: Database, server_uri: str, driver: str
) -> None:
    await store.create("talk")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        STREAMING,
        *(driver, server_uri, database.name),
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"prompt\n"
    process.kill()
    await process.wait()
    conversation = await store.get("talk")
    assert conversation.selected_leaf_id == "prompt"
    assert [one.id for one in await store.path("talk")] == ["prompt"]
    assert await store.verify("talk") == []


async def test_b35_a_read_that_fails_is_never_an_empty_tree(
    connect: Connect, database: Database, store: ConversationStore, server_uri: str
) -> None:
    await store.create("talk")
    await store.append("talk", Message.user("q"))
    reads: list[Any] = [store.get, store.path, store.tree, store.replay]
    for read in reads:
        with pytest.raises(ConversationNotFoundError):
            await getattr(store.for_tenant("another"), read.__name__)("talk")
    with wire_proxy(server_uri) as (proxy, through):
        async with connect(through, serverSelectionTimeoutMS=500) as client:
            settings = Settings(operation_timeout_ms=1000)
            broken = ConversationStore(client[database.name], settings=settings)
            await broken.get("talk")
            for name in ("path", "tree", "replay"):
                # The driver repeats a read until the deadline.
                proxy.lose_answer_to(*(["aggregate", "find"] * 10_000))
                with pytest.raises(UnavailableError):
                    await getattr(broken, name)("talk")


async def test_b35_a_stale_header_is_not_saved_over_the_good_one(store: ConversationStore) -> None:
    conversation: Conversation = await store.create("talk", title="first")
    await store.update("talk", title="second", expected_version=conversation.version)
    with pytest.raises(VersionConflictError):
        await store.update("talk", title="third", expected_version=conversation.version)
    assert (await store.get("talk")).title == "second"
