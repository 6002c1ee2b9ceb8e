"""Fault scenarios B46 and B48: keys with dollars and dots, and NUL, in everything a caller may put anywhere."""

import pytest

from convotree import (
    ConversationStore,
    ExactJson,
    GenerationRecord,
    InvalidArgumentError,
    InvalidIdError,
    Message,
    TextPart,
    Tool,
    ToolCallPart,
)
from tests.conftest import Database

DOLLARS = ExactJson.parse('{"$schema":"x","a.b":{"$gt":1},"":0,"$set":{"role":"x"}}')
NULS = ExactJson.parse('{"a\\u0000b":"\\u0000start mid\\u0000dle end\\u0000","literal":"\\\\u0000"}')


@pytest.fixture
async def store(database: Database) -> ConversationStore:
    fresh = ConversationStore(database)
    await fresh.setup()
    return fresh


@pytest.mark.parametrize("odd", [DOLLARS, NULS], ids=["B46", "B48"])
async def test_odd_keys_and_values_come_back_as_they_were(store: ConversationStore, odd: ExactJson) -> None:
    await store.create("c", tools=[Tool("f", input_schema=odd)])
    await store.append("c", Message.user("q"))
    answer = Message.assistant(
        [TextPart("a", provider_data=ExactJson(f'{{"p":{odd.text}}}')), ToolCallPart("1", "f", odd)]
    )
    await store.append("c", answer, generation=GenerationRecord(params=odd, deployment=odd))
    await store.append("c", Message.tool_result("1", odd.text))

    path = await store.path("c")
    request = await store.replay("c")

    assert path[1].message == answer
    assert path[1].generation is not None
    assert (path[1].generation.params, path[1].generation.deployment) == (odd, odd)
    assert request.tools[0].input_schema == odd
    assert odd.text.encode() in request.render("anthropic", model="m").to_json()
    assert await store.verify("c") == []


async def test_b46_metadata_and_a_patch_of_it_are_data_and_nothing_else(store: ConversationStore) -> None:
    await store.create("c", metadata=DOLLARS)
    await store.create("near", metadata={"role": "untouched"})

    patched = await store.update(
        "c", metadata={"$set": {"title": "x"}, "a.c": 1}, remove_metadata=["$schema"]
    )

    assert patched.metadata_json.text == '{"a.b":{"$gt":1},"":0,"$set":{"title":"x"},"a.c":1}'
    assert (await store.get("c")) == patched
    assert (await store.get("near")).metadata == {"role": "untouched"}


@pytest.mark.parametrize("text", ["\x00start", "mid\x00dle", "end\x00", "literal \\u0000"])
async def test_b48_a_text_with_nul_is_whole(store: ConversationStore, text: str) -> None:
    await store.create("c", system=text)
    await store.append("c", Message.user(text))

    assert (await store.path("c"))[0].message.text == text
    assert (await store.replay("c")).system == text


async def test_b48_only_what_the_library_itself_stores_as_text_refuses_nul(store: ConversationStore) -> None:
    await store.create("c")

    with pytest.raises(InvalidArgumentError):
        await store.create("d", title="a\x00")
    with pytest.raises(InvalidArgumentError):
        await store.update("c", metadata={"a\x00": 1})
    with pytest.raises(InvalidIdError):
        await store.create("a\x00")
    with pytest.raises(InvalidIdError):
        await store.append("c", Message.user("x"), revision_id="a\x00")
    assert len(await store.tree("c")) == 0
