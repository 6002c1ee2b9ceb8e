"""Every part comes back as it was, in either spelling, and becomes the part that it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from convotree.domain.media import Base64Source, FileSource, UrlSource
from convotree.domain.parts import (
    AudioPart,
    DocumentPart,
    HostedCallPart,
    HostedResultPart,
    ImagePart,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
)
from convotree.replay import RenderPolicy, Request, ToolArguments
from convotree.replay.policy import AS_STORED
from tests.replay.gemini.sample import MODEL, SIGNATURE
from tests.replay.samples import PNG

FILE = "https://generativelanguage.googleapis.com/v1beta/files/abc"


def read(part: Any, role: str = "model") -> Any:
    body = {"contents": [{"role": role, "parts": [part]}]}
    return Request.from_provider("gemini", json.dumps(body)).messages[0].parts[0]


def back(part: Any, policy: RenderPolicy = AS_STORED) -> Any:
    body = {"contents": [{"role": "model", "parts": [part]}]}
    made = Request.from_provider("gemini", json.dumps(body)).render("gemini", model=MODEL, policy=policy)
    return made.body["contents"][0]["parts"][0]


PARTS: list[tuple[dict[str, Any], type]] = [
    ({"text": "a"}, TextPart),
    ({"text": "", "thought_signature": SIGNATURE}, TextPart),
    ({"text": "a", "thought": False, "odd": {"n": 1.5}}, TextPart),
    ({"text": "a", "thoughtSignature": None}, TextPart),
    ({"text": "a", "form": {"snake_case": ["text"]}}, TextPart),
    ({"text": "a", "thought": True, "thoughtSignature": SIGNATURE}, ReasoningPart),
    ({"inlineData": {"mimeType": "image/png", "data": PNG}, "thought": True}, ImagePart),
    ({"inline_data": {"mime_type": "image/png", "data": PNG}, "thought_signature": SIGNATURE}, ImagePart),
    ({"inline_data": {"mimeType": "audio/wav", "data": "QQ"}, "thoughtSignature": SIGNATURE}, AudioPart),
    (
        {
            "inlineData": {"mimeType": "video/mp4", "data": "QQ==", "displayName": "v"},
            "videoMetadata": {"fps": 1},
            "mediaResolution": {"level": "MEDIA_RESOLUTION_LOW"},
        },
        DocumentPart,
    ),
    ({"inlineData": {"data": "QQ=="}}, OpaquePart),
    ({"fileData": {"fileUri": FILE, "mimeType": "image/png"}}, ImagePart),
    ({"file_data": {"file_uri": "gs://b/c.pdf"}}, DocumentPart),
    ({"fileData": {"mimeType": "image/png"}}, OpaquePart),
    ({"functionCall": {"name": "f"}}, ToolCallPart),
    ({"functionCall": {"name": "f", "args": {}, "id": "c1", "odd": 1}}, ToolCallPart),
    ({"function_call": {"name": "f", "args": {"a": {"b": 1}}}, "thought_signature": SIGNATURE}, ToolCallPart),
    ({"functionCall": {"name": "f", "args": [1, 2]}}, ToolCallPart),
    ({"functionCall": {"name": "f", "args": None}}, ToolCallPart),
    ({"executableCode": {"code": "1", "language": "PYTHON"}}, HostedCallPart),
    ({"executable_code": {"id": "x", "code": "1", "odd": []}, "thoughtSignature": SIGNATURE}, HostedCallPart),
    ({"codeExecutionResult": {"outcome": "OUTCOME_OK"}}, HostedResultPart),
    ({"code_execution_result": {"id": "x", "output": "1"}}, HostedResultPart),
    ({"toolCall": {"toolType": "T", "id": "t", "args": {"q": [1.5]}}}, HostedCallPart),
    ({"tool_call": {"tool_type": "T"}, "thought_signature": SIGNATURE}, HostedCallPart),
    ({"toolResponse": {"tool_type": "T", "id": "t", "response": {"a": None}}}, HostedResultPart),
    ({"tool_response": {"id": "t"}}, HostedResultPart),
    ({"hologram": {"a": 1.5}}, OpaquePart),
    ({"text": "a", "inlineData": {}}, OpaquePart),
    ({}, OpaquePart),
]


@pytest.mark.parametrize(("part", "kind"), PARTS, ids=str)
def test_a_part_comes_back_as_it_was(part: dict[str, Any], kind: type) -> None:
    assert type(read(part)) is kind
    assert back(part) == part


@pytest.mark.parametrize(
    "response",
    [
        {"output": "a"},
        {"error": "a"},
        {"output": "a", "n": 1.5},
        {"output": {"a": 1}},
        {},
        "bare",
        "",
        7,
        [1],
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "rest",
    [
        {},
        {"id": "c1"},
        {"scheduling": "SILENT"},
        {"parts": [{"inline_data": {"mime_type": "a/b", "data": ""}}]},
    ],
    ids=str,
)
def test_a_function_response_comes_back_as_it_was(response: Any, rest: dict[str, Any]) -> None:
    part = {"functionResponse": {"name": "f", "response": response, **rest}}
    body = {"contents": [{"role": "user", "parts": [part]}]}
    made = Request.from_provider("gemini", body).render("gemini", model=MODEL, policy=AS_STORED)
    assert made.body == body


@pytest.mark.parametrize(
    "inner",
    [
        {"name": "f"},
        {"name": "f", "parts": []},
        {"name": "f", "parts": [{"odd": 1}, {"functionResponse": {"name": "f"}}]},
        {"response": {"a": 1}},
    ],
    ids=str,
)
def test_an_odd_function_response_comes_back_as_it_was(inner: dict[str, Any]) -> None:
    body = {"contents": [{"role": "user", "parts": [{"function_response": inner}]}]}
    made = Request.from_provider("gemini", body).render("gemini", model=MODEL, policy=AS_STORED)
    assert made.body == body


def test_what_a_response_says_can_be_read() -> None:
    texts = [
        (part.content[0].text, part.is_error)
        for response in ({"output": "a"}, {"error": "b"}, {"n": 1.5}, "bare", 7)
        for part in [read({"functionResponse": {"name": "f", "response": response}}, "user")]
    ]
    assert texts == [("a", None), ("b", True), ('{"n":1.5}', None), ("bare", None), ("7", None)]


def test_a_bare_response_becomes_the_output_of_an_object() -> None:
    for response, output in (("bare", "bare"), (7, 7)):
        body = {
            "contents": [
                {"role": "user", "parts": [{"text": "go"}]},
                {"role": "model", "parts": [{"functionCall": {"name": "f"}, "thoughtSignature": SIGNATURE}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": response}}]},
            ]
        }
        made = Request.from_provider("gemini", body).render("gemini", model=MODEL)
        sent = made.body["contents"][2]["parts"][0]["functionResponse"]["response"]
        assert sent == {"output": output}
        assert [(note.rule, note.place) for note in made.notes] == [("G14", "messages[2].parts[0]")]
        with pytest.raises(Exception, match="G14"):
            Request.from_provider("gemini", body).render(
                "gemini", model=MODEL, policy=RenderPolicy(tool_arguments=ToolArguments.REFUSE)
            )


def test_where_media_come_from() -> None:
    assert read({"inlineData": {"mimeType": "image/png", "data": PNG}}).source == Base64Source(
        "image/png", PNG
    )
    assert read({"fileData": {"fileUri": FILE}}).source == FileSource("google", FILE)
    assert read({"fileData": {"fileUri": "https://youtu.be/x"}}).source == UrlSource("https://youtu.be/x")
