"""Bodies and answers of the Responses API as requests and messages; what is wrong with them, and where."""

from __future__ import annotations

import json
from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.media import Base64Source, FileSource, OpaqueSource, UrlSource
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.parts import (
    CompactionPart,
    DocumentPart,
    HostedCallPart,
    HostedResultPart,
    ImagePart,
    OpaquePart,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.errors import InvalidJsonError, InvalidMessageError
from convotree.replay import Request
from tests.replay.openai_responses.bodies import MODEL, every_kind, responses_body
from tests.replay.samples import PNG

NAME = "openai-responses"


def read(*items: Any, **rest: Any) -> Request:
    return Request.from_provider(NAME, {"input": list(items), **rest})


def read_answer(*output: Any) -> Message:
    return Message.from_provider(NAME, {"output": list(output), "model": MODEL})


def test_system_tools_settings_and_provenance() -> None:
    request = Request.from_provider(NAME, json.dumps(responses_body()))
    assert request.system == "Be brief."
    assert [(tool.name, tool.provider) for tool in request.tools] == [
        ("add", None),
        ("later", None),
        ("query", NAME),
        ("web_search", NAME),
    ]
    assert request.messages[1].provenance == Provenance("openai", "responses", MODEL)
    assert request.params == ExactJson(
        '{"model":"gpt-5","store":false,"include":["reasoning.encrypted_content"]}'
    )
    other = Request.from_provider(NAME, responses_body(), model="o3")
    assert other.messages[1].provenance == Provenance("openai", "responses", "o3")


def test_what_a_model_makes_in_a_row_is_one_message() -> None:
    kinds = [
        [type(part) for part in message.parts]
        for message in Request.from_provider(NAME, responses_body()).messages
    ]
    assert kinds == [
        [TextPart, ImagePart, DocumentPart, DocumentPart],
        [ReasoningPart, TextPart, TextPart, ToolCallPart, ToolCallPart],
        [ToolResultPart, ToolResultPart],
        [ReasoningPart, HostedCallPart, ReasoningPart, TextPart],
        [TextPart],
        [TextPart],
    ]


def test_what_each_part_holds() -> None:
    user, made, results, found, *_ = Request.from_provider(NAME, json.dumps(responses_body())).messages
    assert [getattr(part, "source", None) for part in user.parts[1:]] == [
        Base64Source("image/png", PNG),
        Base64Source("application/pdf", "QUFB"),
        FileSource("openai", "file-1"),
    ]
    thought, _, _, function, custom = made.parts
    assert isinstance(thought, ReasoningPart)
    assert (thought.text, thought.signature, thought.encrypted) == ("think", None, "gAAA1")
    assert isinstance(function, ToolCallPart)
    assert isinstance(custom, ToolCallPart)
    assert function.arguments == ExactJson('{"a":2.50,"b":1e2}')
    assert custom.arguments == ExactJson.of("SELECT 1\nFROM t")
    assert [part.as_string for part in results.parts if isinstance(part, ToolResultPart)] == [True, False]
    searched, said = found.parts[1], found.parts[3]
    assert isinstance(searched, HostedCallPart)
    assert isinstance(said, TextPart)
    assert (searched.kind, searched.tool_call_id) == ("web_search_call", "ws_1")
    assert searched.arguments == ExactJson('{"type":"search","query":"q"}')
    assert said.citations is not None


def test_every_kind_has_its_part() -> None:
    request = Request.from_provider(NAME, every_kind())
    kinds = {
        part.kind for message in request.messages for part in message.parts if isinstance(part, OpaquePart)
    }
    assert kinds == {"additional_tools", "configuration_update", "item_reference", "compaction_trigger"}
    results = [
        part.kind
        for message in request.messages
        for part in message.parts
        if isinstance(part, HostedResultPart)
    ]
    assert results == ["tool_search_output", "shell_call_output", "mcp_approval_response", "program_output"]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"type": "refusal", "refusal": "no"}, RefusalPart),
        ({"type": "output_text", "text": "x", "annotations": []}, TextPart),
    ],
)
def test_what_an_answer_says(item: Any, expected: type) -> None:
    message = {
        "type": "message",
        "role": "assistant",
        "id": "msg_1",
        "status": "completed",
        "content": [item],
    }
    (part,) = read_answer(message).parts
    assert type(part) is expected


