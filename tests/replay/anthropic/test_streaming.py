"""Streamed answers of the Messages API: the same message and record as unstreamed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message, Provenance
from convotree.domain.outcome import Outcome
from convotree.domain.parts import CompactionPart, ToolCallPart
from convotree.errors import InvalidMessageError
from convotree.replay import StreamedAnswer

Event = dict[str, Any]


def cut(answer: dict[str, Any], size: int) -> list[Event]:
    """An unstreamed answer as the events that the API would have sent."""
    usage = answer["usage"]
    first = {**answer, "content": [], "stop_reason": None, "stop_sequence": None}
    first["usage"] = {**usage, "output_tokens": 1}
    events: list[Event] = [{"type": "message_start", "message": first}, {"type": "ping"}]
    for index, block in enumerate(answer["content"]):
        start, deltas = _began(block, size)
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += [{"type": "content_block_delta", "index": index, "delta": one} for one in deltas]
        events.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": answer["stop_reason"], "stop_sequence": answer["stop_sequence"]}
    counted = {"output_tokens": usage["output_tokens"]}
    return [*events, {"type": "message_delta", "delta": delta, "usage": counted}, {"type": "message_stop"}]


def _began(block: dict[str, Any], size: int) -> tuple[dict[str, Any], list[Event]]:
    match block["type"]:
        case "text":
            start = {**block, "text": ""}
            if block.get("citations"):
                start["citations"] = []
            cited = [{"type": "citations_delta", "citation": one} for one in block.get("citations") or ()]
            return start, [*cited, *_deltas("text", block["text"], size)]
        case "thinking":
            signed = [{"type": "signature_delta", "signature": block["signature"]}]
            thought = _deltas("thinking", block["thinking"], size)
            return {**block, "thinking": "", "signature": ""}, [*thought, *signed]
        case "tool_use" | "server_tool_use" | "mcp_tool_use":
            text = json.dumps(block["input"])
            pieces = [text[at : at + size] for at in range(0, len(text), size)]
            begun = [{"type": "input_json_delta", "partial_json": one} for one in ["", *pieces]]
            return {**block, "input": {}}, begun
        case _:
            return block, []


def _deltas(name: str, text: str, size: int) -> list[Event]:
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return [{"type": f"{name}_delta", name: one} for one in pieces]


def streamed(events: list[Event]) -> StreamedAnswer:
    stream = StreamedAnswer("anthropic")
    for event in events:
        stream.add(json.dumps(event))
    return stream


@pytest.mark.parametrize("size", [1, 11, 100_000])
def test_a_recorded_answer_cut_into_events_is_the_same_answer(cases: Path, size: int) -> None:
    files = sorted((cases / "provider-exchanges").glob("anthropic_*.json"))
    assert files
    for file in files:
        answer = json.loads(file.read_text(encoding="utf-8"))["response"]
        stream = streamed(cut(answer, size))
        assert stream.complete
        assert stream.message() == Message.from_provider("anthropic", answer), file.name
        record = GenerationRecord.from_provider("anthropic", answer, model="claude-sonnet-4-0")
        assert stream.generation(model="claude-sonnet-4-0") == record


START: Event = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-8",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 1},
    },
}


def block(index: int, start: Event, *deltas: Event) -> list[Event]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": one} for one in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def piece(text: str) -> Event:
    return {"type": "input_json_delta", "partial_json": text}


CALL: Event = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}


def test_numbers_in_partial_json_keep_their_spelling() -> None:
    stream = streamed([START, *block(0, CALL, piece('{"x":1.'), piece('10,"n":1e40'), piece("0}"))])
    (call,) = stream.message().tool_calls
    assert call.arguments == ExactJson('{"x":1.10,"n":1e400}')


def test_a_call_that_was_cut_off_keeps_what_came() -> None:
    stream = streamed([START, *block(0, CALL, piece('{"x":1.'))[:-1]])
    message = stream.message()
    assert message.parts == (ToolCallPart("toolu_1", "look", ExactJson.of('{"x":1.')),)
    assert message.outcome is Outcome.ABORTED
    assert Message.from_provider("anthropic", stream.answer().text).outcome is Outcome.ABORTED


def test_a_summary_comes_whole() -> None:
    stream = streamed(
        [
            START,
            *block(
                0,
                {"type": "compaction", "content": None, "signature": "c2ln"},
                {"type": "compaction_delta", "content": "in short", "encrypted_content": "ZW5j"},
            ),
        ]
    )
    (part,) = stream.message().parts
    assert isinstance(part, CompactionPart)
    assert (part.text, part.signature, part.encrypted) == ("in short", "c2ln", "ZW5j")


def test_the_model_that_goes_on_after_a_fallback_gave_the_answer() -> None:
    hop = {"type": "fallback", "from": {"model": "claude-opus-4-8"}, "to": {"model": "claude-sonnet-5"}}
    stream = streamed([START, *block(0, hop), *block(1, {"type": "text", "text": "Hi"})])
    message = stream.message()
    assert message.provenance == Provenance("anthropic", "messages", "claude-sonnet-5")
    assert stream.generation(model="claude-opus-4-8").model_answered == "claude-sonnet-5"


def test_what_the_end_does_not_say_is_as_it_was_at_the_start() -> None:
    start = {**START, "message": {**START["message"], "container": {"id": "c_1"}}}
    end: Event = {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None, "container": None},
        "usage": {"output_tokens": 7, "input_tokens": None},
        "context_management": None,
    }
    answer = json.loads(streamed([start, end]).answer().text)
    assert answer["container"] == {"id": "c_1"}
    assert answer["usage"] == {"input_tokens": 3, "output_tokens": 7}
    assert answer["stop_reason"] == "end_turn"


@pytest.mark.parametrize(
    ("events", "place"),
    [
        ([{"kind": "ping"}], "events[0].type"),
        ([{"type": "content_block_start", "index": 0, "content_block": CALL}], "events[0]"),
        ([{"type": "message_start", "message": []}], "events[0].message"),
        ([START, {"type": "content_block_delta", "index": 0, "delta": {}}], "events[1].index"),
        ([START, {"type": "content_block_start", "index": "0", "content_block": CALL}], "events[1].index"),
        ([START, *block(0, CALL), *block(0, CALL)], "events[3].index"),
        ([START, *block(0, CALL, {"type": "text_delta"})], "events[2].delta.text"),
        ([START, *block(0, CALL, {"type": "smell_delta", "smell": "rose"})], "events[2].delta.type"),
        ([START, {"type": "message_delta", "delta": None}], "events[1].delta"),
        ([START, {"type": "error", "error": {"type": "overloaded_error"}}], "events[1].error"),
        ([{"type": "message_stop"}], "events[0]"),
    ],
)
def test_what_cannot_follow_is_refused_with_its_place(events: list[Event], place: str) -> None:
    with pytest.raises(InvalidMessageError) as caught:
        streamed(events)
    assert caught.value.place == place


def test_what_came_before_an_error_can_be_kept() -> None:
    stream = streamed([START, *block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "So"})])
    with pytest.raises(InvalidMessageError):
        stream.add({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    assert not stream.complete
    message = stream.message()
    assert (message.text, message.outcome) == ("So", Outcome.ABORTED)


def test_events_of_types_to_come_are_passed_over() -> None:
    stream = streamed(
        [START, {"type": "weather_report", "sun": True}, *block(0, {"type": "text", "text": "Hi"})]
    )
    assert stream.message().text == "Hi"
    with pytest.raises(InvalidMessageError):
        StreamedAnswer("anthropic").answer()
