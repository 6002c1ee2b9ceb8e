"""Bodies and conversations composed for the tests of replay."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import Base64Source, FileSource, InlineTextSource, UrlSource
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.parts import (
    AudioPart,
    DocumentPart,
    HostedCallPart,
    HostedResultPart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.replay import Finding, Request, Severity

MODELS = {
    "anthropic": "claude-opus-4-8",
    "gemini": "gemini-3-pro-preview",
    "openai-chat": "gpt-5",
    "openai-responses": "gpt-5",
}
PNG = "iVBORw0KGgo="

_ANTHROPIC: dict[str, Any] = {
    "model": "claude-opus-4-8",
    "max_tokens": 1024,
    "system": [
        {"type": "text", "text": "Be brief."},
        {"type": "text", "text": "Cite.", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
    ],
    "tools": [
        {"name": "add", "description": "adds", "input_schema": {"type": "object"}, "strict": True},
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 3},
    ],
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
                {"type": "document", "source": {"type": "url", "url": "https://x/y.pdf"}, "title": "Y"},
                {"type": "text", "text": "What is 2 + 2, and what is in the picture?"},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "", "signature": "c2lnMQ=="},
                {"type": "redacted_thinking", "data": "ZGF0YQ=="},
                {"type": "text", "text": "I add."},
                {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 2, "b": 2.5}},
                {
                    "type": "tool_use",
                    "id": "toolu_2",
                    "name": "add",
                    "input": {},
                    "caller": {"type": "direct"},
                },
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "4.5", "is_error": False},
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_2",
                    "content": [
                        {"type": "text", "text": "see"},
                        {"type": "image", "source": {"type": "url", "url": "https://x/z.png"}},
                        {"type": "search_result", "source": "s", "title": "t", "content": []},
                    ],
                    "cache_control": {"type": "ephemeral", "ttl": "5m"},
                },
                {"type": "text", "text": "And then search."},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "search", "signature": "c2lnMg=="},
                {
                    "type": "server_tool_use",
                    "id": "srvtoolu_1",
                    "name": "web_search",
                    "input": {"query": "q"},
                },
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "srvtoolu_1",
                    "content": [
                        {
                            "type": "web_search_result",
                            "url": "https://x",
                            "title": "X",
                            "page_age": None,
                            "encrypted_content": "RW5j",
                        }
                    ],
                },
                {
                    "type": "text",
                    "text": "Found.",
                    "citations": [
                        {
                            "type": "web_search_result_location",
                            "cited_text": "c",
                            "encrypted_index": "RW5j",
                            "title": "X",
                            "url": "https://x",
                        }
                    ],
                },
            ],
        },
        {"role": "user", "content": "Thanks."},
        {"role": "system", "content": "Answer in French from now on."},
    ],
}

_CHAT: dict[str, Any] = {
    "model": "gpt-5",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "high"}},
                {
                    "type": "file",
                    "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,QQ=="},
                },
                {"type": "input_audio", "input_audio": {"data": "QQ==", "format": "wav"}},
            ],
        },
        {
            "role": "assistant",
            "content": "I look it up.",
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "look", "arguments": '{"path": ".env", "n": 1.10}'},
                },
                {"id": "call_2", "type": "custom", "custom": {"name": "sql", "input": "select 1"}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "found"},
        {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "1"}]},
        {"role": "developer", "content": "Now in French."},
        {"role": "assistant", "content": [{"type": "text", "text": "Voilà."}]},
        {"role": "user", "content": "Merci.", "name": "ann"},
    ],
    "tools": [
        {
            "type": "function",
            "function": {"name": "look", "description": "", "parameters": {"type": "object"}, "strict": True},
        },
        {"type": "custom", "custom": {"name": "sql"}},
    ],
    "tool_choice": "auto",
}


def anthropic_body() -> dict[str, Any]:
    """A request with every kind of block, as Anthropic accepts it."""
    return copy.deepcopy(_ANTHROPIC)


def chat_body() -> dict[str, Any]:
    """A request with every kind of content, as Chat Completions accepts it."""
    return copy.deepcopy(_CHAT)


def call(tool_call_id: str, arguments: str = "{}") -> ToolCallPart:
    return ToolCallPart(tool_call_id, "f", ExactJson.parse(arguments))


def answer(*parts: Part, provider: str | None = None, model: str | None = None) -> Message:
    return Message(Role.ASSISTANT, parts, Provenance(provider, None, model) if provider else None)


def result(*tool_call_ids: str, text: str = "r") -> Message:
    parts = tuple(ToolResultPart(one, (TextPart(f"{text} {one}"),), as_string=True) for one in tool_call_ids)
    return Message(Role.TOOL, parts)


def errors(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    """Place and rule of what is no mere warning."""
    return [(one.place, one.rule) for one in findings if one.severity is Severity.ERROR]


# ---------------------------------------------------------------- random conversations

_IDS = st.sampled_from(["c1", "c2", "c3", "toolu:1", "toolu 1", "", "é", "x" * 70, "x" * 71, "c" * 41])
_TEXT = st.sampled_from(["", " ", "\n\t", "text", "ein Text", "\ud800 lone", "\x00 nul"])
_ARGUMENTS = st.sampled_from(["{}", '{"a":1.10}', '{"a":1e400}', '"text"', "null"]).map(ExactJson.parse)
_PROVIDERS = st.sampled_from([None, "anthropic", "openai", "google"])

_media = st.one_of(
    st.just(ImagePart(UrlSource("https://x/y.png"))),
    st.just(ImagePart(Base64Source("image/png", PNG))),
    st.just(ImagePart(FileSource("google", "f"))),
    st.just(DocumentPart(Base64Source("application/pdf", "QQ=="), "a")),
    st.just(DocumentPart(InlineTextSource("plain"))),
    st.just(AudioPart(Base64Source("audio/wav", "QQ=="))),
)
_results = st.builds(
    lambda one, content, is_error: ToolResultPart(one, tuple(content), is_error),
    _IDS,
    st.lists(st.one_of(_TEXT.map(TextPart), _media), max_size=2),
    st.sampled_from([None, True, False]),
)
_calls = st.builds(lambda one, arguments: ToolCallPart(one, "f", arguments), _IDS, _ARGUMENTS)
_thoughts = st.sampled_from(
    [
        ReasoningPart("hm", signature="c2ln"),
        ReasoningPart("", signature="c2ln"),
        ReasoningPart("cut off"),
        ReasoningPart("", encrypted="ZGF0YQ=="),
    ]
)
_hosted = st.builds(
    lambda provider, one, half: (
        HostedCallPart(provider, "server_tool_use", one, "web_search", ExactJson("{}"))
        if half
        else HostedResultPart(provider, "web_search_tool_result", one, ExactJson("[]"))
    ),
    st.sampled_from(["anthropic", "google"]),
    st.sampled_from(["srv1", "srv2"]),
    st.booleans(),
)
_answers = st.builds(
    lambda parts, provider: answer(*parts, provider=provider),
    st.lists(
        st.one_of(_TEXT.map(TextPart), _calls, _calls, _thoughts, _hosted, st.just(RefusalPart("no"))),
        max_size=4,
    ),
    _PROVIDERS,
)
_messages = st.one_of(
    _answers,
    _answers,
    st.lists(_results, min_size=1, max_size=3).map(lambda parts: Message(Role.TOOL, tuple(parts))),
    st.lists(st.one_of(_TEXT.map(TextPart), _media, _results), max_size=3).map(
        lambda parts: Message(Role.USER, tuple(parts))
    ),
    _TEXT.map(Message.developer),
    st.just(Message(Role.USER, (OpaquePart("google", "odd", ExactJson('{"type":"odd"}')),))),
)

conversations: st.SearchStrategy[Request] = st.lists(_messages, max_size=12).map(
    lambda messages: Request(messages=(Message.user("start"), *messages, Message.user("end")))
)
"""Paths as no careful caller would write them: whatever happens, what is rendered must be acceptable."""
