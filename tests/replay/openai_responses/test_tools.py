"""Tools in both directions, and the namespaces of functions."""

from __future__ import annotations

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message
from convotree.domain.prompt import Tool
from convotree.errors import UnreplayableError
from convotree.replay import RenderPolicy, Request, Unsupported
from convotree.replay.openai_responses.tools import namespaces
from tests.replay.openai_responses.bodies import MODEL
from tests.replay.samples import answer, call, result

NAME = "openai-responses"


def sent(*tools: Tool, policy: RenderPolicy | None = None) -> tuple[list[Any], list[tuple[str, str]]]:
    made = Request(tools=tools, messages=(Message.user("x"),)).render(NAME, model=MODEL, policy=policy)
    return made.body.get("tools", []), [(note.place, note.rule) for note in made.notes]


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "function", "name": "f", "parameters": {"b": 1, "a": 2}, "strict": True, "description": "d"},
        {"type": "function", "name": "f", "parameters": None, "strict": None, "description": None},
        {"type": "function", "name": "f"},
        {"type": "function", "name": "f", "strict": False, "parameters": {}, "defer_loading": True},
        {"type": "custom", "name": "q", "format": {"type": "grammar", "syntax": "lark", "definition": "x"}},
        {"type": "mcp", "server_label": "s", "server_url": "https://x", "require_approval": "never"},
        {"type": "namespace", "name": "n", "description": "d", "tools": []},
        {"type": "code_interpreter", "container": {"type": "auto"}},
    ],
)
def test_a_tool_comes_back_as_it_was(tool: dict[str, Any]) -> None:
    request = Request.from_provider(NAME, {"tools": [tool], "input": "x"})
    assert request.render(NAME, model=MODEL).body["tools"] == [tool]


def test_another_providers_function_is_not_strict() -> None:
    schema = ExactJson('{"type":"object"}')
    assert sent(Tool("f", "d", schema), Tool("g")) == (
        [
            {
                "type": "function",
                "name": "f",
                "description": "d",
                "parameters": {"type": "object"},
                "strict": False,
            },
            {"type": "function", "name": "g", "parameters": None, "strict": False},
        ],
        [],
    )


def test_what_another_provider_defines_is_left_out_or_refused() -> None:
    hosted = Tool("web_search", provider="anthropic", definition=ExactJson('{"type":"web_search_20250305"}'))
    assert sent(hosted) == ([], [("tools[0]", "X3")])
    with pytest.raises(UnreplayableError):
        sent(hosted, policy=RenderPolicy(unsupported=Unsupported.REFUSE))


def test_a_name_that_is_not_allowed_is_refused() -> None:
    with pytest.raises(UnreplayableError) as caught:
        sent(Tool("f.g"))
    assert (caught.value.place, caught.value.rule) == ("tools[0].name", "R13")


def test_cache_markers_are_noted_once() -> None:
    marked = [Tool(name, cache_marker=ExactJson('{"type":"ephemeral"}')) for name in ("f", "g")]
    assert sent(*marked)[1] == [("tools[0]", "X5")]


def test_functions_that_are_not_in_the_default_namespace() -> None:
    tools: list[dict[str, Any]] = [
        {"type": "function", "name": "now"},
        {"type": "function", "name": "later", "defer_loading": ExactJson("true")},
        {"type": "function", "name": "at_once", "defer_loading": ExactJson("false")},
        {
            "type": "namespace",
            "name": "crm",
            "tools": ExactJson('[{"type":"function","name":"find"},{"type":"function","name":"now"}]'),
        },
        {"type": "web_search"},
    ]
    assert namespaces(tools) == {"later": "later", "find": "crm"}


def test_a_call_of_another_provider_gets_the_namespace_it_needs() -> None:
    body = {
        "tools": [{"type": "function", "name": "f", "parameters": {}, "strict": True, "defer_loading": True}]
    }
    tools = Request.from_provider(NAME, body).tools
    made = Request(tools=tools, messages=(answer(call("c"), provider="anthropic"), result("c"))).render(
        NAME, model=MODEL
    )
    assert made.body["input"][0]["namespace"] == "f"
    assert [(note.place, note.rule) for note in made.notes] == [("messages[0].parts[0]", "R12")]
