"""Every block becomes its part and comes back the same, unknown members and unknown types included."""

from __future__ import annotations

import json
from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import FileSource, InlineTextSource, OpaqueSource, UrlSource
from convotree.domain.parts import (
    CompactionPart,
    DocumentPart,
    HostedCallPart,
    HostedResultPart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.replay.anthropic.block_members import BLOCK_MEMBERS
from convotree.replay.anthropic.block_reading import read_blocks
from convotree.replay.anthropic.blocks import BlockWriter
from convotree.replay.exact_text import write_exact
from convotree.replay.notebook import Notebook
from convotree.replay.origin import Origin
from convotree.replay.policy import BlankText, RenderPolicy

MARKER = {"type": "ephemeral"}

BLOCKS: list[tuple[dict[str, Any], type[Part]]] = [
    ({"type": "text", "text": "a"}, TextPart),
    ({"type": "text", "text": "a", "citations": None, "cache_control": MARKER}, TextPart),
    ({"type": "text", "text": "a", "citations": [{"x": 1}], "odd": [None]}, TextPart),
    ({"type": "text", "text": "a", "cache_control": None}, TextPart),
    ({"type": "image", "source": {"type": "url", "url": "u"}}, ImagePart),
    ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QQ=="}}, ImagePart),
    ({"type": "image", "source": {"type": "file", "file_id": "f"}, "cache_control": MARKER}, ImagePart),
    ({"type": "image", "source": {"type": "url", "url": "u", "odd": 1}}, ImagePart),
    ({"type": "image", "source": {"type": "moon", "at": 7}}, ImagePart),
    ({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}}, DocumentPart),
    (
        {
            "type": "document",
            "source": {"type": "content", "content": "a"},
            "title": "t",
            "context": "c",
            "citations": {"enabled": True},
        },
        DocumentPart,
    ),
    ({"type": "document", "source": {"type": "url", "url": "u"}, "title": None}, DocumentPart),
    (
        {"type": "search_result", "source": "s", "title": "t", "content": [], "cache_control": MARKER},
        OpaquePart,
    ),
    ({"type": "thinking", "thinking": "t", "signature": "s"}, ReasoningPart),
    ({"type": "thinking", "thinking": "t", "signature": "s", "odd": 1}, ReasoningPart),
    ({"type": "thinking", "thinking": "", "signature": "s"}, ReasoningPart),
    ({"type": "redacted_thinking", "data": "d"}, ReasoningPart),
    ({"type": "redacted_thinking", "data": "d", "odd": 1}, ReasoningPart),
    ({"type": "tool_use", "id": "c", "name": "f", "input": {}}, ToolCallPart),
    ({"type": "tool_use", "id": "c", "name": "f", "input": {}, "caller": {"type": "direct"}}, ToolCallPart),
    ({"type": "tool_use", "id": "c", "name": "f", "input": {}, "cache_control": MARKER}, ToolCallPart),
    ({"type": "tool_result", "tool_use_id": "c"}, ToolResultPart),
    ({"type": "tool_result", "tool_use_id": "c", "content": None}, ToolResultPart),
    ({"type": "tool_result", "tool_use_id": "c", "content": []}, ToolResultPart),
    ({"type": "tool_result", "tool_use_id": "c", "content": ""}, ToolResultPart),
    ({"type": "tool_result", "tool_use_id": "c", "content": "a", "is_error": None}, ToolResultPart),
    (
        {
            "type": "tool_result",
            "tool_use_id": "c",
            "content": [
                {"type": "text", "text": "a", "cache_control": MARKER},
                {"type": "tool_reference", "tool_name": "f"},
            ],
            "is_error": True,
            "cache_control": MARKER,
        },
        ToolResultPart,
    ),
    ({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 1}}, HostedCallPart),
    (
        {"type": "mcp_tool_use", "id": "m", "name": "f", "input": {}, "server_name": "x"},
        HostedCallPart,
    ),
    ({"type": "web_search_tool_result", "tool_use_id": "s", "content": []}, HostedResultPart),
    ({"type": "mcp_tool_result", "tool_use_id": "m", "content": [], "is_error": False}, HostedResultPart),
    ({"type": "quantum_tool_result", "tool_use_id": "s", "content": {"x": None}}, HostedResultPart),
    ({"type": "quantum_tool_result", "tool_use_id": "s"}, OpaquePart),
    (
        {
            "type": "web_fetch_tool_result",
            "tool_use_id": "s",
            "content": {"type": "web_fetch_result", "content": {"type": "document", "citations": None}},
            "caller": {"type": "code_execution_20260120", "tool_id": "srvtoolu_2"},
        },
        HostedResultPart,
    ),
    (
        {
            "type": "code_execution_tool_result",
            "tool_use_id": "s",
            "content": {"type": "encrypted_code_execution_result", "encrypted_stdout": "RW5j"},
        },
        HostedResultPart,
    ),
    ({"type": "bash_code_execution_tool_result", "tool_use_id": "s", "content": {}}, HostedResultPart),
    ({"type": "text_editor_code_execution_tool_result", "tool_use_id": "s", "content": {}}, HostedResultPart),
    (
        {
            "type": "tool_search_tool_result",
            "tool_use_id": "s",
            "content": {"type": "tool_search_tool_search_result", "tool_references": []},
        },
        HostedResultPart,
    ),
    (
        {
            "type": "advisor_tool_result",
            "tool_use_id": "s",
            "content": {"type": "advisor_redacted_result", "encrypted_content": "RW5j"},
            "cache_control": MARKER,
        },
        HostedResultPart,
    ),
    ({"type": "mcp_tool_listing", "mcp_server_name": "m", "tools": [{"name": "t", "n": 1.0}]}, OpaquePart),
    ({"type": "tool_addition", "tool": {"type": "tool_reference", "name": "f"}}, OpaquePart),
    ({"type": "tool_removal", "tool": {"type": "tool_reference", "name": "f"}}, OpaquePart),
    ({"type": "tool_reference", "tool_name": "f"}, OpaquePart),
    ({"type": "browser_state", "tabs": [], "state_changes": []}, OpaquePart),
    ({"type": "container_upload", "file_id": "f"}, OpaquePart),
    ({"type": "compaction", "content": "a", "signature": "s", "encrypted_content": "e"}, CompactionPart),
    ({"type": "compaction", "content": None, "tool_changes": []}, CompactionPart),
    ({"type": "compaction", "encrypted_content": "e"}, OpaquePart),
    ({"type": "fallback", "from": "a", "to": "b", "trigger": {}}, OpaquePart),
    ({"type": "hologram", "depth": {"z": [1, 2]}, "cache_control": MARKER}, OpaquePart),
]


