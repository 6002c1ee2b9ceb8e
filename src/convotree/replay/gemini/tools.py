"""Tools as elements of Gemini's ``tools``, and back again in ``tool_reading``."""

from __future__ import annotations

from typing import Any, Final

from convotree.domain.exact_json import ExactJson, parse_value, split_object
from convotree.domain.prompt import Tool
from convotree.replay.gemini.spelling import SNAKE_CASE, Form, data_of, snake_of
from convotree.replay.gemini.target import NAME
from convotree.replay.gemini.tool_reading import ELEMENT, FUNCTIONS, JSON_SCHEMA, SCHEMA, lower_types
from convotree.replay.gemini.writing import Writing
from convotree.replay.notebook import TOOLS
from convotree.replay.own_rules import FOREIGN_PART
from convotree.replay.reading import leaf

__all__ = ["write_tools"]

_SNAKE_FUNCTIONS: Final = snake_of(FUNCTIONS)


def write_tools(tools: tuple[Tool, ...], writing: Writing) -> list[dict[str, Any]]:
    """The elements of ``tools``: functions side by side in one, each hosted tool in its own, or as they came."""
    elements: list[dict[str, Any]] = []
    after_function = False
    for number, tool in enumerate(tools):
        place = (TOOLS, number)
        if tool.definition is not None and tool.provider != NAME:
            owner = tool.provider or "no named provider"
            writing.leave_out(place, FOREIGN_PART, f"tool {tool.name!r} is defined by {owner}")
            continue
        writing.count_marker(tool, place)
        members, form = data_of(tool.provider_data)
        function = tool.definition is None
        same = form[ELEMENT] == "same" if ELEMENT in form else function and after_function
        if not (same and elements):
            elements.append({})
        if tool.definition is None:
            _declarations(elements[-1], form).append(_function(tool, members, form))
        else:
            for key, text in split_object(tool.definition.text).items():
                elements[-1][key] = ExactJson.stored(text)
        after_function = function
    return elements


def _declarations(element: dict[str, Any], form: Form) -> list[dict[str, Any]]:
    for key in (FUNCTIONS, _SNAKE_FUNCTIONS):
        if isinstance(element.get(key), list):
            found: list[dict[str, Any]] = element[key]
            return found
    made: list[dict[str, Any]] = []
    element[_SNAKE_FUNCTIONS if _SNAKE_FUNCTIONS in form.get(SNAKE_CASE, ()) else FUNCTIONS] = made
    return made


def _function(tool: Tool, members: dict[str, ExactJson], form: Form) -> dict[str, Any]:
    function: dict[str, Any] = {"name": tool.name}
    if tool.description is not None:
        function["description"] = tool.description
    if tool.input_schema is not None:
        name = form.get(SCHEMA, JSON_SCHEMA)
        function[_spelled(name, form)] = tool.input_schema
        own = members.pop(name, None)
        if own is not None and leaf(lower_types(parse_value(own.text)), name) == tool.input_schema:
            function[_spelled(name, form)] = own
    for key, value in members.items():
        function.setdefault(key, value)
    return function


def _spelled(name: str, form: Form) -> str:
    snake = snake_of(name)
    return snake if snake in form.get(SNAKE_CASE, ()) else name
