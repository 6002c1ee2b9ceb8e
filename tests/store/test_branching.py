"""What a provider keeps for one line is never offered to two paths: through the server."""

from typing import Any

from convotree import ConversationStore, ExactJson, GenerationRecord, Message, Select
from tests.store.interloper import Interloper


def record(container_id: str) -> GenerationRecord:
    handles = ExactJson.of({"container": {"id": container_id}})
    return GenerationRecord(provider="anthropic", api="messages", response_id="msg_1", handles=handles)


def answer(text: str) -> Message:
    return Message.assistant(text, provider="anthropic", api="messages", model="claude-opus-4-8")


async def offered(store: ConversationStore, conversation_id: str, **options: Any) -> list[dict[str, Any]]:
    request = await store.replay(conversation_id, **options)
    return [dict(one.params) for one in request.continuations("anthropic")]


async def test_a_container_follows_the_first_children_only(store: ConversationStore) -> None:
    convo = await store.create()
    await store.append(convo.id, Message.user("q1"))
    a1 = await store.append(convo.id, answer("a1"), generation=record("k1"))
    q2 = await store.append(convo.id, Message.user("q2"))
    assert await offered(store, convo.id) == [{"container": "k1"}]
    assert await offered(store, convo.id, budget=10_000) == [{"container": "k1"}]

    a2 = await store.append(convo.id, answer("a2"), generation=record("k1"))
    q3 = await store.append(convo.id, Message.user("q3"))
    assert await offered(store, convo.id) == [{"container": "k1"}]
    # To answer q2 anew, or to read it as a leaf: the container has seen a2 by now.
    assert await offered(store, convo.id, before=a2.id) == []
    assert await offered(store, convo.id, leaf_id=q2.id) == []

    edited = await store.edit(convo.id, q3.id, Message.user("q3, edited"))
    assert await offered(store, convo.id) == []
    await store.append(convo.id, answer("a3"), generation=record("k2"), parent_id=edited.id)
    await store.append(convo.id, Message.user("q4"))
    assert await offered(store, convo.id) == [{"container": "k2"}]
    # The first line is as it was, whatever its siblings did.
    assert await offered(store, convo.id, leaf_id=q3.id) == [{"container": "k1"}]
    # A child that nobody selected is one all the same.
    await store.append(convo.id, answer("a4"), parent_id=q3.id, select=Select.NEVER)
    assert await offered(store, convo.id, leaf_id=q3.id) == []
    assert await offered(store, convo.id, leaf_id=a1.id) == []


async def test_a_replay_without_such_names_is_one_command(
    store: ConversationStore, commands: Interloper
) -> None:
    convo = await store.create()
    await store.append(convo.id, Message.user("q"))
    plain = GenerationRecord(provider="openai", api="responses", response_id="resp_1")
    await store.append(convo.id, Message.assistant("a", provider="openai", api="responses"), generation=plain)
    await store.append(convo.id, Message.user("q"))
    commands.clear()
    request = await store.replay(convo.id)
    assert commands.names == ["aggregate"]
    assert [dict(one.params) for one in request.continuations("openai-responses")] == [
        {"previous_response_id": "resp_1"}
    ]


async def test_a_replay_with_such_names_asks_once_more(
    store: ConversationStore, commands: Interloper
) -> None:
    convo = await store.create()
    await store.append(convo.id, Message.user("q"))
    await store.append(convo.id, answer("a"), generation=record("k1"))
    commands.clear()
    await store.replay(convo.id)
    assert commands.names == ["aggregate", "find"]
