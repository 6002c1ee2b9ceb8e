"""System prompts of the Responses API: the ``instructions``, or the items that lead the input."""

from __future__ import annotations

from typing import Any, Final

from convotree.domain.exact_json import parse_value, split_object
from convotree.domain.parts import OpaquePart, Part, TextPart
from convotree.domain.prompt import SystemPrompt
from convotree.replay.notebook import SYSTEM, Place
from convotree.replay.openai_chat.content_reading import rest_of
from convotree.replay.openai_responses.content import ContentWriter
from convotree.replay.openai_responses.content_reading import data_for, read_content
from convotree.replay.openai_responses.target import NAME
from convotree.replay.openai_responses.wire import WireItem
from convotree.replay.provider_data import members_for
from convotree.replay.reading import MisreadError

__all__ = ["INSTRUCTION_PARTS", "leading_items", "read_leading", "system_items"]

INSTRUCTION_PARTS: Final = frozenset({TextPart, OpaquePart})
_ROLES: Final = ("system", "developer")
_AS_STRING: Final = "as_string"
"""In the message that a system part starts: its content is a bare string."""


def leading_items(values: list[Any]) -> int:
    """How many items at the start are the system prompt: instructions in text."""
    for number, item in enumerate(values):
        if (
            type(item) is not dict
            or item.get("type", "message") != "message"
            or item.get("role") not in _ROLES
        ):
            return number
        content = item.get("content")
        listed = type(content) is list and all(
            type(piece) is dict and piece.get("type") == "input_text" and type(piece.get("text")) is str
            for piece in content
        )
        if not content or not (listed or type(content) is str):
            return number
    return len(values)


def read_leading(values: list[Any]) -> SystemPrompt | None:
    """The system prompt in leading items: parts, the first of each item with what no part holds of it."""
    parts: list[Part] = []
    for number, item in enumerate(values):
        try:
            read, as_string = read_content(item["content"])
        except MisreadError as error:
            raise error.within(f".input[{number}]") from None
        start = rest_of(item, {"content"})
        if as_string:
            start[_AS_STRING] = True
        first = item["content"] if as_string else item["content"][0]["text"]
        extra = {} if as_string else rest_of(item["content"][0], {"type", "text"})
        parts.append(TextPart(first, provider_data=data_for({**extra, "message": start})))
        parts.extend(read[1:])
    return tuple(parts) or None


def system_items(system: tuple[Part, ...], writer: ContentWriter) -> list[WireItem]:
    """The items that a system prompt in parts becomes: one, or those it was read from."""
    items: list[WireItem] = []
    for parts, places, start in _grouped(system):
        pieces = writer.pieces(parts, places, allowed=INSTRUCTION_PARTS, holder="a system prompt")
        if not pieces.pieces:
            continue
        as_string = start.pop(_AS_STRING, None) is not None
        content = pieces.pieces[0]["text"] if as_string else pieces.pieces
        body = {"role": "system", **start, "content": content}
        items.append(WireItem("message", body, places[0], pieces.places))
    return items


def _grouped(system: tuple[Part, ...]) -> list[tuple[list[Part], list[Place], dict[str, Any]]]:
    groups: list[tuple[list[Part], list[Place], dict[str, Any]]] = []
    for number, part in enumerate(system):
        start = members_for(getattr(part, "provider_data", None), NAME).get("message")
        if start is not None or not groups:
            members = {} if start is None else split_object(start.text)
            groups.append(([], [], {key: parse_value(text) for key, text in members.items()}))
        groups[-1][0].append(part)
        groups[-1][1].append((SYSTEM, number))
    return groups
