"""Anthropic's tools as ``Tool``: the caller's own, and those that Anthropic defines."""

from __future__ import annotations

from typing import Any

from convotree.domain.exact_json import ExactJson
from convotree.domain.prompt import Tool
from convotree.replay.anthropic.block_reading import marker_of
from convotree.replay.anthropic.target import NAME
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
    kind = tool.get("type")
    if kind is not None and type(kind) is not str:
        wrong_type("type", "a string", kind)
    marker = marker_of(tool)
    held = {"cache_control"} if marker is not None else set()
    if kind not in (None, "custom"):
        definition = {key: value for key, value in tool.items() if key not in held}
        # A set of MCP tools has no name of its own.
        name = tool["name"] if type(tool.get("name")) is str else tool.get("mcp_server_name", kind)
        return Tool(
            name if type(name) is str else kind,
            provider=NAME,
            definition=leaf(definition, ""),
            cache_marker=marker,
        )
    held |= {"name"}
    description = tool.get("description")
    if description is not None:
        held.add("description")
        text_member(tool, "description")
    schema: ExactJson | None = None
    if tool.get("input_schema") is not None:
        held.add("input_schema")
        if type(tool["input_schema"]) not in (dict, bool):
            wrong_type("input_schema", "an object", tool["input_schema"])
        schema = leaf(tool["input_schema"], "input_schema")
    extra = {key: value for key, value in tool.items() if key not in held}
    return Tool(
        text_member(tool, "name"),
        description,
        schema,
        provider_data=leaf({NAME: extra}, "") if extra else None,
        cache_marker=marker,
    )
