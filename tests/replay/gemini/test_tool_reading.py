"""Tools come back in the elements they stood in; schemas of Google's own are readable elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.replay import Request
from convotree.replay.gemini.tool_reading import lower_types
from tests.replay.gemini.sample import MODEL

USER = {"role": "user", "parts": [{"text": "go"}]}
F, G, H = ({"name": name} for name in "fgh")


def read(*tools: Any) -> Request:
    return Request.from_provider("gemini", json.dumps({"contents": [USER], "tools": list(tools)}))


@pytest.mark.parametrize(
    "tools",
    [
        [{"functionDeclarations": [F, G]}],
        [{"functionDeclarations": [F]}, {"functionDeclarations": [G, H]}],
        [{"function_declarations": [F]}, {"functionDeclarations": [G]}],
        [{"googleSearch": {}}, {"functionDeclarations": [F]}],
        [{"functionDeclarations": [F]}, {"google_search": {}}, {"functionDeclarations": [G]}],
        [{"googleSearch": {}, "codeExecution": {}}],
        [
            {"googleSearch": {}, "functionDeclarations": [F, G], "urlContext": {}},
            {"functionDeclarations": [H]},
        ],
        [{}, {"functionDeclarations": []}, {"functionDeclarations": [F]}],
        [{"functionDeclarations": [{"name": "f", "description": "", "behavior": "BLOCKING", "form": 1}]}],
        [{"functionDeclarations": [{"name": "f", "parameters": {"type": "object"}}]}],
        [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT", "nullable": True}}]}],
        [
            {
                "functionDeclarations": [
                    {"name": "f", "parametersJsonSchema": {"type": "object"}, "parameters": None}
                ]
            }
        ],
        [{"functionDeclarations": [{"name": "f", "parameters_json_schema": {"b": 1.5, "a": True}}]}],
        [
            {
                "functionDeclarations": [
                    {"name": "f", "parametersJsonSchema": {}, "parameters": {"type": "OBJECT"}}
                ]
            }
        ],
    ],
    ids=str,
)
def test_tools_come_back_as_they_were(tools: list[Any]) -> None:
    assert read(*tools).render("gemini", model=MODEL).body["tools"] == tools


def test_a_schema_of_googles_is_one_of_everybodys() -> None:
    schema = {"type": "OBJECT", "properties": {"type": {"type": "ARRAY", "items": {"type": "STRING"}}}}
    (tool,) = read({"functionDeclarations": [{"name": "f", "parameters": schema}]}).tools
    assert tool.input_schema == ExactJson.of(lower_types(schema))
    assert lower_types(schema) == {
        "type": "object",
        "properties": {"type": {"type": "array", "items": {"type": "string"}}},
    }
    other = replace(tool, input_schema=ExactJson('{"type":"object"}'))
    made = Request(tools=(other,), messages=read().messages).render("gemini", model=MODEL)
    assert made.body["tools"] == [{"functionDeclarations": [{"name": "f", "parameters": {"type": "object"}}]}]