def test_every_known_block_is_among_them() -> None:
    assert {block["type"] for block, _ in BLOCKS} >= BLOCK_MEMBERS.keys()


def written(part: Part) -> Any:
    policy = RenderPolicy(blank_text=BlankText.AS_STORED)
    blocks, _ = BlockWriter(policy, Notebook("anthropic", ())).blocks([part], [(0, 0)], Origin.OWN)
    return json.loads(write_exact(blocks[0]))


@pytest.mark.parametrize(("block", "kind"), BLOCKS, ids=lambda one: str(one)[:60])
def test_it_comes_back_as_it_was(block: dict[str, Any], kind: type[Part]) -> None:
    (part,) = read_blocks([block])
    assert type(part) is kind
    assert written(part) == block


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        ({"type": "url", "url": "u"}, UrlSource("u")),
        ({"type": "file", "file_id": "f"}, FileSource("anthropic", "f")),
        ({"type": "text", "media_type": "text/plain", "data": "a"}, InlineTextSource("a")),
        ({"type": "moon"}, OpaqueSource("anthropic", ExactJson('{"type":"moon"}'))),
    ],
)
def test_sources(source: dict[str, Any], kept: object) -> None:
    (part,) = read_blocks([{"type": "document", "source": source}])
    assert isinstance(part, DocumentPart)
    assert part.source == kept


def test_a_marker_is_no_content() -> None:
    (part,) = read_blocks([{"type": "hologram", "cache_control": MARKER}])
    assert part == OpaquePart("anthropic", "hologram", ExactJson('{"type":"hologram"}'), ExactJson.of(MARKER))


def test_a_result_inside_a_result_is_opaque() -> None:
    inner = {"type": "tool_result", "tool_use_id": "d"}
    (part,) = read_blocks([{"type": "tool_result", "tool_use_id": "c", "content": [inner]}])
    assert isinstance(part, ToolResultPart)
    assert type(part.content[0]) is OpaquePart