def test_a_compaction_is_a_summary_that_only_the_provider_reads() -> None:
    (part,) = read_answer({"type": "compaction", "id": "cmp_1", "encrypted_content": "gA"}).parts
    assert isinstance(part, CompactionPart)
    assert (part.text, part.encrypted) == (None, "gA")


@pytest.mark.parametrize(
    "item",
    [
        {"type": "hologram", "id": "h_1", "deep": [{"x": 1}]},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "file_search_call", "queries": []},
        {"type": "shell_call", "id": "s", "action": {}, "environment": {"type": "container_reference"}},
        {"type": "computer_call", "id": "cu_1", "call_id": "c"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_smell", "smell": 1}]},
        {"type": "message", "role": "assistant", "content": []},
    ],
)
def test_what_is_not_known_is_kept_whole(item: dict[str, Any]) -> None:
    message = read_answer(item)
    assert message.parts == (OpaquePart(NAME, item["type"], ExactJson.of(item)),)
    assert read(item).messages[0].parts == message.parts


def test_a_result_without_a_call_id_is_kept_whole() -> None:
    item = {"type": "function_call_output", "name": "f", "output": "1"}
    (message,) = read(item).messages
    assert (message.role, message.parts) == (Role.TOOL, (OpaquePart(NAME, item["type"], ExactJson.of(item)),))


@pytest.mark.parametrize(
    ("piece", "source"),
    [
        ({"file_url": "https://x/a.pdf"}, UrlSource("https://x/a.pdf")),
        ({"file_data": "QUFB"}, OpaqueSource(NAME, ExactJson('{"file_data":"QUFB"}'))),
        (
            {"file_id": "f", "file_url": "https://x"},
            OpaqueSource(NAME, ExactJson('{"file_id":"f","file_url":"https://x"}')),
        ),
    ],
)
def test_where_a_file_is(piece: dict[str, Any], source: object) -> None:
    item = {"role": "user", "content": [{"type": "input_file", **piece}]}
    (message,) = read(item).messages
    (part,) = message.parts
    assert isinstance(part, DocumentPart)
    assert part.source == source


