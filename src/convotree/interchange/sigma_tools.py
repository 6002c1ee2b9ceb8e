"""sigma's tools as the library's, and the library's as sigma's."""

from __future__ import annotations

from dataclasses import replace

from convotree.domain.exact_json import ExactJson, parse_value, split_object
from convotree.domain.prompt import Tool
from convotree.interchange.conversion_notes import ConversionNotes
from convotree.interchange.go_json import canonical_json
from convotree.interchange.go_struct import Members
from convotree.interchange.kept_aside import kept_aside, put_back
from convotree.interchange.sigma_document import TOOL
from convotree.interchange.sigma_parts import SIGMA
from convotree.replay.exact_text import write_exact
from convotree.replay.notebook import TOOLS
from convotree.replay.reading import MisreadError

__all__ = ["read_tool", "write_tool"]

_DEFINED = ("providerDefinedType", "providerDefinedOptions")


def read_tool(members: Members) -> Tool:
    """The tool that a tool of sigma is; what is no schema for the library is kept aside.

    A tool that its provider defines is sigma's own for the library: it does not say which provider.
    """
    schema = members.get("inputSchema")
    if schema is not None and schema.text[0] not in "{tf":
        schema = None
    defined = {name: members[name] for name in _DEFINED if name in members}
    plain = Tool(
        members["name"],
        members.get("description"),
        schema,
        SIGMA if defined else None,
        ExactJson.stored(write_exact(defined)) if defined else None,
    )
    data = kept_aside(members, _said(plain), SIGMA)
    return plain if data is None else replace(plain, provider_data=data)


def write_tool(tool: Tool, index: int, notes: ConversionNotes) -> Members:
    """The tool as sigma's."""
    place = (TOOLS, index)
    if tool.definition is not None and tool.provider != SIGMA:
        notes.lost(place, f"which provider defines a tool ({(tool.provider or 'unknown')[:64]})")
    notes.lost_data(place, tool.provider_data)
    notes.lost_marker(place, tool.cache_marker)
    try:
        return put_back(_said(tool), tool.provider_data, SIGMA, TOOL)
    except MisreadError as error:
        raise error.within(f".tools[{index}]") from None


def _said(tool: Tool) -> Members:
    schema = None if tool.input_schema is None else canonical_json(tool.input_schema)
    said = {"name": tool.name, "description": tool.description or None, "inputSchema": schema}
    said = {name: value for name, value in said.items() if value is not None}
    if tool.definition is None:
        return said
    if tool.provider != SIGMA:
        return {**said, **_defined(tool.definition)}
    return put_back(said, ExactJson.stored(f'{{"{SIGMA}":{tool.definition.text}}}'), SIGMA, TOOL)


def _defined(definition: ExactJson) -> Members:
    members = split_object(definition.text)
    kind = parse_value(members.pop("type", "null"))
    members.pop("name", None)
    options = {key: ExactJson.stored(text) for key, text in members.items()}
    said: Members = {"providerDefinedType": kind} if isinstance(kind, str) and kind else {}
    if options:
        said["providerDefinedOptions"] = canonical_json(ExactJson.stored(write_exact(options)))
    return said
