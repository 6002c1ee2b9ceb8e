"""Large messages come back whole; what is too large is refused with its size, before anything is written."""

import pytest

from convotree import (
    Check,
    ContentTooLargeError,
    ConversationStore,
    ExactJson,
    GenerationRecord,
    InvalidRequestError,
    Message,
    TextPart,
    ToolCallPart,
)
from tests.conftest import Database

MB = 1_000_000
MIB = 1024 * 1024


async def counts(database: Database) -> dict[str, int]:
    names = await database.list_collection_names()
    return {name: await database[name].count_documents({}) for name in sorted(names)}


async def test_a_message_of_14_mb_comes_back(store: ConversationStore) -> None:
    text = "ä\x00" * (14 * MB // 8)  # eight bytes a pair, as JSON
    message = Message.user(text)
    conversation = await store.create()
    await store.append(conversation.id, Message.user("before"))
    await store.append(conversation.id, message)
    path = await store.path(conversation.id)
    assert [one.message.text for one in path] == ["before", text]
    assert (await store.replay(conversation.id, last=1)).messages == (message,)
    assert await store.verify(conversation.id) == []


async def test_the_largest_message_that_is_taken_can_be_read_in_every_way(store: ConversationStore) -> None:
    # The limit counts what the stored form adds to each part, so the reading side never meets a larger document.
    conversation = await store.create()
    message = Message.user([TextPart("x" * 100)] * 83_000)
    try:
        stored = await store.append(conversation.id, message)
    except ContentTooLargeError as error:
        pytest.fail(f"the limit has changed: {error.size} of {error.limit}")
    assert len((await store.path(conversation.id))[0].message.parts) == 83_000
    assert (await store.siblings(conversation.id, stored.id)).count == 1
    assert await store.verify(conversation.id) == []
    with pytest.raises(ContentTooLargeError):
        await store.append(conversation.id, Message.user([TextPart("x" * 100)] * 84_000))


TOO_LARGE = {
    "one text": [Message.user("x" * 16 * MB)],
    "the last of a chain": [Message.user("small"), Message.user("small"), Message.user("x" * 16 * MB)],
    "very many parts": [Message.user([TextPart("")] * 200_000)],
    "the id of a tool call": [Message.assistant([ToolCallPart("x" * 8 * MB, "f", ExactJson("{}"))])],
    "who answered": [Message.assistant("x", model="x" * 16 * MB)],
}


@pytest.mark.parametrize("messages", TOO_LARGE.values(), ids=TOO_LARGE.keys())
async def test_16_mb_are_refused_before_anything_is_written(
    store: ConversationStore, database: Database, messages: list[Message]
) -> None:
    conversation = await store.create()
    before = await counts(database)
    with pytest.raises(ContentTooLargeError) as caught:
        await store.extend(conversation.id, messages, check=Check.RECORD)
    assert caught.value.size > caught.value.limit == 15 * MIB
    assert await counts(database) == before
    assert (await store.get(conversation.id)).selected_leaf_id is None


async def test_prompts_tools_metadata_titles_and_records_have_limits_of_their_own(
    store: ConversationStore, database: Database
) -> None:
    before = await counts(database)
    large = {"x": "x" * (6 * MIB)}
    for arguments in (
        {"system": "x" * (6 * MIB)},
        {"tools": [{"name": "f", "input_schema": large}]},
        {"metadata": {"x": "x" * MIB}},
        {"title": "x" * (16 * 1024 + 1)},
    ):
        with pytest.raises(ContentTooLargeError):
            await store.create(**arguments)
    assert await counts(database) == before
    conversation = await store.create()
    with pytest.raises(ContentTooLargeError):
        await store.append(
            conversation.id,
            Message.assistant("x"),
            generation=GenerationRecord(params=ExactJson.of({"x": "x" * 256 * 1024})),
        )
    assert await store.path(conversation.id) == []


async def test_the_largest_prompt_and_tools_are_replayed_together(store: ConversationStore) -> None:
    system = "x" * (6 * MIB - 2)
    schema = ExactJson.of({"x": "x" * (6 * MIB - 100)})
    conversation = await store.create(system=system, tools=[{"name": "f", "input_schema": schema}])
    await store.append(conversation.id, Message.user("x"))
    request = await store.replay(conversation.id)
    assert request.system == system
    assert request.tools[0].input_schema == schema


@pytest.mark.parametrize("count", [4096])
async def test_as_many_open_calls_as_a_path_may_hold_stay_readable(
    store: ConversationStore, count: int
) -> None:
    # Long ids are remembered by their hash: what a header or a leaf carries of them is bounded.
    ids = [f"{at:04d}{'x' * 200}" for at in range(count)]
    calls = Message.assistant([ToolCallPart(one, "f", ExactJson("{}")) for one in ids])
    conversation = await store.create()
    first = await store.append(conversation.id, calls)
    for _ in range(4):
        await store.append(conversation.id, Message.user("x"), parent_id=first.id)
    for leaf in (await store.tree(conversation.id)).leaves:
        await store.select(conversation.id, leaf.id)
    await store.select(conversation.id, first.id)
    answered = await store.append(conversation.id, Message.tool_result(ids[17], "done"))
    assert answered.message.tool_results[0].tool_call_id == ids[17]
    with pytest.raises(InvalidRequestError):
        await store.append(conversation.id, Message.assistant([ToolCallPart(ids[18], "f", ExactJson("{}"))]))
    assert await store.verify(conversation.id) == []
