"""Fault scenarios B38, B39, B41, B42, B44 and B45: histories that a provider would reject, replayed from the store."""

import json
from typing import Any

import pytest

from convotree import (
    BlankText,
    Check,
    ConversationStore,
    ExactJson,
    Message,
    Outcome,
    ReasoningPart,
    RenderPolicy,
    Request,
    Severity,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UnreplayableError,
)
from convotree.domain.parts import Part

CLAUDE = "claude-opus-4-8"
MODELS = {"anthropic": CLAUDE, "openai-chat": "gpt-5"}


def call(*call_ids: str, arguments: str = "{}") -> Message:
    return Message.assistant([ToolCallPart(one, "look", ExactJson(arguments)) for one in call_ids])


async def replayed(store: ConversationStore, *messages: Message) -> Request:
    conversation = await store.create()
    await store.extend(conversation.id, messages, check=Check.RECORD)
    return await store.replay(conversation.id)


def errors(request: Request, provider: str) -> list[tuple[str, str, str | None]]:
    found = request.check(provider, model=MODELS[provider])
    return [(one.rule, one.place, one.revision_id) for one in found if one.severity is Severity.ERROR]


@pytest.mark.parametrize("provider", MODELS)
async def test_b38_a_call_without_its_result_is_found_and_answered_alike_at_every_replay(
    store: ConversationStore, provider: str
) -> None:
    conversation = await store.create()
    await store.append(conversation.id, Message.user("go"))
    asked = await store.append(conversation.id, call("c1"))
    await store.append(conversation.id, Message.user("still there?"))  # after the crash
    request = await store.replay(conversation.id)

    rule = {"anthropic": "A4", "openai-chat": "C1"}[provider]
    assert errors(request, provider) == [(rule, "messages[1].parts[0]", asked.id)]
    made = [
        (await store.replay(conversation.id)).render(provider, model=MODELS[provider]).to_json()
        for _ in range(2)
    ]
    assert made[0] == made[1]
    assert errors(Request.from_provider(provider, made[0]), provider) == []
    assert b"No result provided" in made[0]
    assert len(await store.path(conversation.id)) == 3


@pytest.mark.parametrize("provider", MODELS)
async def test_b39_of_several_results_one_is_used_and_the_others_are_flagged(
    store: ConversationStore, provider: str
) -> None:
    request = await replayed(
        store,
        Message.user("go"),
        call("c1"),
        Message.tool_result("c1", "broken", is_error=True),
        Message.tool_result("c1", "real"),
        Message.tool_result("unknown", "whose?"),
        Message.user("on"),
        Message.tool_result("c1", "late"),
    )
    made = request.render(provider, model=MODELS[provider])
    text = made.to_json().decode()
    assert [one in text for one in ("real", "broken", "late", "whose?")] == [True, False, False, False]
    left_out = {note.place: note.revision_id for note in made.notes}
    assert set(left_out) >= {"messages[2].parts[0]", "messages[4].parts[0]", "messages[6].parts[0]"}
    assert all(left_out.values())
    assert errors(Request.from_provider(provider, text), provider) == []


@pytest.mark.parametrize("provider", MODELS)
async def test_b41_results_go_back_in_the_order_of_their_calls(
    store: ConversationStore, provider: str
) -> None:
    conversation = await store.create()
    stored = [Message.tool_result(one, f"result of {one}") for one in ("c3", "c1", "c2")]
    await store.extend(conversation.id, [Message.user("go"), call("c1", "c2", "c3"), *stored])
    made = {
        (await store.replay(conversation.id)).render(provider, model=MODELS[provider]).to_json().decode()
        for _ in range(3)
    }
    (text,) = made
    places = [text.index(f"result of c{number}") for number in (1, 2, 3)]
    assert places == sorted(places)
    path = await store.path(conversation.id, last=3)
    assert [one.message.tool_results[0].tool_call_id for one in path] == ["c3", "c1", "c2"]


