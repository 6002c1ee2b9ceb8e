"""Assistant messages come back as they were, letter by letter where a model wrote the letters."""

from __future__ import annotations

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message, Provenance
from convotree.domain.parts import OpaquePart, ToolCallPart
from convotree.replay import Request
from convotree.replay.openai_chat.answer_reading import read_answer_message

PROVENANCE = Provenance("openai", "chat", "gpt-5")


def call(arguments: str = "{}", **rest: Any) -> dict[str, Any]:
    return {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}, **rest}


def function(arguments: str) -> ToolCallPart:
    (part,) = read_answer_message({"role": "assistant", "tool_calls": [call(arguments)]}, PROVENANCE).parts
    assert isinstance(part, ToolCallPart)
    return part


@pytest.mark.parametrize(
    "answer",
    [
        {"content": "a"},
        {"content": ""},
        {"content": [{"type": "text", "text": "a"}]},
        {"content": [{"type": "text", "text": "a"}, {"type": "refusal", "refusal": "no"}]},
        {"content": [{"type": "refusal", "refusal": "no"}]},
        {"content": "a", "refusal": "no"},
        {"content": "a", "tool_calls": [call()]},
        {"content": [{"type": "text", "text": "a"}], "tool_calls": [call()]},
        {"content": None, "tool_calls": [call('{"a": 1.10,  "b":"\\u00e9"}')]},
        {"content": None, "tool_calls": [call('{"a": 1'), call("")]},
        {"content": None, "tool_calls": [call(odd=1)]},
        {
            "content": None,
            "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "g", "input": "{ "}}],
        },
        {"content": None, "tool_calls": [{"id": "c", "type": "moon", "moon": {"x": 1}}]},
        {"content": None, "audio": {"id": "audio_1"}},
        {"content": "a", "name": "n", "reasoning_content": "r"},
    ],
    ids=str,
)
def test_it_comes_back_as_it_was(answer: dict[str, Any]) -> None:
    answer = {"role": "assistant", **answer}
    calls = [one["id"] for one in answer.get("tool_calls", ())]
    results = [Message.tool_result(one, "r") for one in calls]
    path = (Message.user("u"), read_answer_message(answer, PROVENANCE), *results)
    made = Request(messages=path).render("openai-chat", model="gpt-5")
    if calls == ["c", "c"]:
        answer["tool_calls"][1]["id"] = made.body["messages"][1]["tool_calls"][1]["id"]
    assert made.body["messages"][1] == answer


def test_arguments_are_json_where_they_are() -> None:
    assert function('{ "a": 1.10 }').arguments == ExactJson('{"a":1.10}')
    assert function('{"a": 1').arguments == ExactJson.of('{"a": 1')
    assert function('{"a":1.10}').provider_data is None


def test_a_call_of_an_unknown_type_is_opaque() -> None:
    moon = {"id": "c", "type": "moon", "moon": {"x": 1}}
    (part,) = read_answer_message(
        {"role": "assistant", "content": None, "tool_calls": [moon]}, PROVENANCE
    ).parts
    assert isinstance(part, OpaquePart)
