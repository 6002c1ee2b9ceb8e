"""Gemini's tools as ``Tool``, the reverse of ``tools``: one for each function and for each hosted tool."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.prompt import Tool
from convotree.replay.gemini.spelling import SNAKE_CASE, Fields, snake_of
from convotree.replay.gemini.target import NAME
from convotree.replay.reading import MisreadError, leaf, wrong_type

__all__ = ["ELEMENT", "FUNCTIONS", "JSON_SCHEMA", "SCHEMA", "lower_types", "read_tools"]

ELEMENT: Final = "element"
"""In a tool's form: it stands in the list element of the tool before it (``same``) or begins one (``new``)."""
SCHEMA: Final = "schema"
"""In a tool's form: the member that held its input schema, where that is not ``parametersJsonSchema``."""

FUNCTIONS: Final = "functionDeclarations"
JSON_SCHEMA: Final = "parametersJsonSchema"

_FUNCTION_KEYS: Final = (FUNCTIONS, snake_of(FUNCTIONS))
_TYPES: Final = frozenset({"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"})


def read_tools(tools: Any) -> tuple[Tool, ...]:
    """The tools in ``tools``, in order.

    Raises:
        MisreadError: if one of them is no tool.
    """
    if tools is None:
        return ()
    if type(tools) is not list:
        wrong_type("tools", "an array", tools)
    read: list[Tool] = []
    after_function = False
    for number, element in enumerate(tools):
        try:
            if type(element) is not dict:
                wrong_type("", "an object", element)
            first = True
            for tool, function in _tools_of(element):
                # Functions side by side share an element, and everything else has its own, unless this says otherwise.
                if (function and after_function) is first:
                    tool.form[ELEMENT] = "new" if first else "same"
                read.append(tool.made())
                first, after_function = False, function
        except MisreadError as error:
            raise error.within(f".tools[{number}]") from None
    return tuple(read)


@dataclass(slots=True)
class _Tool:
    """A tool in the making: its fields, the members that none holds, and its form."""

    held: dict[str, Any]
    rest: Fields | None = None
    form: dict[str, Any] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)

    def made(self) -> Tool:
        fields = Fields({}) if self.rest is None else self.rest
        fields.merge_form(self.form)
        return Tool(**self.held, provider_data=fields.data(**self.more))


def _tools_of(element: dict[str, Any]) -> Iterator[tuple[_Tool, bool]]:
    """The tools in one element of the list, and whether each is a function."""
    if not element:
        yield _Tool({"name": "tool", "provider": NAME, "definition": ExactJson.stored("{}")}), False
    for key, value in element.items():
        if key not in _FUNCTION_KEYS or not value:
            yield _Tool({"name": key, "provider": NAME, "definition": leaf({key: value}, "")}), False
            continue
        if type(value) is not list:
            wrong_type(key, "an array", value)
        for number, declaration in enumerate(value):
            try:
                tool = _function(declaration)
            except MisreadError as error:
                raise error.within(f".{key}[{number}]") from None
            if number == 0 and key != FUNCTIONS:
                tool.form[SNAKE_CASE] = [key]
            yield tool, True


def _function(declaration: Any) -> _Tool:
    if type(declaration) is not dict:
        wrong_type("", "an object", declaration)
    fields = Fields(declaration)
    held: dict[str, Any] = {"name": fields.text("name"), "description": fields.optional_text("description")}
    form: dict[str, Any] = {}
    more: dict[str, Any] = {}
    schema = fields.find(JSON_SCHEMA)
    member = JSON_SCHEMA
    if schema is None:
        schema = fields.find("parameters")
        member = "parameters"
    if schema is not None:
        if type(schema) not in (dict, bool):
            wrong_type(member, "an object", schema)
        held["input_schema"] = exact = leaf(schema, member)
        if member == "parameters":
            form[SCHEMA] = member
            lowered = leaf(lower_types(schema), member)
            if lowered != exact:
                # Google's own names of types mean nothing elsewhere; its own spelling stays beside.
                held["input_schema"] = lowered
                more[member] = schema
    return _Tool(held, fields, form, more)


def lower_types(schema: Any) -> Any:
    """A schema of Google's (``{"type": "STRING"}``) with the types of JSON Schema."""
    if type(schema) is list:
        return [lower_types(one) for one in schema]
    if type(schema) is not dict:
        return schema
    return {
        key: value.lower() if key == "type" and type(value) is str and value in _TYPES else lower_types(value)
        for key, value in schema.items()
    }
