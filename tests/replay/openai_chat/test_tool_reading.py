"""Tools: functions, and those of other types."""

from __future__ import annotations

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.prompt import Tool
from convotree.errors import InvalidMessageError
from convotree.replay import Request

TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": "f"}},
    {
        "type": "function",
        "function": {"name": "f", "description": "", "parameters": {"type": "object"}, "strict": None},
        "odd": 1,
    },
    {"type": "function", "function": {"name": "f", "description": None, "parameters": None}},
    {"type": "custom", "custom": {"name": "sql", "format": {"type": "text"}}},
    {"type": "moon"},
]


@pytest.mark.parametrize("tool", TOOLS, ids=str)
def test_it_comes_back_as_it_was(tool: dict[str, Any]) -> None:
    body = {"messages": [{"role": "user", "content": "a"}], "tools": [tool]}
    made = Request.from_provider("openai-chat", body).render("openai-chat", model="m")
    assert made.body["tools"] == [tool]


def test_fields() -> None:
    function, custom, moon = Request.from_provider(
        "openai-chat", {"messages": [], "tools": [TOOLS[1], *TOOLS[3:]]}
    ).tools
    assert function == Tool(
        "f",
        "",
        ExactJson('{"type":"object"}'),
        provider_data=ExactJson('{"openai-chat":{"function":{"strict":null},"odd":1}}'),
    )
    assert (custom.name, custom.provider, moon.name) == ("sql", "openai-chat", "moon")


@pytest.mark.parametrize(
    ("tool", "place"),
    [
        (7, ""),
        ({}, ".type"),
        ({"type": "function"}, ".function"),
        ({"type": "function", "function": {}}, ".function.name"),
        ({"type": "function", "function": {"name": "f", "description": 7}}, ".function.description"),
        ({"type": "function", "function": {"name": "f", "parameters": "none"}}, ".function.parameters"),
    ],
)
def test_what_is_no_tool_is_refused(tool: Any, place: str) -> None:
    with pytest.raises(InvalidMessageError) as caught:
        Request.from_provider("openai-chat", {"messages": [], "tools": [tool]})
    assert caught.value.place == f"tools[0]{place}"
