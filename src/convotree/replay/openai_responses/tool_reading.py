"""Tools of the Responses API as ``Tool``."""

from __future__ import annotations

from typing import Any, Final

from convotree.domain.prompt import Tool
from convotree.replay.openai_chat.content_reading import rest_of
from convotree.replay.openai_responses.content_reading import data_for
from convotree.replay.openai_responses.target import NAME
from convotree.replay.reading import MisreadError, leaf, text_member, wrong_type

__all__ = ["read_tools"]

_DEMANDED: Final = frozenset({"parameters", "strict"})


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
            if type(tool) is not dict:
                wrong_type("", "an object", tool)
            read.append(_read_tool(tool))
        except MisreadError as error:
            raise error.within(f".tools[{len(read)}]") from None
    return tuple(read)


def _read_tool(tool: dict[str, Any]) -> Tool:
    kind = text_member(tool, "type")
    if kind != "function":
        name = tool.get("name")
        return Tool(name if type(name) is str else kind, provider=NAME, definition=leaf(tool, ""))
    held = {"type", "name"}
    name = text_member(tool, "name")
    description = None
    if tool.get("description") is not None:
        description = text_member(tool, "description")
        held.add("description")
    schema = None
    if tool.get("parameters") is not None:
        if type(tool["parameters"]) not in (dict, bool):
            wrong_type("parameters", "an object", tool["parameters"])
        schema = leaf(tool["parameters"], "parameters")
        held.add("parameters")
    extra = rest_of(tool, held)
    if not tool.keys() >= _DEMANDED:
        # So that nothing is added to a tool that came without one of them.
        extra = {"type": kind, **extra}
    return Tool(name, description, schema, provider_data=data_for(extra))
