"""Tools of Chat Completions as ``Tool``."""

from __future__ import annotations

from typing import Any

from convotree.domain.prompt import Tool
from convotree.replay.openai_chat.content_reading import data_for, rest_of
from convotree.replay.openai_chat.target import NAME
from convotree.replay.reading import MisreadError, leaf, text_member, wrong_type

__all__ = ["read_tools"]


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
    for tool in tools:
        try:
            read.append(_read_tool(tool))
        except MisreadError as error:
            raise error.within(f".tools[{len(read)}]") from None
    return tuple(read)


def _read_tool(tool: Any) -> Tool:
    if type(tool) is not dict:
        wrong_type("", "an object", tool)
    kind = text_member(tool, "type")
    inner = tool.get(kind)
    if kind != "function":
        name = inner.get("name") if type(inner) is dict else None
        return Tool(name if type(name) is str else kind, provider=NAME, definition=leaf(tool, ""))
    if type(inner) is not dict:
        wrong_type("function", "an object", inner)
    held = {"name"}
    try:
        name = text_member(inner, "name")
        description = None
        if inner.get("description") is not None:
            description = text_member(inner, "description")
            held.add("description")
        schema = None
        if inner.get("parameters") is not None:
            if type(inner["parameters"]) not in (dict, bool):
                wrong_type("parameters", "an object", inner["parameters"])
            schema = leaf(inner["parameters"], "parameters")
            held.add("parameters")
    except MisreadError as error:
        raise error.within(".function") from None
    extra = rest_of(tool, {"type", "function"})
    rest = rest_of(inner, held)
    if rest:
        extra = {"function": rest, **extra}
    return Tool(name, description, schema, provider_data=data_for(extra))