@pytest.mark.parametrize(
    "output", [[{"type": "input_text", "text": "a"}], [], "", [{"type": "input_image", "file_id": "f"}]]
)
def test_an_output_comes_back_in_its_form(output: Any) -> None:
    items = [
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{"},
        {"type": "function_call_output", "call_id": "c", "output": output},
    ]
    assert read(*items).render(NAME, model=MODEL).body["input"] == items


@pytest.mark.parametrize("order", [("b", "a"), ("a", "b")])
def test_results_keep_the_order_they_came_in(order: tuple[str, str]) -> None:
    items = [{"type": "function_call", "call_id": one, "name": "f", "arguments": "{}"} for one in ("a", "b")]
    items += [{"type": "function_call_output", "call_id": one, "output": "1"} for one in order]
    made = read(*items).render(NAME, model=MODEL)
    assert (made.body["input"], made.notes) == (items, ())


def test_a_record_of_the_call() -> None:
    answer = {
        "id": "resp_1",
        "model": "gpt-5-2025-08-07",
        "status": "completed",
        "output": [],
        "usage": {"input_tokens": 1},
    }
    assert GenerationRecord.from_provider(NAME, answer, model=MODEL) == GenerationRecord(
        provider="openai",
        api="responses",
        model=MODEL,
        model_answered="gpt-5-2025-08-07",
        response_id="resp_1",
        stop_reason="completed",
        usage=ExactJson('{"input_tokens":1}'),
    )


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def made(**members: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", **members}


BAD: list[tuple[dict[str, Any], str]] = [
    ({"input": 7}, "input"),
    ({"input": {}}, "input"),
    ({"input": [7]}, "input[0]"),
    ({"input": [{}]}, "input[0].type"),
    ({"input": [{"type": 7}]}, "input[0].type"),
    ({"input": [{"role": "tool", "content": "x"}]}, "input[0].role"),
    ({"input": [{"role": 7, "content": "x"}]}, "input[0].role"),
    ({"input": [{"role": "user"}]}, "input[0].content"),
    ({"input": [user(7)]}, "input[0].content"),
    ({"input": [user(["x"])]}, "input[0].content[0]"),
    ({"input": [user([{"text": "x"}])]}, "input[0].content[0].type"),
    ({"input": [user([{"type": "input_text"}])]}, "input[0].content[0].text"),
    ({"input": [{"role": "assistant", "content": 7}]}, "input[0].content"),
    ({"input": [{"role": "assistant", "content": [7]}]}, "input[0].content[0]"),
    ({"input": [{"role": "assistant", "content": [{"type": "output_text"}]}]}, "input[0].content[0].text"),
    ({"input": [made(), made(call_id=7)]}, "input[1].call_id"),
    ({"input": [made(name=None)]}, "input[0].name"),
    ({"input": [made(arguments={})]}, "input[0].arguments"),
    ({"input": [{"type": "custom_tool_call", "call_id": "c", "name": "q", "input": 7}]}, "input[0].input"),
    ({"input": [{"type": "function_call_output", "call_id": 7, "output": ""}]}, "input[0].call_id"),
    ({"input": [{"type": "function_call_output", "call_id": "c"}]}, "input[0].output"),
    ({"input": [{"type": "function_call_output", "call_id": "c", "output": 7}]}, "input[0].output"),
    (
        {"input": [{"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text"}]}]},
        "input[0].output[0].text",
    ),
    ({"input": [{"type": "reasoning", "encrypted_content": 7}]}, "input[0].encrypted_content"),
    ({"input": [{"type": "reasoning", "summary": "x"}]}, "input[0].summary"),
    ({"input": [{"type": "compaction"}]}, "input[0].encrypted_content"),
    ({"input": [{"type": "mcp_approval_response", "approve": True}]}, "input[0].approval_request_id"),
    ({"input": [], "instructions": 7}, "instructions"),
    ({"input": [], "model": 7}, "model"),
    ({"input": [], "tools": {}}, "tools"),
    ({"input": [], "tools": [7]}, "tools[0]"),
    ({"input": [], "tools": [{"name": "f"}]}, "tools[0].type"),
    ({"input": [], "tools": [{"type": "function"}]}, "tools[0].name"),
    ({"input": [], "tools": [{"type": "function", "name": "f", "parameters": 7}]}, "tools[0].parameters"),
]


@pytest.mark.parametrize(("body", "place"), BAD, ids=lambda one: one if isinstance(one, str) else "")
def test_what_is_wrong_is_named(body: dict[str, Any], place: str) -> None:
    with pytest.raises(InvalidMessageError) as caught:
        Request.from_provider(NAME, json.dumps(body))
    assert caught.value.place == place


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ({}, "output"),
        ({"output": {}}, "output"),
        ({"output": [7]}, "output[0]"),
        ({"output": [made(name=7)]}, "output[0].name"),
        ({"output": [], "model": 7}, "model"),
        ({"output": [], "status": 7}, "status"),
    ],
)
def test_what_is_wrong_with_an_answer_is_named(answer: dict[str, Any], place: str) -> None:
    with pytest.raises(InvalidMessageError) as caught:
        Message.from_provider(NAME, json.dumps(answer))
    assert caught.value.place == place


def test_what_is_no_json_is_said() -> None:
    with pytest.raises(InvalidJsonError):
        Request.from_provider(NAME, "{")
