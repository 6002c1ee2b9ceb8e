"""Bodies and answers of the Messages API as requests and messages; what is wrong with them, and where."""

from __future__ import annotations

import json
from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.parts import TextPart, ToolCallPart, ToolResultPart
from convotree.errors import InvalidJsonError, InvalidMessageError
from convotree.replay import Request
from tests.replay.samples import anthropic_body


def read(body: Any, model: str | None = None) -> Request:
    return Request.from_provider("anthropic", body, model=model)


def one(message: Any) -> Message:
    return read({"messages": [message]}).messages[0]


def test_roles() -> None:
    assert [message.role for message in read(anthropic_body()).messages] == [
        Role.USER,
        Role.ASSISTANT,
        Role.USER,
        Role.ASSISTANT,
        Role.USER,
        Role.DEVELOPER,
    ]


def test_results_alone_are_the_tools() -> None:
    result = {"type": "tool_result", "tool_use_id": "c"}
    assert one({"role": "user", "content": [result]}).role is Role.TOOL
    assert one({"role": "user", "content": []}).role is Role.USER


def test_bare_strings_are_known() -> None:
    assert one({"role": "user", "content": "a"}) == Message.user("a")
    assert one({"role": "user", "content": [{"type": "text", "text": "a"}]}) == Message.user(TextPart("a"))


def test_a_system_message_knows_what_it_was() -> None:
    message = one({"role": "system", "content": "a", "clear_at": "never"})
    assert message.provider_data == ExactJson('{"anthropic":{"role":"system","clear_at":"never"}}')


def test_a_system_message_may_say_nothing() -> None:
    assert one({"role": "system", "output_config": {"effort": "low"}}).parts == ()


def test_answers_know_where_they_came_from() -> None:
    answers = [message for message in read(anthropic_body()).messages if message.role is Role.ASSISTANT]
    assert {message.provenance for message in answers} == {
        Provenance("anthropic", "messages", "claude-opus-4-8")
    }
    other = read(anthropic_body(), model="claude-sonnet-5").messages[1].provenance
    assert other == Provenance("anthropic", "messages", "claude-sonnet-5")


def test_what_is_neither_system_tools_nor_messages_is_kept_apart() -> None:
    assert read('{"a":1.10,"messages":[],"system":"s"}').params == ExactJson('{"a":1.10}')
    assert read({"messages": []}).params is None


def test_only_a_form_of_its_own_is_marked() -> None:
    marked = [message.provider_data is not None for message in read(anthropic_body()).messages]
    assert marked == [False, False, False, False, False, True]


CALL = {"type": "tool_use", "id": "c", "name": "f", "input": {}}


