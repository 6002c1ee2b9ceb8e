"""Tools: the caller's own and Anthropic's."""

from __future__ import annotations

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.prompt import Tool
from convotree.errors import InvalidMessageError
from convotree.replay import Request

TOOLS: list[dict[str, Any]] = [
    {"name": "t", "input_schema": {"type": "object"}},
    {"name": "t", "description": "", "input_schema": {"type": "object"}, "type": "custom", "strict": True},
    {"name": "t", "input_schema": {"type": "object"}, "type": None, "cache_control": {"type": "ephemeral"}},
    {"name": "t", "input_schema": {"type": "object"}, "description": None, "defer_loading": True},
    {
        "type": "web_search_20250305",
        "name": "web_search",
        "max_uses": None,
        "cache_control": {"type": "ephemeral"},
    },
    {"type": "mcp_toolset", "mcp_server_name": "deepwiki"},
    {"type": "future_tool", "name": 7},
]


@pytest.mark.parametrize("tool", TOOLS, ids=str)
def test_it_comes_back_as_it_was(tool: dict[str, Any]) -> None:
    body = {"messages": [{"role": "user", "content": "a"}], "tools": [tool]}
    made = Request.from_provider("anthropic", body).render("anthropic", model="m")
    assert made.body["tools"] == [tool]


def test_fields() -> None:
    own, hosted, mcp = Request.from_provider(
        "anthropic", {"messages": [], "tools": [TOOLS[1], *TOOLS[4:6]]}
    ).tools
    assert own == Tool(
        "t",
        "",
        ExactJson('{"type":"object"}'),
        provider_data=ExactJson('{"anthropic":{"type":"custom","strict":true}}'),
    )
    assert (hosted.name, hosted.provider) == ("web_search", "anthropic")
    assert hosted.definition == ExactJson(
        '{"type":"web_search_20250305","name":"web_search","max_uses":null}'
    )
    assert mcp.name == "deepwiki"


@pytest.mark.parametrize(
    ("tool", "place"),
    [
        (7, "tools[0]"),
        ({}, "tools[0].name"),
        ({"name": 7}, "tools[0].name"),
        ({"name": "t", "type": 7}, "tools[0].type"),
        ({"name": "t", "description": 7}, "tools[0].description"),
        ({"name": "t", "input_schema": "none"}, "tools[0].input_schema"),
    ],
)
def test_what_is_no_tool_is_refused(tool: Any, place: str) -> None:
    with pytest.raises(InvalidMessageError) as caught:
        Request.from_provider("anthropic", {"messages": [], "tools": [tool]})
    assert caught.value.place == place
