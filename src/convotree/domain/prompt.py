"""Prompt versions and tool sets: immutable, named by the hash of their exact JSON, shared within a tenant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any, TypeAlias

from convotree.domain.brief_repr import brief_repr
from convotree.domain.exact_json import ExactJson, parse_value, quote, split_array
from convotree.domain.field_checks import (
    keep_optional_json,
    keep_optional_object,
    keep_optional_text,
    keep_text,
    misplaced,
)
from convotree.domain.json_scan import members_of, scan_string
from convotree.domain.limits import MAX_PROMPT_BYTES
from convotree.domain.message import parts_of
from convotree.domain.part_codec import decode_parts, encode_parts
from convotree.domain.parts import Part
from convotree.errors import (
    ContentTooLargeError,
    InvalidArgumentError,
    InvalidJsonError,
    InvalidMessageError,
)

__all__ = ["PromptVersion", "SystemPrompt", "Tool", "ToolSet", "content_id"]

SystemPrompt: TypeAlias = str | tuple[Part, ...]
"""A system prompt as it was given: one text, or parts in order."""


def content_id(text: str) -> str:
    """``sha256:`` and the hash of exact JSON text, in hexadecimal."""
    return "sha256:" + sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool offered to the model.

    ``input_schema``: its JSON Schema, as ``ExactJson.of`` makes it of a mapping. ``definition``: for a tool that a
    provider defines itself (its web search, say), the provider's whole JSON; such a tool goes to ``provider``
    only.
    """

    name: str
    description: str | None = None
    input_schema: ExactJson | None = None
    provider: str | None = None
    definition: ExactJson | None = None
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        keep_text(self, "name")
        keep_optional_text(self, "description", "provider")
        keep_optional_json(self, "input_schema", "cache_marker")
        keep_optional_object(self, "definition", "provider_data")
        if self.input_schema is not None and self.input_schema.text[0] not in "{tf":
            raise misplaced(self, "input_schema", "a JSON object or boolean", self.input_schema.value)

    @classmethod
    def of(cls, value: Tool | Mapping[str, Any], *, place: str = "tools") -> Tool:
        """A tool from itself, or from a mapping whose keys are this class's fields.

        Raises:
            InvalidMessageError: for another type, an unknown key, a missing name or a member of a wrong type.
            InvalidJsonError: for a member that has no JSON form.
        """
        if isinstance(value, Tool):
            return value
        if not isinstance(value, Mapping):
            raise InvalidMessageError(place=place, reason=f"a Tool was expected, not {type(value).__name__}")
        members = dict(value)
        for key in members:
            if key not in _TOOL_FIELDS:
                raise InvalidMessageError(
                    place=f"{place}.{str(key)[:64]}", reason=f"not one of {', '.join(_TOOL_FIELDS)}"
                )
        if "name" not in members:
            raise InvalidMessageError(place=f"{place}.name", reason="this member is missing")
        try:
            return cls(**members)
        except InvalidMessageError as error:
            raise InvalidMessageError(
                place=place + error.place.removeprefix("Tool"), reason=error.reason
            ) from None
        except InvalidJsonError as error:
            raise InvalidJsonError(
                place=place + error.place.removeprefix("Tool"), reason=error.reason, position=error.position
            ) from error

    def to_text(self) -> str:
        """The exact JSON text; absent fields are left out."""
        pieces = [f'"name":{quote(self.name)}']
        for field in _TOOL_FIELDS[1:]:
            value = getattr(self, field)
            if value is not None:
                pieces.append(f'"{field}":{value.text if isinstance(value, ExactJson) else quote(value)}')
        return "{" + ",".join(pieces) + "}"

    @classmethod
    def from_text(cls, text: str, *, place: str = "tool") -> Tool:
        """The tool in compact JSON text.

        Raises:
            InvalidMessageError: for a member that is unknown, repeated, missing or of a wrong type.
            InvalidJsonError: if ``text`` is not a compact JSON object.
        """
        members: dict[str, Any] = {}
        for key, raw in members_of(text, place=place):
            where = f"{place}.{key[:64]}"
            if key in members:
                raise InvalidMessageError(place=where, reason="this member is repeated")
            if key in _TOOL_TEXTS and not raw.startswith('"'):
                raise InvalidMessageError(place=where, reason="a string was expected")
            members[key] = scan_string(raw, 0)[0] if key in _TOOL_TEXTS else ExactJson.stored(raw)
        return cls.of(members, place=place)


_TOOL_FIELDS = tuple(field.name for field in fields(Tool))
_TOOL_TEXTS = frozenset({"name", "description", "provider"})


@dataclass(frozen=True, slots=True)
class PromptVersion:
    """An immutable system prompt: ``id`` hashes ``text``, its exact JSON (a string, or an array of parts)."""

    id: str
    text: str

    __repr__ = brief_repr

    @classmethod
    def of(cls, system: SystemPrompt | Iterable[Part]) -> PromptVersion:
        """The version that stands for this prompt.

        Raises:
            InvalidMessageError: if ``system`` is neither text nor parts.
            ContentTooLargeError: above 6 MiB.
        """
        text = quote(system) if isinstance(system, str) else encode_parts(parts_of(system))
        _check_size("the system prompt", text)
        return cls(content_id(text), text)

    @property
    def system(self) -> SystemPrompt:
        """The prompt as it was given."""
        if self.text.startswith('"'):
            text: str = parse_value(self.text, place="system")
            return text
        return decode_parts(self.text, place="system")


@dataclass(frozen=True, slots=True)
class ToolSet:
    """An immutable list of tools. ``id`` is ``sha256:`` over ``text``, the exact JSON array."""

    id: str
    text: str

    __repr__ = brief_repr

    @classmethod
    def of(cls, tools: Iterable[Tool | Mapping[str, Any]]) -> ToolSet:
        """The set that stands for these tools, in this order.

        Raises:
            InvalidArgumentError: if ``tools`` is no sequence.
            InvalidMessageError: if one of them is no tool; InvalidJsonError: if a member has no JSON form.
            ContentTooLargeError: above 6 MiB.
        """
        if isinstance(tools, (str, bytes, Mapping)) or not isinstance(tools, Iterable):
            raise InvalidArgumentError(argument="tools", reason="a sequence of tools was expected")
        texts = [Tool.of(tool, place=f"tools[{index}]").to_text() for index, tool in enumerate(tools)]
        text = "[" + ",".join(texts) + "]"
        _check_size("the tool set", text)
        return cls(content_id(text), text)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools, in order."""
        return tuple(
            Tool.from_text(element, place=f"tools[{index}]")
            for index, element in enumerate(split_array(self.text, place="tools"))
        )


def _check_size(subject: str, text: str) -> None:
    size = len(text.encode())
    if size > MAX_PROMPT_BYTES:
        raise ContentTooLargeError(subject=subject, size=size, limit=MAX_PROMPT_BYTES)
