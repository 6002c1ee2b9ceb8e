"""What counts as declared: tools by name, sets of tools, definitions in the middle of the messages."""

from __future__ import annotations

from typing import Any

import pytest

from convotree.replay import Request

ADVISOR = {"type": "advisor_20260301", "name": "advisor", "model": "claude-opus-4-8"}
LOOK = {"name": "look", "input_schema": {"type": "object"}}
DEFINITION = {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": LOOK}}
REFERENCE = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "look"}}
PAIR = [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "advisor", "input": {}},
    {
        "type": "advisor_tool_result",
        "tool_use_id": "srvtoolu_1",
        "content": {"type": "advisor_redacted_result", "encrypted_content": "RW5j"},
    },
]


def places(tools: list[Any], *messages: tuple[str, list[Any]]) -> list[str]:
    body = {
        "tools": tools,
        "messages": [
            {"role": "user", "content": "go"},
            *({"role": role, "content": content} for role, content in messages),
        ],
    }
    found = Request.from_provider("anthropic", body).check("anthropic", model="claude-opus-4-8")
    return [one.place for one in found if one.rule == "A10"]


@pytest.mark.parametrize(
    ("tools", "found"),
    [([], ["messages[1].parts[0]"]), ([LOOK, ADVISOR], [])],
)
def test_the_advisors_calls_need_the_advisor(tools: list[Any], found: list[str]) -> None:
    assert places(tools, ("assistant", PAIR)) == found


@pytest.mark.parametrize(
    ("tools", "blocks", "found"),
    [
        ([], [REFERENCE], ["messages[1].parts[0]"]),
        ([LOOK], [REFERENCE], []),
        ([], [DEFINITION, REFERENCE], []),
        ([{"type": "mcp_toolset", "mcp_server_name": "m"}], [REFERENCE], []),
        ([], [{"type": "tool_removal", "tool": {"type": "mcp_toolset", "mcp_server_name": "m"}}], []),
    ],
)
def test_references_need_their_tools(tools: list[Any], blocks: list[Any], found: list[str]) -> None:
    assert places(tools, ("system", blocks)) == found
