"""Streamed answers of Gemini: the same message and record as unstreamed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message
from convotree.domain.outcome import Outcome
from convotree.domain.parts import ReasoningPart, TextPart
from convotree.errors import InvalidMessageError
from convotree.replay import StreamedAnswer
from tests.replay.gemini.sample import MODEL, SIGNATURE


def chunk(*parts: dict[str, Any], finish: str | None = None, **rest: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": MODEL, "responseId": "r1", **rest}


def streamed(events: list[dict[str, Any]]) -> StreamedAnswer:
    stream = StreamedAnswer("gemini")
    for event in events:
        stream.add(json.dumps(event))
    return stream


def cut(whole: dict[str, Any], size: int) -> list[dict[str, Any]]:
    """An unstreamed answer as the chunks that the API would have sent; what is signed comes in one piece."""
    (candidate,) = whole["candidates"]
    kept = {key: value for key, value in whole.items() if key not in ("candidates", "usageMetadata")}
    pieces = [
        {**part, "text": part["text"][start : start + size]}
        if "text" in part and "thoughtSignature" not in part
        else part
        for part in candidate["content"]["parts"]
        for start in range(
            0, len(part["text"]) if "text" in part and "thoughtSignature" not in part else 1, size
        )
    ]
    events = [
        {
            "candidates": [{"content": {"parts": [piece], "role": "model"}, "index": 0}],
            "usageMetadata": {"promptTokenCount": number},
            **kept,
        }
        for number, piece in enumerate(pieces)
    ]
    last = {**candidate, "content": {"parts": [{"text": ""}], "role": "model"}}
    return [*events, {"candidates": [last], "usageMetadata": whole["usageMetadata"], **kept}]


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_recorded_answer_cut_into_chunks_is_the_same_answer(cases: Path, size: int) -> None:
    files = sorted((cases / "provider-exchanges").glob("google_*.json"))
    assert files
    for file in files:
        whole = json.loads(file.read_text(encoding="utf-8"))["response"]
        stream = streamed(cut(whole, size))
        assert stream.complete
        assert stream.message() == Message.from_provider("gemini", whole), file.name
        assert stream.generation(model=MODEL) == GenerationRecord.from_provider("gemini", whole, model=MODEL)


def test_thoughts_and_texts_grow_apart_and_a_signed_piece_stays_alone() -> None:
    stream = streamed(
        [
            chunk({"text": "I ", "thought": True}),
            chunk({"text": "think.", "thought": True}),
            chunk({"text": "Hel"}),
            chunk({"text": "lo"}),
            chunk({"text": "", "thoughtSignature": SIGNATURE}, finish="STOP"),
        ]
    )
    assert stream.message().parts == (
        ReasoningPart("I think."),
        TextPart("Hello"),
        TextPart("", signature=SIGNATURE),
    )


def test_numbers_of_calls_keep_their_spelling() -> None:
    stream = StreamedAnswer("gemini")
    stream.add(json.dumps(chunk({"text": "a"})))
    part = '{"functionCall":{"name":"f","args":{"x":1.10}},"thoughtSignature":"c2ln"}'
    stream.add(f'{{"candidates":[{{"content":{{"parts":[{part}]}},"finishReason":"STOP"}}]}}')
    (call,) = stream.message().tool_calls
    assert call.arguments == ExactJson('{"x":1.10}')


def test_an_answer_that_breaks_off_is_kept_as_aborted() -> None:
    stream = streamed([chunk({"text": "Hel"})])
    assert not stream.complete
    assert (stream.message().text, stream.message().outcome) == ("Hel", Outcome.ABORTED)
    assert Message.from_provider("gemini", stream.answer().text).outcome is Outcome.ABORTED


def test_more_can_come_after_it_was_looked_at() -> None:
    stream = streamed([chunk({"text": "Hel"}), chunk({"text": "l"})])
    assert stream.message().text == "Hell"
    stream.add(chunk({"text": "o"}, finish="STOP"))
    assert stream.message().parts == (TextPart("Hello"),)


def test_a_blocked_prompt_is_complete() -> None:
    stream = streamed([{"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {}}])
    assert stream.complete
    assert stream.message().parts == ()


def test_before_anything_came_there_is_no_answer() -> None:
    with pytest.raises(InvalidMessageError) as caught:
        StreamedAnswer("gemini").message()
    assert caught.value.place == "candidates"


@pytest.mark.parametrize(
    ("event", "place"),
    [
        ({"error": {"message": "overloaded"}}, "events[1].error"),
        ({}, "events[1].candidates"),
        ({"candidates": {}}, "events[1].candidates"),
        ({"candidates": [3]}, "events[1].candidates[0]"),
        ({"candidates": [{"index": "0"}]}, "events[1].candidates[0].index"),
        ({"candidates": [{"content": []}]}, "events[1].candidates[0].content"),
        ({"candidates": [{"content": {"parts": {}}}]}, "events[1].candidates[0].content.parts"),
        ({"candidates": [{"content": {"parts": [3]}}]}, "events[1].candidates[0].content.parts[0]"),
    ],
)
def test_what_is_no_chunk_is_refused_and_changes_nothing(event: dict[str, Any], place: str) -> None:
    stream = streamed([chunk({"text": "Hi"})])
    before = stream.answer()
    with pytest.raises(InvalidMessageError) as caught:
        stream.add(event)
    assert caught.value.place == place
    assert stream.answer() == before