@pytest.mark.parametrize(
    ("block", "place"),
    [
        (7, ""),
        ({}, ".type"),
        ({"type": 7}, ".type"),
        ({"type": "text"}, ".text"),
        ({"type": "text", "text": None}, ".text"),
        ({"type": "text", "text": 7, "citations": []}, ".text"),
        ({**CALL, "id": 7}, ".id"),
        ({**CALL, "name": None}, ".name"),
        ({"type": "tool_use", "id": "c", "name": "f"}, ".input"),
        ({"type": "tool_result"}, ".tool_use_id"),
        ({"type": "tool_result", "tool_use_id": "c", "content": 7}, ".content"),
        ({"type": "tool_result", "tool_use_id": "c", "is_error": "no"}, ".is_error"),
        ({"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text"}]}, ".content[0].text"),
        ({"type": "thinking", "signature": "s"}, ".thinking"),
        ({"type": "thinking", "thinking": "t", "signature": 7}, ".signature"),
        ({"type": "redacted_thinking"}, ".data"),
        ({"type": "image"}, ".source"),
        ({"type": "image", "source": "x"}, ".source"),
        ({"type": "image", "source": {}}, ".source.type"),
        ({"type": "image", "source": {"type": "base64", "media_type": 7, "data": ""}}, ".source.media_type"),
        ({"type": "document", "source": {"type": "url", "url": "u"}, "title": 7}, ".title"),
        ({"type": "server_tool_use", "id": "c", "name": 7, "input": {}}, ".name"),
        ({"type": "web_search_tool_result", "tool_use_id": 7, "content": []}, ".tool_use_id"),
        ({"type": "compaction", "content": 7}, ".content"),
    ],
)
def test_a_wrong_block_is_refused_at_its_place(block: Any, place: str) -> None:
    good = {"role": "user", "content": "a"}
    with pytest.raises(InvalidMessageError) as caught:
        read({"messages": [good, {"role": "assistant", "content": [{"type": "text", "text": "a"}, block]}]})
    assert caught.value.place == f"messages[1].content[1]{place}"


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({}, "messages"),
        ({"messages": {}}, "messages"),
        ({"messages": [7]}, "messages[0]"),
        ({"messages": [{"content": "a"}]}, "messages[0].role"),
        ({"messages": [{"role": "narrator", "content": "a"}]}, "messages[0].role"),
        ({"messages": [{"role": ["user"], "content": "a"}]}, "messages[0].role"),
        ({"messages": [{"role": "user"}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": None}]}, "messages[0].content"),
        ({"messages": [], "system": 7}, "system"),
        ({"messages": [], "system": [{"type": "text"}]}, "system[0].text"),
        ({"messages": [], "model": 7}, "model"),
        ({"messages": [], "tools": {}}, "tools"),
        ({"messages": [], "tools": [{"name": "t"}, {}]}, "tools[1].name"),
    ],
)
def test_a_wrong_body_is_refused_at_its_place(body: Any, place: str) -> None:
    with pytest.raises(InvalidMessageError) as caught:
        read(body)
    assert caught.value.place == place


def test_arguments_too_deep_are_refused_at_their_place() -> None:
    deep = "[" * 300 + "]" * 300
    body = (
        '{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":%s}]}]}'
    )
    with pytest.raises(InvalidMessageError) as caught:
        read(body % deep)
    assert caught.value.place == "messages[0].content[0].input"
    with pytest.raises((InvalidJsonError, InvalidMessageError)):
        read(body % ("[" * 100_000 + "]" * 100_000))


def test_results_within_results_are_kept_aside_however_deep() -> None:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": "c", "content": "x"}
    for _ in range(50):
        block = {"type": "tool_result", "tool_use_id": "c", "content": [block]}
    (part,) = one({"role": "user", "content": [block]}).parts
    assert isinstance(part, ToolResultPart)
    request = read({"messages": [{"role": "user", "content": [block]}]})
    assert Request.from_json(request.to_json()) == request


def test_an_id_of_any_length_and_two_thousand_calls() -> None:
    calls = [{**CALL, "id": f"{number}{'x' * 10_000}"} for number in range(20)] + [CALL] * 2000
    assert len(one({"role": "assistant", "content": calls}).tool_calls) == 2020


class TestAnswer:
    """Guards against an answer that was paid for and cannot be stored."""

    ANSWER = (
        '{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-4-8","stop_reason":"tool_use",'
        '"content":[{"type":"text","text":"a","citations":null},{"type":"tool_use","id":"c","name":"f",'
        '"input":{"id":2512292042121000001,"n":9007199254740993,"u":18446744073709551615,'
        '"big":1000000000000000000000000000000,"f":1.0,"e":1e-7,"z":-0.0}}],"usage":{"output_tokens":1}}'
    )

    def test_it_becomes_a_message_with_every_block_as_it_was(self) -> None:
        message = Message.from_provider("anthropic", self.ANSWER)
        assert message.provenance == Provenance("anthropic", "messages", "claude-opus-4-8")
        text, call = message.parts
        assert text == TextPart("a", citations=ExactJson("null"))
        assert isinstance(call, ToolCallPart)
        assert f'"input":{call.arguments.text}' in self.ANSWER

    def test_bytes_and_mappings_are_taken_too(self) -> None:
        message = Message.from_provider("anthropic", self.ANSWER)
        assert Message.from_provider("anthropic", self.ANSWER.encode()) == message
        assert Message.from_provider("anthropic", json.loads(self.ANSWER)).text == "a"

    def test_another_model_can_be_said(self) -> None:
        message = Message.from_provider("anthropic", self.ANSWER, model="m")
        assert message.provenance == Provenance("anthropic", "messages", "m")

    @pytest.mark.parametrize(
        ("answer", "place"),
        [
            ({"type": "error", "error": {}}, "type"),
            ({"role": "user", "content": []}, "role"),
            ({"role": "assistant"}, "content"),
            ({"content": [], "model": 7}, "model"),
            ({"content": [{"type": "text"}]}, "content[0].text"),
            ([], "answer"),
        ],
    )
    def test_what_is_no_answer_is_refused(self, answer: Any, place: str) -> None:
        with pytest.raises(InvalidMessageError) as caught:
            Message.from_provider("anthropic", json.dumps(answer))
        assert caught.value.place == place
