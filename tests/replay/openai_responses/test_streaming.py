"""Streamed answers of the Responses API: the same message and record as unstreamed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message
from convotree.domain.outcome import Outcome
from convotree.domain.parts import ReasoningPart, TextPart
from convotree.errors import InvalidMessageError
from convotree.replay import StreamedAnswer

NAME = "openai-responses"

OUTPUT: list[dict[str, Any]] = [
    {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "first"}, {"type": "summary_text", "text": "then"}],
        "encrypted_content": "gAAA",
        "content": [{"type": "reasoning_text", "text": "hm"}],
    },
    {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search", "query": "q"},
    },
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [
            {
                "type": "output_text",
                "text": "Found it.",
                "annotations": [
                    {
                        "type": "url_citation",
                        "start_index": 0,
                        "end_index": 5,
                        "title": "t",
                        "url": "https://x",
                    }
                ],
            },
            {"type": "refusal", "refusal": "But no."},
        ],
    },
    {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "f",
        "arguments": '{"a": 1.10}',
        "status": "completed",
    },
    {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_2", "name": "q", "input": "SELECT 1"},
    {
        "type": "mcp_call",
        "id": "mcp_1",
        "name": "ask",
        "server_label": "s",
        "arguments": '{"q":1}',
        "output": "yes",
    },
    {
        "type": "code_interpreter_call",
        "id": "ci_1",
        "status": "completed",
        "code": "1 + 1",
        "container_id": "cntr_1",
        "outputs": None,
    },
]


def response(output: list[dict[str, Any]], status: str = "completed", **rest: Any) -> dict[str, Any]:
    usage = {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5} if status == "completed" else None
    return {
        "id": "resp_1",
        "object": "response",
        "model": "gpt-5-2025-08-07",
        "status": status,
        "error": None,
        "incomplete_details": None,
        "output": output,
        "usage": usage,
        **rest,
    }


def events_of(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """An unstreamed answer as the events that the API would have sent."""
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for number, item in enumerate(whole["output"]):
        events.append({"type": "response.output_item.added", "output_index": number, "item": _bare(item)})
        events.extend({"output_index": number, "item_id": item["id"], **event} for event in _pieces(item))
        events.append({"type": "response.output_item.done", "output_index": number, "item": item})
    events.append({"type": f"response.{whole['status']}", "response": whole})
    return [{"sequence_number": number, **event} for number, event in enumerate(events)]


def _bare(item: dict[str, Any]) -> dict[str, Any]:
    empty = {"content": [], "summary": [], "arguments": "", "input": "", "code": ""}
    return {key: empty.get(key, value) for key, value in item.items()} | (
        {"status": "in_progress"} if "status" in item else {}
    )


def _pieces(item: dict[str, Any]) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    for name, kind in (("arguments", "function_call_arguments"), ("input", "custom_tool_call_input")):
        if name in item:
            kind = "mcp_call_arguments" if item["type"] == "mcp_call" else kind
            events.extend({"type": f"response.{kind}.delta", "delta": one} for one in item[name])
            events.append({"type": f"response.{kind}.done", name: item[name]})
    if "code" in item:
        events.extend(
            {"type": "response.code_interpreter_call_code.delta", "delta": one} for one in item["code"]
        )
    for number, block in enumerate(item.get("summary", ())):
        at = {"summary_index": number}
        part = {"type": "summary_text", "text": ""}
        events.append({"type": "response.reasoning_summary_part.added", "part": part, **at})
        for one in block["text"]:
            events.append({"type": "response.reasoning_summary_text.delta", "delta": one, **at})
    for number, block in enumerate(item.get("content", ())):
        at = {"content_index": number}
        key = "refusal" if block["type"] == "refusal" else "text"
        part = {"type": block["type"], key: ""} | ({"annotations": []} if "annotations" in block else {})
        events.append({"type": "response.content_part.added", "part": part, **at})
        for one in block[key]:
            events.append({"type": f"response.{block['type']}.delta", "delta": one, **at})
        for one in block.get("annotations", ()):
            events.append({"type": "response.output_text.annotation.added", "annotation": one, **at})
    return events


def streamed(events: list[dict[str, Any]]) -> StreamedAnswer:
    stream = StreamedAnswer(NAME)
    for event in events:
        stream.add(json.dumps(event))
    return stream


def same(whole: dict[str, Any], events: list[dict[str, Any]]) -> None:
    stream = streamed(events)
    text = json.dumps(whole)
    assert stream.complete
    assert stream.answer().value == whole
    assert stream.message() == Message.from_provider(NAME, text)
    assert stream.generation(model="m") == GenerationRecord.from_provider(NAME, text, model="m")


def test_recorded_answers_in_events_are_the_same_answers(cases: Path) -> None:
    files = sorted((cases / "provider-exchanges").glob("openai_responses_*.json"))
    assert files
    for file in files:
        whole = json.loads(file.read_text(encoding="utf-8"))["response"]
        same(whole, events_of(whole))


def test_every_kind_of_event() -> None:
    same(response(OUTPUT), events_of(response(OUTPUT)))


def test_the_last_event_may_leave_the_output_out() -> None:
    whole = response(OUTPUT)
    events = events_of(whole)
    events[-1] = {**events[-1], "response": {**whole, "output": []}}
    same(whole, events)


def test_what_has_come_of_an_answer_that_breaks_off() -> None:
    events = [one for one in events_of(response(OUTPUT)) if one["type"] != "response.output_item.done"]
    stream = streamed(events[:-1])
    assert not stream.complete
    output = stream.answer().value["output"]
    assert [item["type"] for item in output] == [item["type"] for item in OUTPUT]
    thought = {key: value for key, value in OUTPUT[0].items() if key != "encrypted_content"}
    assert output[0] == thought
    assert output[2] == {**OUTPUT[2], "status": "in_progress"}
    assert output[3] == {**OUTPUT[3], "status": "in_progress"}
    assert output[4:6] == OUTPUT[4:6]
    assert output[6] == {**OUTPUT[6], "status": "in_progress"}
    message = stream.message()
    assert message.outcome is Outcome.ABORTED
    assert isinstance(message.parts[0], ReasoningPart)
    assert message.parts[0].encrypted is None


def test_text_without_its_first_event_is_text() -> None:
    begun = {"type": "response.created", "response": response([], "in_progress")}
    added = {"type": "response.output_item.added", "output_index": 0, "item": _bare(OUTPUT[2])}
    delta = {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Fo"}
    (part,) = streamed([begun, added, delta]).message().parts
    assert isinstance(part, TextPart)
    assert part.text == "Fo"


@pytest.mark.parametrize(
    ("status", "rest", "outcome", "reason"),
    [
        (
            "incomplete",
            {"incomplete_details": {"reason": "max_output_tokens"}},
            Outcome.COMPLETE,
            "max_output_tokens",
        ),
        (
            "incomplete",
            {"incomplete_details": {"reason": "content_filter"}},
            Outcome.COMPLETE,
            "content_filter",
        ),
        ("failed", {"error": {"code": "server_error", "message": "m"}}, Outcome.FAILED, "failed"),
        ("cancelled", {}, Outcome.ABORTED, "cancelled"),
    ],
)
def test_how_an_answer_ended(status: str, rest: dict[str, Any], outcome: Outcome, reason: str) -> None:
    whole = response(OUTPUT, status, **rest)
    same(whole, events_of(whole))
    assert Message.from_provider(NAME, whole).outcome is outcome
    assert GenerationRecord.from_provider(NAME, whole).stop_reason == reason


def test_an_error_ends_the_answer() -> None:
    stream = streamed(events_of(response(OUTPUT))[:-1])
    stream.add({"type": "error", "code": "server_error", "message": "down", "param": None})
    assert stream.complete
    assert stream.message().outcome is Outcome.FAILED
    assert stream.answer().value["error"] == {"code": "server_error", "message": "down"}


def test_events_of_other_types_say_nothing() -> None:
    events = events_of(response(OUTPUT))
    for kind in ("response.web_search_call.searching", "response.something.new", "keepalive"):
        events.insert(4, {"type": kind, "output_index": 1})
    same(response(OUTPUT), events)


@pytest.mark.parametrize(
    ("event", "place"),
    [
        ({}, "events[1].type"),
        ({"type": "response.completed"}, "events[1].response"),
        ({"type": "response.output_item.added", "output_index": "0", "item": {}}, "events[1].output_index"),
        ({"type": "response.output_item.added", "output_index": 0}, "events[1].item"),
        ({"type": "response.output_text.delta", "output_index": 0, "delta": ""}, "events[1].output_index"),
    ],
)
def test_what_is_no_event(event: dict[str, Any], place: str) -> None:
    stream = streamed([{"type": "response.created", "response": response([], "in_progress")}])
    with pytest.raises(InvalidMessageError) as caught:
        stream.add(event)
    assert caught.value.place == place


@pytest.mark.parametrize(
    "event",
    [
        {"type": "response.output_text.delta", "output_index": 0, "delta": "x"},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0},
        {"type": "response.content_part.added", "output_index": 0, "content_index": 0, "part": None},
    ],
)
def test_a_piece_that_lacks_something_is_not_taken(event: dict[str, Any]) -> None:
    begun = {"type": "response.created", "response": response([], "in_progress")}
    added = {"type": "response.output_item.added", "output_index": 0, "item": _bare(OUTPUT[2])}
    stream = streamed([begun, added])
    before = stream.answer()
    with pytest.raises(InvalidMessageError):
        stream.add(event)
    assert stream.answer() == before


def test_an_error_before_anything_is_no_answer() -> None:
    stream = StreamedAnswer(NAME)
    with pytest.raises(InvalidMessageError):
        stream.add({"type": "error", "message": "no"})
    with pytest.raises(InvalidMessageError):
        stream.answer()
