"""Calls whose arguments are streamed value by value: the same as when they come at once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message
from convotree.domain.parts import TextPart, ToolCallPart
from convotree.errors import InvalidMessageError
from convotree.replay import StreamedAnswer
from tests.replay.gemini.sample import MODEL, SIGNATURE


def chunk(*parts: dict[str, Any], finish: str | None = None) -> str:
    candidate: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    return json.dumps({"candidates": [candidate], "modelVersion": MODEL})


def piece(path: str, *, more: bool = True, **value: Any) -> dict[str, Any]:
    return {"functionCall": {"partialArgs": [{"jsonPath": path, **value}], "willContinue": more}}


def message_of(*chunks: str) -> Message:
    stream = StreamedAnswer("gemini")
    for one in chunks:
        stream.add(one)
    return stream.message()


def test_arguments_come_in_pieces() -> None:
    begun = {
        "functionCall": {"id": "c1", "name": "look", "willContinue": True},
        "thoughtSignature": SIGNATURE,
    }
    streamed = message_of(
        chunk({"text": "I look."}),
        chunk(begun),
        chunk(piece("$.path", stringValue="/no", willContinue=True)),
        chunk(piece("$.path", stringValue="tes")),
        chunk(piece("$.lines[0]", numberValue=1), piece("$.lines[1]", numberValue=2.5)),
        chunk(piece("$.deep['a b'].on", boolValue=True)),
        chunk(piece('$.deep["c\\"d"]', nullValue="NULL_VALUE")),
        chunk({"functionCall": {}}),
        chunk({"text": "And now?"}, finish="STOP"),
    )
    args = {"path": "/notes", "lines": [1, 2.5], "deep": {"a b": {"on": True}, 'c"d': None}}
    call = {"functionCall": {"id": "c1", "name": "look", "args": args}, "thoughtSignature": SIGNATURE}
    whole = message_of(chunk({"text": "I look."}, call, {"text": "And now?"}, finish="STOP"))
    assert streamed == whole
    assert streamed.tool_calls[0].arguments == ExactJson.of(args)


def test_two_calls_one_after_the_other() -> None:
    streamed = message_of(
        chunk({"functionCall": {"name": "f", "willContinue": True}}),
        chunk(piece("$.a", more=False, stringValue="1")),
        chunk({"functionCall": {"name": "g", "args": {"b": 2}}}),
        chunk({"functionCall": {"name": "h", "willContinue": True}}),
        chunk({"functionCall": {}}, finish="STOP"),
    )
    assert [(one.name, one.arguments.text) for one in streamed.tool_calls] == [
        ("f", '{"a":"1"}'),
        ("g", '{"b":2}'),
        ("h", "{}"),
    ]


def test_a_call_that_breaks_off_is_kept_as_far_as_it_came() -> None:
    streamed = message_of(
        chunk({"functionCall": {"name": "f", "willContinue": True}}), chunk(piece("$.a", stringValue="par"))
    )
    (call,) = streamed.parts
    assert isinstance(call, ToolCallPart)
    assert call.arguments.text == '{"a":"par"}'
    # What follows without its end is no piece of it.
    after = message_of(chunk({"functionCall": {"name": "f", "willContinue": True}}), chunk({"text": "x"}))
    assert [type(part) for part in after.parts] == [ToolCallPart, TextPart]


@pytest.mark.parametrize(
    "pieces",
    [
        3,
        [3],
        [{}],
        [{"jsonPath": "a"}],
        [{"jsonPath": "$"}],
        [{"jsonPath": "$[0]"}],
        [{"jsonPath": "$.a[*]"}],
        [{"jsonPath": "$.a[?(@.b)]"}],
        [{"jsonPath": "$" + ".a" * 65}],
        [{"jsonPath": "$.a", "stringValue": "x", "numberValue": 1}],
    ],
    ids=str,
)
def test_what_says_no_value_is_refused_and_nothing_of_it_taken(pieces: Any) -> None:
    stream = StreamedAnswer("gemini")
    stream.add(chunk({"functionCall": {"name": "f", "willContinue": True}}))
    before = stream.answer()
    with pytest.raises(InvalidMessageError) as caught:
        stream.add(chunk({"text": "x"}, {"functionCall": {"partialArgs": pieces}}))
    assert caught.value.place.startswith("events[1].candidates[0].content.parts[1].functionCall.partialArgs")
    assert stream.answer() == before


@pytest.mark.parametrize("second", ["$.a.b", "$.a[0]", "$.b[20000]"])
def test_pieces_that_contradict_each_other_are_no_answer(second: str) -> None:
    stream = StreamedAnswer("gemini")
    stream.add(chunk({"functionCall": {"name": "f", "willContinue": True}}))
    stream.add(chunk(piece("$.a", stringValue="x")))
    stream.add(chunk(piece(second, stringValue="y")))
    with pytest.raises(InvalidMessageError):
        stream.message()
