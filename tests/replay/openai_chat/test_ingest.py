"""Bodies and answers of Chat Completions as requests and messages; what is wrong with them, and where."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.outcome import Outcome
from convotree.domain.parts import AudioPart, OpaquePart, RefusalPart, TextPart
from convotree.errors import InvalidMessageError
from convotree.replay import Request
from tests.replay.samples import chat_body


def read(*messages: Any, **rest: Any) -> Request:
    return Request.from_provider("openai-chat", {"messages": list(messages), **rest})


def back(request: Request) -> list[Any]:
    messages: list[Any] = request.render("openai-chat", model="gpt-5").body["messages"]
    return messages


def test_roles_and_provenance() -> None:
    request = Request.from_provider("openai-chat", chat_body())
    assert request.system == "Be brief."
    assert [message.role for message in request.messages] == [
        Role.USER,
        Role.ASSISTANT,
        Role.TOOL,
        Role.TOOL,
        Role.DEVELOPER,
        Role.ASSISTANT,
        Role.USER,
    ]
    assert request.messages[1].provenance == Provenance("openai", "chat", "gpt-5")
    assert request.params == ExactJson('{"model":"gpt-5","tool_choice":"auto"}')


@pytest.mark.parametrize(
    "leading",
    [
        [],
        [{"role": "system", "content": "a"}],
        [{"role": "developer", "content": "a"}],
        [{"role": "system", "content": "a", "name": "n"}],
        [{"role": "system", "content": [{"type": "text", "text": "a"}]}],
        [
            {
                "role": "system",
                "content": [{"type": "text", "text": "a", "odd": 1}, {"type": "text", "text": "b"}],
            }
        ],
        [
            {"role": "system", "content": "a"},
            {"role": "developer", "content": "b"},
            {"role": "system", "content": "c"},
        ],
        [{"role": "system", "content": "a"}, {"role": "system", "content": [{"type": "odd", "x": 1}]}],
        [{"role": "developer", "content": ""}],
    ],
    ids=str,
)
def test_instructions_at_the_start_come_back_as_they_were(leading: list[Any]) -> None:
    messages = [*leading, {"role": "user", "content": "u"}]
    assert back(read(*messages)) == messages


def test_instructions_in_the_middle_come_back_as_they_were() -> None:
    messages = [
        {"role": "user", "content": "u"},
        {"role": "system", "content": "a"},
        {"role": "developer", "content": [{"type": "text", "text": "b"}], "name": "n"},
        {"role": "user", "content": [{"type": "text", "text": "c"}]},
    ]
    request = read(*messages)
    assert [message.role for message in request.messages[1:3]] == [Role.DEVELOPER] * 2
    assert back(request) == messages


def test_a_deprecated_function_message_is_kept_whole() -> None:
    messages = [
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "1"},
    ]
    request = read(*messages)
    assert isinstance(request.messages[2].parts[0], OpaquePart)
    assert back(request) == messages


@pytest.mark.parametrize(
    ("message", "place"),
    [
        (7, ""),
        ({"content": "a"}, ".role"),
        ({"role": "narrator", "content": "a"}, ".role"),
        ({"role": "user"}, ".content"),
        ({"role": "user", "content": None}, ".content"),
        ({"role": "user", "content": [7]}, ".content[0]"),
        ({"role": "user", "content": [{"type": "text"}]}, ".content[0].text"),
        ({"role": "tool", "content": "a"}, ".tool_call_id"),
        ({"role": "tool", "tool_call_id": "c"}, ".content"),
        ({"role": "assistant", "content": 7}, ".content"),
        ({"role": "assistant", "tool_calls": {}}, ".tool_calls"),
        ({"role": "assistant", "tool_calls": [7]}, ".tool_calls[0]"),
        ({"role": "assistant", "tool_calls": [{"type": "function", "function": {}}]}, ".tool_calls[0].id"),
        ({"role": "assistant", "tool_calls": [{"id": "c"}]}, ".tool_calls[0].function"),
        ({"role": "assistant", "tool_calls": [{"id": "c", "function": {}}]}, ".tool_calls[0].function.name"),
        (
            {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": {}}}]},
            ".tool_calls[0].function.arguments",
        ),
    ],
)
def test_a_wrong_message_is_refused_at_its_place(message: Any, place: str) -> None:
    with pytest.raises(InvalidMessageError) as caught:
        read({"role": "system", "content": "s"}, {"role": "user", "content": "u"}, message)
    assert caught.value.place == f"messages[2]{place}"


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({}, "messages"),
        ({"messages": 7}, "messages"),
        ({"messages": [], "model": 7}, "model"),
        ({"messages": [], "tools": {}}, "tools"),
        ({"messages": [], "tools": [{"type": "function"}]}, "tools[0].function"),
    ],
)
def test_a_wrong_body_is_refused_at_its_place(body: Any, place: str) -> None:
    with pytest.raises(InvalidMessageError) as caught:
        Request.from_provider("openai-chat", body)
    assert caught.value.place == place


class TestAnswer:
    """Guards against an answer that was paid for and cannot be stored."""

    MESSAGE: ClassVar[dict[str, Any]] = {
        "role": "assistant",
        "content": "a",
        "refusal": None,
        "annotations": [],
    }

    def test_the_whole_answer_or_its_message(self) -> None:
        whole = {"model": "gpt-5-2025-08-07", "choices": [{"index": 0, "message": self.MESSAGE}]}
        message = Message.from_provider("openai-chat", json.dumps(whole))
        assert message.provenance == Provenance("openai", "chat", "gpt-5-2025-08-07")
        assert message.parts == (TextPart("a"),)
        alone = Message.from_provider("openai-chat", json.dumps(self.MESSAGE), model="m")
        assert alone.provenance == Provenance("openai", "chat", "m")
        assert alone.parts == message.parts

    def test_members_that_only_answers_have_are_kept_but_not_sent(self) -> None:
        message = Message.from_provider(
            "openai-chat", json.dumps({**self.MESSAGE, "annotations": [{"x": 1}]})
        )
        assert message.provider_data == ExactJson('{"openai-chat":{"annotations":[{"x":1}]}}')
        made = Request(messages=(Message.user("u"), message)).render("openai-chat", model="gpt-5")
        assert "annotations" not in made.body["messages"][1]
        assert [(note.place, note.rule) for note in made.notes] == [("messages[1]", "X5")]

    def test_members_that_say_nothing_are_not_kept(self) -> None:
        nothing: dict[str, Any] = {"refusal": None, "annotations": [], "function_call": None, "audio": None}
        message = Message.from_provider("openai-chat", json.dumps({**self.MESSAGE, **nothing}))
        assert message.provider_data is None

    @pytest.mark.parametrize(
        ("choice", "outcome"),
        [
            ({"finish_reason": "length"}, Outcome.COMPLETE),
            ({"finish_reason": "content_filter"}, Outcome.COMPLETE),
            ({}, Outcome.COMPLETE),
            ({"finish_reason": None}, Outcome.ABORTED),
            ({"finish_reason": "error"}, Outcome.FAILED),
        ],
    )
    def test_the_outcome_is_that_of_the_choice(self, choice: dict[str, Any], outcome: Outcome) -> None:
        whole = {"choices": [{"index": 0, "message": self.MESSAGE, **choice}]}
        assert Message.from_provider("openai-chat", json.dumps(whole)).outcome is outcome

    def test_the_record_holds_what_the_answer_says_and_what_the_caller_knows(self) -> None:
        text = (
            '{"id":"c1","model":"gpt-4o-2024-08-06","usage":{"total_tokens":1e2},'
            '"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"a"}}]}'
        )
        record = GenerationRecord.from_provider(
            "openai-chat", text, model="gpt-4o", request_id="req_1", timings={"ms": 3}
        )
        assert record == GenerationRecord(
            provider="openai",
            api="chat",
            model="gpt-4o",
            model_answered="gpt-4o-2024-08-06",
            response_id="c1",
            request_id="req_1",
            stop_reason="stop",
            usage=ExactJson('{"total_tokens":1e2}'),
            timings=ExactJson('{"ms":3}'),
        )

    @pytest.mark.parametrize("kind", [[], {}, None, 1])
    def test_the_type_of_a_call_is_a_string(self, kind: Any) -> None:
        call = {"id": "c", "type": kind, "function": {"name": "f", "arguments": "{}"}}
        with pytest.raises(InvalidMessageError) as caught:
            Message.from_provider("openai-chat", json.dumps({**self.MESSAGE, "tool_calls": [call]}))
        assert caught.value.place == "tool_calls[0].type"

    def test_audio_is_sent_back_by_its_id(self) -> None:
        audio = {"id": "audio_1", "data": "QQ==", "transcript": "a", "expires_at": 1}
        message = Message.from_provider(
            "openai-chat", json.dumps({**self.MESSAGE, "content": None, "audio": audio})
        )
        assert isinstance(message.parts[0], AudioPart)
        assert back(Request(messages=(Message.user("u"), message)))[1]["audio"] == {"id": "audio_1"}

    def test_a_refusal_is_one(self) -> None:
        message = Message.from_provider(
            "openai-chat", json.dumps({**self.MESSAGE, "content": None, "refusal": "no"})
        )
        assert message.parts == (RefusalPart("no"),)

    @pytest.mark.parametrize(
        ("answer", "place"),
        [
            ({"choices": []}, "choices"),
            ({"choices": [{}, {}]}, "choices"),
            ({"choices": [{}]}, "choices[0].message"),
            ({"choices": [{"message": {"role": "user"}}]}, "choices[0].message.role"),
            ({"choices": [{"message": {"role": "assistant", "content": 7}}]}, "choices[0].message.content"),
            ({"role": "user", "content": "a"}, "role"),
            ({"role": "assistant", "content": "a", "model": 7}, "model"),
            ([], "answer"),
        ],
    )
    def test_what_is_no_answer_is_refused(self, answer: Any, place: str) -> None:
        with pytest.raises(InvalidMessageError) as caught:
            Message.from_provider("openai-chat", json.dumps(answer))
        assert caught.value.place == place
