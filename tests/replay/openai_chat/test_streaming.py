"""Streamed answers of Chat Completions: the same message and record as unstreamed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message
from convotree.domain.outcome import Outcome
from convotree.errors import InvalidJsonError, InvalidMessageError, UnsupportedProviderError
from convotree.replay import StreamedAnswer


def chunk(delta: dict[str, Any], finish: str | None = None, **rest: Any) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "gpt-4o-2024-08-06",
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
        "usage": None,
        **rest,
    }


def answer(message: dict[str, Any], finish: str = "stop") -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o-2024-08-06",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }


def last(usage: dict[str, Any]) -> dict[str, Any]:
    return {**chunk({}), "choices": [], "usage": usage}


def streamed(events: list[dict[str, Any]]) -> StreamedAnswer:
    stream = StreamedAnswer("openai-chat")
    for event in events:
        stream.add(json.dumps(event))
    return stream


def cut(whole: dict[str, Any], size: int) -> list[dict[str, Any]]:
    """An unstreamed answer as the chunks that the API would have sent."""
    choice = whole["choices"][0]
    message = choice["message"]
    kept = {key: value for key, value in whole.items() if key not in ("choices", "usage", "object")}
    rest = {"object": "chat.completion.chunk", **kept}
    events = [chunk({"role": "assistant", "content": None if message["content"] is None else ""}, **rest)]
    for piece in _pieces(message["content"] or "", size):
        events.append(chunk({"content": piece}, **rest))
    for number, call in enumerate(message.get("tool_calls") or ()):
        begin = {"index": number, "id": call["id"], "type": call["type"]}
        begin["function"] = {"name": call["function"]["name"], "arguments": ""}
        events.append(chunk({"tool_calls": [begin]}, **rest))
        for piece in _pieces(call["function"]["arguments"], size):
            more = {"index": number, "function": {"arguments": piece}}
            events.append(chunk({"tool_calls": [more]}, **rest))
    events.append(chunk({}, choice["finish_reason"], **rest))
    return [*events, {**last(whole["usage"]), **rest, "usage": whole["usage"]}]


def _pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_recorded_answer_cut_into_chunks_is_the_same_answer(cases: Path, size: int) -> None:
    files = sorted((cases / "provider-exchanges").glob("openai_chat_*.json"))
    assert files
    for file in files:
        whole = json.loads(file.read_text(encoding="utf-8"))["response"]
        stream = streamed(cut(whole, size))
        assert stream.complete
        assert stream.message() == Message.from_provider("openai-chat", whole)
        assert stream.generation(model="gpt-4o") == GenerationRecord.from_provider(
            "openai-chat", whole, model="gpt-4o"
        )


def test_text_refusal_reasoning_and_unknown_members_grow() -> None:
    deltas: list[dict[str, Any]] = [
        {"role": "assistant", "content": "", "refusal": None},
        {"reasoning_content": "hm"},
        {"reasoning_content": "m"},
        {"content": "Hel"},
        {"content": "lo", "annotations": [{"type": "url_citation"}]},
        {"annotations": [{"type": "url_citation", "n": 2}]},
        {"audio": {"id": "audio_1", "transcript": "Hel"}},
        {"audio": {"transcript": "lo"}},
    ]
    stream = streamed([*map(chunk, deltas), chunk({}, "stop"), last({"total_tokens": 5})])
    message = {
        "role": "assistant",
        "content": "Hello",
        "refusal": None,
        "reasoning_content": "hmm",
        "annotations": [{"type": "url_citation"}, {"type": "url_citation", "n": 2}],
        "audio": {"id": "audio_1", "transcript": "Hello"},
    }
    assert stream.message() == Message.from_provider("openai-chat", answer(message))


def test_calls_are_matched_by_their_index_and_keep_the_spelling_of_numbers() -> None:
    def call(index: int, arguments: str, **rest: Any) -> dict[str, Any]:
        return chunk({"tool_calls": [{"index": index, **rest, "function": {"arguments": arguments}}]})

    first = {"index": 0, "id": "call_a", "type": "function", "function": {"name": "f", "arguments": ""}}
    second = {"index": 1, "id": "call_b", "type": "function", "function": {"name": "g", "arguments": ""}}
    stream = streamed(
        [
            chunk({"role": "assistant", "content": None, "tool_calls": [first]}),
            chunk({"tool_calls": [second]}),
            call(1, '{"x":1.'),
            call(0, "{}", id="call_a", type="function"),
            call(1, "10}"),
            chunk({}, "tool_calls"),
        ]
    )
    calls = stream.message().tool_calls
    assert [(one.tool_call_id, one.name, one.arguments) for one in calls] == [
        ("call_a", "f", ExactJson("{}")),
        ("call_b", "g", ExactJson('{"x":1.10}')),
    ]


def test_what_is_null_or_empty_before_the_calls_is_none_of_them() -> None:
    called = {"index": 0, "id": "call_a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    stream = streamed(
        [
            chunk({"role": "assistant", "content": None, "tool_calls": None}),
            chunk({"content": "Hi", "tool_calls": []}),
            chunk({"tool_calls": [called], "refusal": None}),
            chunk({"tool_calls": None}, "tool_calls"),
        ]
    )
    message: dict[str, Any] = {"role": "assistant", "content": "Hi", "refusal": None}
    message["tool_calls"] = [{key: value for key, value in called.items() if key != "index"}]
    assert stream.message() == Message.from_provider("openai-chat", answer(message, "tool_calls"))


def test_chunks_that_were_given_parsed_are_not_changed() -> None:
    event = chunk({"content": "a", "annotations": [{"n": 1}]})
    before = json.dumps(event)
    stream = StreamedAnswer("openai-chat")
    for _ in range(3):
        stream.add(event)
    assert json.dumps(event) == before
    assert len(stream.answer().value["choices"][0]["message"]["annotations"]) == 3


def test_an_answer_that_breaks_off_is_kept_as_aborted() -> None:
    stream = streamed([chunk({"role": "assistant", "content": ""}), chunk({"content": "Hel"})])
    assert not stream.complete
    assert (stream.message().text, stream.message().outcome) == ("Hel", Outcome.ABORTED)
    assert Message.from_provider("openai-chat", stream.answer().text).outcome is Outcome.ABORTED
    assert stream.generation().stop_reason is None


def test_before_anything_came_there_is_no_answer() -> None:
    with pytest.raises(InvalidMessageError) as caught:
        StreamedAnswer("openai-chat").message()
    assert caught.value.place == "choices"


@pytest.mark.parametrize(
    ("event", "place"),
    [
        ({"error": {"message": "overloaded"}}, "events[1].error"),
        ({"choices": {}}, "events[1].choices"),
        ({"choices": [3]}, "events[1].choices[0]"),
        ({"choices": [{"index": "0"}]}, "events[1].choices[0].index"),
        ({"choices": [{"delta": []}]}, "events[1].choices[0].delta"),
        ({"choices": [{"delta": {}, "logprobs": "?"}]}, "events[1].choices[0].logprobs"),
        ({"choices": [{"message": {"role": "assistant"}}]}, "events[1].choices[0].message"),
        ({"choices": [{"delta": {"tool_calls": {}}}]}, "events[1].choices[0].delta.tool_calls"),
        ({"choices": [{"delta": {"tool_calls": [{}]}}]}, "events[1].choices[0].delta.tool_calls[0]"),
    ],
)
def test_what_is_no_chunk_is_refused_and_changes_nothing(event: dict[str, Any], place: str) -> None:
    stream = streamed([chunk({"role": "assistant", "content": "Hi"})])
    before = stream.answer()
    with pytest.raises(InvalidMessageError) as caught:
        stream.add(event)
    assert caught.value.place == place
    assert stream.answer() == before


def test_an_event_that_is_no_json_is_refused() -> None:
    with pytest.raises(InvalidJsonError):
        StreamedAnswer("openai-chat").add("[DONE]")


def test_a_provider_that_is_not_known_is_named() -> None:
    with pytest.raises(UnsupportedProviderError, match="nobody"):
        StreamedAnswer("nobody")
