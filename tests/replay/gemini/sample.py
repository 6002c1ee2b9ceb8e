"""A body with every kind of part, and random conversations as Gemini's own answers make them."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.parts import (
    HostedCallPart,
    HostedResultPart,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.replay import Request
from tests.replay.samples import PNG

MODEL = "gemini-3-pro-preview"
SIGNATURE = "c2lnbmVkIQ=="

_BODY: dict[str, Any] = {
    "systemInstruction": {"role": "user", "parts": [{"text": "Be brief."}, {"text": "Cite."}]},
    "contents": [
        {
            "role": "user",
            "parts": [
                {"text": "What is all this?"},
                {"inlineData": {"mimeType": "image/png", "data": PNG}},
                {
                    "inlineData": {"mimeType": "application/pdf", "data": "QQ==", "displayName": "a.pdf"},
                    "mediaResolution": {"level": "MEDIA_RESOLUTION_HIGH"},
                },
                {"inlineData": {"mimeType": "audio/wav", "data": "QQ"}},
                {
                    "fileData": {"fileUri": "https://youtu.be/x"},
                    "videoMetadata": {"startOffset": "1s", "endOffset": "2s"},
                },
                {
                    "file_data": {
                        "file_uri": "https://generativelanguage.googleapis.com/v1beta/files/abc",
                        "mime_type": "video/mp4",
                    },
                    "partMetadata": {"n": 1.5},
                },
            ],
        },
        {
            "role": "model",
            "parts": [
                {"text": "First I look.", "thought": True},
                {"text": "I look."},
                {
                    "functionCall": {"id": "c1", "name": "look", "args": {"path": ".env", "n": 2.5}},
                    "thoughtSignature": SIGNATURE,
                },
                {"functionCall": {"id": "c2", "name": "add", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "c1", "name": "look", "response": {"output": "found"}}},
                {
                    "functionResponse": {
                        "id": "c2",
                        "name": "add",
                        "response": {"sum": 4.5},
                        "parts": [{"inline_data": {"mime_type": "image/png", "data": PNG}}],
                    }
                },
            ],
        },
        {
            "role": "model",
            "parts": [
                {
                    "executable_code": {"id": "x1", "language": "PYTHON", "code": "print(1)"},
                    "thought_signature": SIGNATURE,
                },
                {"codeExecutionResult": {"id": "x1", "outcome": "OUTCOME_OK", "output": "1\n"}},
                {
                    "toolCall": {"id": "t1", "tool_type": "GOOGLE_SEARCH_WEB", "args": {"queries": ["q"]}},
                    "thoughtSignature": SIGNATURE,
                },
                {
                    "toolResponse": {"id": "t1", "toolType": "GOOGLE_SEARCH_WEB", "response": {"a": "b"}},
                    "thoughtSignature": SIGNATURE,
                },
                {"text": "It is one.", "thought": False},
                {"text": "", "thoughtSignature": SIGNATURE},
            ],
        },
        {"role": "user", "parts": [{"text": "And two?"}]},
        {
            "role": "model",
            "parts": [{"functionCall": {"name": "look"}, "thoughtSignature": SIGNATURE}],
        },
        {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"error": "lost"}}}]},
    ],
    "tools": [
        {"googleSearch": {}, "codeExecution": {}},
        {
            "functionDeclarations": [
                {"name": "look", "description": "", "parametersJsonSchema": {"type": "object"}},
                {
                    "name": "add",
                    "parameters": {"type": "OBJECT", "properties": {"type": {"type": "STRING"}}},
                    "behavior": "BLOCKING",
                },
            ]
        },
        {"function_declarations": [{"name": "more", "parameters_json_schema": {"type": "object"}}]},
    ],
    "generationConfig": {"temperature": 0.5, "thinkingConfig": {"include_thoughts": True}},
    "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
    "toolConfig": {"includeServerSideToolInvocations": True},
}


def gemini_body() -> dict[str, Any]:
    """A request with every kind of part, as Gemini accepts it."""
    return copy.deepcopy(_BODY)


_IDS = st.sampled_from(["c1", "c2", "gemini_no_id_0_0", "gemini_no_id_1_0", "c:1", "x" * 70])
_NAMES = st.sampled_from(["f", "g"])
_SIGNATURES = st.sampled_from([None, SIGNATURE, "not base64!", "c2ln", ""])
_OBJECTS = st.sampled_from(["{}", '{"a":1.10}', '{"output":"x"}', "[1]", '"text"', "null"]).map(
    ExactJson.parse
)
_DATA = st.sampled_from(
    [
        None,
        ExactJson('{"gemini":{"partMetadata":{"a":1.10}}}'),
        ExactJson('{"gemini":{"form":{"snake_case":["thought_signature","function_call"]}}}'),
        ExactJson('{"gemini":{"form":{"without":["args","name","id","response"]}}}'),
        ExactJson('{"gemini":{"form":7,"thought":true}}'),
        ExactJson('{"gemini":{"form":{"without":7,"snake_case":[1],"response":[],"content":1,"odd":null}}}'),
        ExactJson('{"gemini":{"thoughtSignature":"???"}}'),
    ]
)
_calls = st.builds(ToolCallPart, _IDS, _NAMES, _OBJECTS, _SIGNATURES, _DATA)
_results = st.builds(
    lambda one, name, text, data: ToolResultPart(one, (TextPart(text),), None, name, True, data),
    _IDS,
    st.sampled_from([None, "f", "g"]),
    st.sampled_from(["", "x", '{"a":1.10}']),
    st.one_of(
        _DATA,
        st.sampled_from(["object", "text", "value", "odd"]).map(
            lambda form: ExactJson.of({"gemini": {"form": {"response": form}}})
        ),
    ),
)
_hosted = st.builds(
    lambda kind, one, value, data: (
        HostedCallPart("gemini", kind, one, "n", value, data)
        if kind in ("executableCode", "toolCall")
        else HostedResultPart("gemini", kind, one, value, data)
    ),
    st.sampled_from(["executableCode", "toolCall", "codeExecutionResult", "toolResponse", "odd"]),
    _IDS,
    _OBJECTS,
    _DATA,
)
_opaque = st.sampled_from(
    [
        OpaquePart("gemini", "part", ExactJson(text))
        for text in (
            "{}",
            '{"thoughtSignature":"c2ln"}',
            '{"hologram":{}}',
            '{"text":"a","functionCall":{"name":"f"}}',
            '{"inline_data":{"data":"QQ=="}}',
            "[]",
        )
    ]
)
_said = st.builds(TextPart, st.sampled_from(["", "t"]), st.none(), _SIGNATURES, _DATA)
_thoughts = st.builds(
    ReasoningPart, st.sampled_from(["", "hm"]), _SIGNATURES, st.sampled_from([None, "ZQ=="])
)
_answers = st.builds(
    lambda parts, model, provider: Message(
        Role.ASSISTANT, tuple(parts), Provenance(provider, "generate-content", model)
    ),
    st.lists(st.one_of(_calls, _calls, _said, _thoughts, _hosted, _opaque), max_size=4),
    st.sampled_from([None, MODEL, "gemini-2.5-flash"]),
    st.sampled_from(["google", "google", "anthropic"]),
)
_inputs = st.builds(
    lambda role, parts: Message(role, tuple(parts)),
    st.sampled_from([Role.TOOL, Role.USER, Role.USER, Role.DEVELOPER]),
    st.lists(st.one_of(_results, _results, _said, _opaque), max_size=3),
)

own_conversations: st.SearchStrategy[Request] = st.lists(st.one_of(_answers, _inputs), max_size=10).map(
    lambda messages: Request(messages=(*messages, Message.user("end")))
)
"""Paths that claim to come from Gemini, as no careful caller would write them; they may open on an answer."""
