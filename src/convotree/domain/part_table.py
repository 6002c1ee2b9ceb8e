"""Which fields each kind of part and of media source has in JSON: the one table that writing and reading use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from convotree.domain.media import (
    Base64Source,
    FileSource,
    InlineTextSource,
    OpaqueSource,
    UrlSource,
)
from convotree.domain.parts import (
    AudioPart,
    CompactionPart,
    DocumentPart,
    HostedCallPart,
    HostedResultPart,
    ImagePart,
    OpaquePart,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)

__all__ = ["PARTS", "PART_ROWS", "SOURCES", "SOURCE_ROWS", "Field", "FieldKind", "Row"]


class FieldKind(Enum):
    """What a field holds in JSON."""

    STR = "str"
    FLAG = "flag"
    JSON = "json"
    PARTS = "parts"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class Field:
    """One member of an object; an absent one is left out, so only a required one has no default in its class."""

    name: str
    kind: FieldKind
    required: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One kind: its class and its members in the order of writing, as writing and as reading look them up."""

    name: str
    # Any: a class whose constructor takes the fields of this row.
    cls: Any
    fields: tuple[Field, ...]
    kinds: Mapping[str, FieldKind]
    required: tuple[str, ...]


def _row(name: str, cls: type, *fields: Field) -> Row:
    kinds = {field.name: field.kind for field in fields}
    return Row(name, cls, fields, kinds, tuple(field.name for field in fields if field.required))


_STR: Final = FieldKind.STR
_JSON: Final = FieldKind.JSON
_SOURCE: Final = Field("source", FieldKind.SOURCE, required=True)
_COMMON: Final = (Field("provider_data", _JSON), Field("cache_marker", _JSON))

SOURCES: Final[Mapping[str, Row]] = {
    row.name: row
    for row in (
        _row("url", UrlSource, Field("url", _STR, True), Field("media_type", _STR)),
        _row("base64", Base64Source, Field("media_type", _STR, True), Field("data", _STR, True)),
        _row(
            "file",
            FileSource,
            Field("provider", _STR, True),
            Field("file_id", _STR, True),
            Field("media_type", _STR),
        ),
        _row("text", InlineTextSource, Field("text", _STR, True), Field("media_type", _STR, True)),
        _row("opaque", OpaqueSource, Field("provider", _STR, True), Field("content", _JSON, True)),
    )
}

PARTS: Final[Mapping[str, Row]] = {
    row.name: row
    for row in (
        _row(
            "text",
            TextPart,
            Field("text", _STR, True),
            Field("citations", _JSON),
            Field("signature", _STR),
            *_COMMON,
        ),
        _row(
            "reasoning",
            ReasoningPart,
            Field("text", _STR, True),
            Field("signature", _STR),
            Field("encrypted", _STR),
            *_COMMON,
        ),
        _row("image", ImagePart, _SOURCE, Field("signature", _STR), *_COMMON),
        _row("document", DocumentPart, _SOURCE, Field("name", _STR), *_COMMON),
        _row("audio", AudioPart, _SOURCE, *_COMMON),
        _row(
            "tool_call",
            ToolCallPart,
            Field("tool_call_id", _STR, True),
            Field("name", _STR, True),
            Field("arguments", _JSON, True),
            Field("signature", _STR),
            *_COMMON,
        ),
        _row(
            "tool_result",
            ToolResultPart,
            Field("tool_call_id", _STR, True),
            Field("name", _STR),
            Field("content", FieldKind.PARTS, True),
            Field("is_error", FieldKind.FLAG),
            Field("as_string", FieldKind.FLAG),
            *_COMMON,
        ),
        _row(
            "hosted_call",
            HostedCallPart,
            Field("provider", _STR, True),
            Field("kind", _STR, True),
            Field("tool_call_id", _STR, True),
            Field("name", _STR, True),
            Field("arguments", _JSON, True),
            *_COMMON,
        ),
        _row(
            "hosted_result",
            HostedResultPart,
            Field("provider", _STR, True),
            Field("kind", _STR, True),
            Field("tool_call_id", _STR, True),
            Field("content", _JSON, True),
            *_COMMON,
        ),
        _row("refusal", RefusalPart, Field("text", _STR, True), *_COMMON),
        _row(
            "compaction",
            CompactionPart,
            Field("text", _STR),
            Field("signature", _STR),
            Field("encrypted", _STR),
            *_COMMON,
        ),
        _row(
            "opaque",
            OpaquePart,
            Field("provider", _STR, True),
            Field("kind", _STR, True),
            Field("content", _JSON, True),
            Field("cache_marker", _JSON),
        ),
    )
}

PART_ROWS: Final[Mapping[type, Row]] = {row.cls: row for row in PARTS.values()}
SOURCE_ROWS: Final[Mapping[type, Row]] = {row.cls: row for row in SOURCES.values()}