async def test_b42_signed_reasoning_keeps_its_bytes_and_a_block_that_was_cut_is_not_sent(
    store: ConversationStore,
) -> None:
    signature = "EuYBCkQYAiJA" + "Zm9v+/=" * 40
    parts: list[Part] = [
        ReasoningPart("Step é \u2028 one.", signature=signature),
        ReasoningPart("", signature="c2ln"),
        ReasoningPart("", encrypted="cmVkYWN0ZWQ="),
        TextPart("4"),
    ]
    whole = Message.assistant(parts, provider="anthropic", api="messages", model=CLAUDE)
    cut = Message.assistant(
        [ReasoningPart("Step o"), TextPart("par")], provider="anthropic", api="messages", model=CLAUDE
    )
    request = await replayed(store, Message.user("q"), whole, Message.user("and?"), cut, Message.user("on"))
    assert request.messages[1] == whole
    assert Request.from_json(request.to_json()) == request

    made = request.render("anthropic", model=CLAUDE)
    assert made.body["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "Step é \u2028 one.", "signature": signature},
        {"type": "thinking", "thinking": "", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "cmVkYWN0ZWQ="},
        {"type": "text", "text": "4"},
    ]
    assert [block["type"] for block in made.body["messages"][3]["content"]] == ["text"]
    assert [(note.place, note.rule) for note in made.notes] == [("messages[3].parts[0]", "A18")]
    assert request.messages[3].parts[0] == ReasoningPart("Step o")


async def test_b44_numbers_in_arguments_keep_their_spelling(store: ConversationStore) -> None:
    arguments = (
        '{"id":2512292042121000001,"n":9007199254740993,"u":18446744073709551615,'
        '"big":1000000000000000000000000000000,"f":1.0,"e":1e-7,"z":-0.0}'
    )
    request = await replayed(
        store, Message.user("go"), call("c1", arguments=arguments), Message.tool_result("c1", "ok")
    )
    assert arguments in request.render("anthropic", model=CLAUDE).to_json().decode()
    body: dict[str, Any] = json.loads(request.render("openai-chat", model="gpt-5").to_json())
    assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == arguments
    assert Request.from_json(request.to_json()) == request


EMPTY: list[tuple[Part, ...]] = [(), (TextPart(" \n"),), (ReasoningPart("hm"),)]


@pytest.mark.parametrize("parts", EMPTY, ids=["nothing", "white space", "thinking only"])
async def test_b45_an_empty_answer_is_stored_as_it_is_and_left_out_or_refused(
    store: ConversationStore, parts: tuple[Part, ...]
) -> None:
    conversation = await store.create()
    stored = await store.extend(
        conversation.id, [Message.user("one"), Message.assistant(parts), Message.user("two")]
    )
    assert stored[1].message.parts == parts
    request = await store.replay(conversation.id)
    assert request.messages[1].parts == parts

    made = request.render("anthropic", model=CLAUDE)
    assert [one["role"] for one in made.body["messages"]] == ["user", "user"]
    assert {note.revision_id for note in made.notes} == {stored[1].id}
    assert errors(Request.from_provider("anthropic", made.to_json()), "anthropic") == []
    with pytest.raises(UnreplayableError) as caught:
        request.render("anthropic", model=CLAUDE, policy=RenderPolicy(blank_text=BlankText.REFUSE))
    assert caught.value.place.startswith("messages[1]")


async def test_a_failed_turn_stays_stored_and_its_calls_do_not_come_back(store: ConversationStore) -> None:
    broken = Message.assistant(
        [TextPart("I look it up."), ToolCallPart("c1", "look", ExactJson("{}"))], outcome=Outcome.FAILED
    )
    request = await replayed(
        store,
        Message.user("go"),
        broken,
        Message.user("again"),
        call("c1"),
        Message.tool_result("c1", "seen"),
    )
    assert isinstance(request.messages[4].parts[0], ToolResultPart)
    for provider in MODELS:
        made = request.render(provider, model=MODELS[provider])
        assert errors(Request.from_provider(provider, made.to_json()), provider) == []
        assert made.to_json().decode().count('"look"') == 1
