"""Rules about tools, cache markers and settings: A12, A22, A23, A24 and A26."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from convotree.domain.exact_json import ExactJson, parse_value
from convotree.replay.anthropic.blocks import Block
from convotree.replay.anthropic.wire import Wire
from convotree.replay.notebook import SYSTEM, TOOLS, WHOLE, Place
from convotree.replay.rule import Findings

__all__ = ["cache_ttl", "check_settings", "marked_blocks"]

_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_MOST_MARKERS: Final = 4
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})


def check_settings(wire: Wire, params: Mapping[str, Any], findings: Findings) -> None:
    """Report what is wrong with tools, cache markers and ``params``, the settings as far as they are known."""
    _check_tools(wire.tools, findings)
    _check_markers(wire, params.get("cache_control") is not None, findings)
    container = params.get("container")
    if isinstance(container, dict) and container.keys() == {"id"}:
        findings.add("A26", (TOOLS, WHOLE), "container holds nothing but an id: send that alone")


def _check_tools(tools: list[Block], findings: Findings) -> None:
    names: set[str] = set()
    for number, tool in enumerate(tools):
        place = (TOOLS, number)
        name = tool.get("name")
        if isinstance(name, ExactJson):
            name = parse_value(name.text)
        if not isinstance(name, str):
            continue
        if not _NAME.fullmatch(name):
            findings.add("A12", place, f"{name[:40]!r} is no name of a tool", inside=".name")
        elif name in names:
            findings.add("A12", place, f"a second tool {name!r}", inside=".name")
        names.add(name)
        schema = tool.get("input_schema")
        if isinstance(schema, ExactJson) and not schema.is_object:
            findings.add("A24", place, "the schema is no object", inside=".input_schema")


def _check_markers(wire: Wire, automatic: bool, findings: Findings) -> None:
    ttls: dict[str, str] = {}
    count = int(automatic)
    short = False
    for block, place, inside in marked_blocks(wire):
        marker = block["cache_control"]
        if marker.text not in ttls:
            ttls[marker.text] = cache_ttl(marker)
        if block.get("type") in _THINKING:
            findings.add("A23", place, "thinking takes no cache marker", inside=inside)
            continue
        count += 1
        if count == _MOST_MARKERS + 1:
            findings.add("A22", place, f"more than {_MOST_MARKERS} cache markers", inside=inside)
        if ttls[marker.text] == "1h" and short:
            findings.add("A23", place, "a cache marker of 1h after one of 5m", inside=inside)
        short = short or ttls[marker.text] == "5m"


def marked_blocks(wire: Wire) -> Iterator[tuple[Block, Place, str]]:
    """What carries a cache marker, in the order of the body: with its place, and the way from there."""
    for number, tool in enumerate(wire.tools):
        if "cache_control" in tool:
            yield tool, (TOOLS, number), ""
    if isinstance(wire.system, list):
        for number, block in enumerate(wire.system):
            if "cache_control" in block:
                yield block, (SYSTEM, number), ""
    for message in wire.messages:
        if isinstance(message.content, str):
            continue
        for block, place in zip(message.content, message.places, strict=True):
            if block["type"] == "tool_result" and isinstance(block.get("content"), list):
                for number, inner in enumerate(block["content"]):
                    if "cache_control" in inner:
                        yield inner, place, f".content[{number}]"
            if "cache_control" in block and not _is_null(block["cache_control"]):
                yield block, place, ""


def _is_null(value: Any) -> bool:
    return isinstance(value, ExactJson) and value.text == "null"


def cache_ttl(marker: ExactJson) -> str:
    """How long a marker asks to be kept: ``1h`` or ``5m``."""
    value = marker.value
    ttl = value.get("ttl") if isinstance(value, dict) else None
    return ttl if isinstance(ttl, str) else "5m"
