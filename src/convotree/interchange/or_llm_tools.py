"""or/llm's tools as the library's, and the library's as or/llm's."""

from __future__ import annotations

from convotree.domain.prompt import Tool
from convotree.interchange.conversion_notes import ConversionNotes
from convotree.interchange.go_json import KeyOrder, canonical_json
from convotree.interchange.go_struct import Members
from convotree.interchange.kept_aside import kept_aside, put_back
from convotree.interchange.or_llm_document import NULL, TOOL
from convotree.interchange.or_llm_parts import OR_LLM
from convotree.replay.notebook import TOOLS
from convotree.replay.reading import MisreadError

__all__ = ["read_tool", "write_tool"]


def read_tool(members: Members) -> Tool:
    """The tool that a tool of or/llm is; what is no schema for the library is kept aside."""
    schema = members["parameters"] if members["parameters"].text[0] in "{tf" else None
    plain = Tool(members["name"], members["description"] or None, schema)
    data = kept_aside(members, _said(plain), OR_LLM)
    return plain if data is None else Tool(plain.name, plain.description, schema, provider_data=data)


def write_tool(tool: Tool, index: int, notes: ConversionNotes) -> Members | None:
    """The tool as or/llm's; None for one that a provider defines, which is noted."""
    place = (TOOLS, index)
    if tool.definition is not None:
        notes.no_form(place, "a tool that a provider defines")
        return None
    notes.lost_data(place, tool.provider_data)
    notes.lost_marker(place, tool.cache_marker)
    try:
        return put_back(_said(tool), tool.provider_data, OR_LLM, TOOL)
    except MisreadError as error:
        raise error.within(f".tools[{index}]") from None


def _said(tool: Tool) -> Members:
    schema = NULL
    if tool.input_schema is not None:
        schema = canonical_json(tool.input_schema, order=KeyOrder.AS_WRITTEN)
    return TOOL.complete({"name": tool.name, "description": tool.description, "parameters": schema})
