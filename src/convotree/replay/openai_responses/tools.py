"""Tools as the Responses API takes them, and in which namespace each function is (rule R12)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from convotree.domain.exact_json import ExactJson, parse_value
from convotree.domain.prompt import Tool
from convotree.replay.notebook import TOOLS, Notebook
from convotree.replay.openai_responses.content import plain_data, plain_object
from convotree.replay.openai_responses.target import NAME
from convotree.replay.own_rules import FOREIGN_PART, LOST_MEMBER
from convotree.replay.policy import RenderPolicy, Unsupported

__all__ = ["NAME_PATTERN", "misnamed", "namespaces", "write_tools"]

NAME_PATTERN: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NAMED: Final = ("function", "custom")


def write_tools(tools: Sequence[Tool], policy: RenderPolicy, notebook: Notebook) -> list[dict[str, Any]]:
    """The tools of a body."""
    written: list[dict[str, Any]] = []
    markers: list[int] = []
    for number, tool in enumerate(tools):
        place = (TOOLS, number)
        if tool.definition is None:
            body = _function(tool)
        elif tool.provider == NAME:
            body = plain_object(tool.definition)
        else:
            reason = f"tool {tool.name!r} is defined by {tool.provider or 'no named provider'}"
            if policy.unsupported is Unsupported.REFUSE:
                notebook.refuse(place, FOREIGN_PART, reason, by=Unsupported.REFUSE)
            notebook.add(place, FOREIGN_PART, f"{reason}; it is left out")
            continue
        if tool.cache_marker is not None:
            markers.append(number)
        written.append(body)
    if markers:
        reason = f"cache markers ({len(markers)}) are left out: there are none here"
        notebook.add((TOOLS, markers[0]), LOST_MEMBER, reason)
    return written


def misnamed(tools: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, str]]:
    """The tools whose name is not allowed, by number. No other name can stand for it: answers call it by this one."""
    for number, tool in enumerate(tools):
        name = tool.get("name")
        if tool.get("type") in _NAMED and type(name) is str and not NAME_PATTERN.fullmatch(name):
            yield number, name


def namespaces(tools: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The namespaces of functions that are not in the default one: deferred ones are in one of their own name."""
    default: set[str] = set()
    found: dict[str, str] = {}
    for tool in tools:
        name = tool.get("name")
        if type(name) is not str:
            continue
        if tool.get("type") == "namespace":
            inner = tool.get("tools")
            members = parse_value(inner.text) if isinstance(inner, ExactJson) else inner
            if type(members) is list:
                found.update(
                    (one["name"], name)
                    for one in members
                    if type(one) is dict and type(one.get("name")) is str
                )
        elif isinstance(deferred := tool.get("defer_loading"), ExactJson) and deferred.text == "true":
            found[name] = name
        else:
            default.add(name)
    return {name: space for name, space in found.items() if name not in default}


def _function(tool: Tool) -> dict[str, Any]:
    body: dict[str, Any] = {"type": "function", "name": tool.name}
    if tool.description is not None:
        body["description"] = tool.description
    data = plain_data(tool.provider_data)
    if tool.input_schema is not None or not data:
        body["parameters"] = tool.input_schema
    if not data:
        # Functions are strict here unless they say otherwise, and no other provider's schema is made for that.
        body["strict"] = False
    for key, value in data.items():
        body.setdefault(key, value)
    return body
