"""The library's own JSON form of a part: one table, read by both directions.

A part is one JSON object with ``type`` first and absent fields left out. Fields that hold JSON are put in as
their exact text and taken out as exact text, so that no number is ever spelled anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from convotree.domain.exact_json import ExactJson, parse_value, quote, split_array, split_object
from convotree.domain.media import (
    Base64Source,
    FileSource,
    InlineTextSource,
    MediaSource,
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
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.errors import InvalidJsonError, InvalidMessageError

__all__ = ["decode_part", "decode_parts", "encode_part", "encode_parts", "part_type"]


@dataclass(frozen=True, slots=True)
class _Kind:
    """How values of one kind of field are written and read. ``raw``: reading needs the exact text."""

    encode: Callable[[Any], str]
    decode: Callable[[Any, str], Any]
    raw: bool


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    kind: _Kind
    required: bool = False


def _read_str(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise InvalidMessageError(place=place, reason="a string was expected")
    return value


def _read_flag(value: Any, place: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidMessageError(place=place, reason="true or false was expected")
    return value


def _read_json(text: str, place: str) -> ExactJson:
    return ExactJson.stored(text)


def _write_flag(value: bool) -> str:
    return "true" if value else "false"


def _write_parts(parts: tuple[Part, ...]) -> str:
    return f"[{','.join(encode_part(part) for part in parts)}]"


def _read_parts(text: str, place: str) -> tuple[Part, ...]:
    return decode_parts(text, place=place)


def _write_source(source: MediaSource) -> str:
    for kind, (cls, fields) in _SOURCES.items():
        if type(source) is cls:
            return _write(kind, fields, source)
    raise InvalidMessageError(place="source", reason=f"{type(source).__name__} is no media source")


def _read_source(text: str, place: str) -> MediaSource:
    return cast(MediaSource, _read(text, _SOURCES, place))


_STR: Final = _Kind(quote, _read_str, raw=False)
_FLAG: Final = _Kind(_write_flag, _read_flag, raw=False)
_JSON: Final = _Kind(lambda value: cast(str, value.text), _read_json, raw=True)
_PARTS: Final = _Kind(_write_parts, _read_parts, raw=True)
_SOURCE: Final = _Kind(_write_source, _read_source, raw=True)

_Fields = tuple[_Field, ...]
_Table = Mapping[str, tuple[type, _Fields]]

_SOURCES: Final[_Table] = {
    "url": (UrlSource, (_Field("url", _STR, True), _Field("media_type", _STR))),
    "base64": (Base64Source, (_Field("media_type", _STR, True), _Field("data", _STR, True))),
    "file": (
        FileSource,
        (_Field("provider", _STR, True), _Field("file_id", _STR, True), _Field("media_type", _STR)),
    ),
    "text": (InlineTextSource, (_Field("text", _STR, True), _Field("media_type", _STR, True))),
    "opaque": (OpaqueSource, (_Field("provider", _STR, True), _Field("content", _JSON, True))),
}

_COMMON: Final = (_Field("provider_data", _JSON), _Field("cache_marker", _JSON))

_PARTS_TABLE: Final[_Table] = {
    "text": (
        TextPart,
        (_Field("text", _STR, True), _Field("citations", _JSON), _Field("signature", _STR), *_COMMON),
    ),
    "reasoning": (
        ReasoningPart,
        (_Field("text", _STR, True), _Field("signature", _STR), _Field("encrypted", _STR), *_COMMON),
    ),
    "image": (ImagePart, (_Field("source", _SOURCE, True), _Field("signature", _STR), *_COMMON)),
    "document": (DocumentPart, (_Field("source", _SOURCE, True), _Field("name", _STR), *_COMMON)),
    "audio": (AudioPart, (_Field("source", _SOURCE, True), *_COMMON)),
    "tool_call": (
        ToolCallPart,
        (
            _Field("tool_call_id", _STR, True),
            _Field("name", _STR, True),
            _Field("arguments", _JSON, True),
            _Field("signature", _STR),
            *_COMMON,
        ),
    ),
    "tool_result": (
        ToolResultPart,
        (
            _Field("tool_call_id", _STR, True),
            _Field("name", _STR),
            _Field("content", _PARTS, True),
            _Field("is_error", _FLAG),
            _Field("as_string", _FLAG),
            *_COMMON,
        ),
    ),
    "hosted_call": (
        HostedCallPart,
        (
            _Field("provider", _STR, True),
            _Field("kind", _STR, True),
            _Field("tool_call_id", _STR, True),
            _Field("name", _STR, True),
            _Field("arguments", _JSON, True),
            *_COMMON,
        ),
    ),
    "hosted_result": (
        HostedResultPart,
        (
            _Field("provider", _STR, True),
            _Field("kind", _STR, True),
            _Field("tool_call_id", _STR, True),
            _Field("content", _JSON, True),
            *_COMMON,
        ),
    ),
    "refusal": (RefusalPart, (_Field("text", _STR, True), *_COMMON)),
    "compaction": (
        CompactionPart,
        (_Field("text", _STR), _Field("signature", _STR), _Field("encrypted", _STR), *_COMMON),
    ),
    "opaque": (
        OpaquePart,
        (
            _Field("provider", _STR, True),
            _Field("kind", _STR, True),
            _Field("content", _JSON, True),
            _Field("cache_marker", _JSON),
        ),
    ),
}

_TYPES: Final[Mapping[type, tuple[str, _Fields]]] = {
    cls: (name, fields) for name, (cls, fields) in _PARTS_TABLE.items()
}
# A field that the class requires and the text may leave out.
_NULLABLE_REQUIRED: Final[Mapping[type, Mapping[str, object]]] = {CompactionPart: {"text": None}}


def part_type(part: Part) -> str:
    """The name of a part's kind, as in its ``type`` member."""
    return _TYPES[type(part)][0]


def encode_part(part: Part) -> str:
    """The exact JSON text of a part; equal parts give equal texts."""
    name, fields = _TYPES[type(part)]
    return _write(name, fields, part)


def decode_part(text: str, *, place: str = "part") -> Part:
    """The part in JSON text that is compact, as ``encode_part`` and ``ExactJson`` write it.

    Raises:
        InvalidMessageError: for an unknown type or member, a missing member or one of a wrong type.
        InvalidJsonError: if ``text`` is not JSON.
    """
    return cast(Part, _read(text, _PARTS_TABLE, place))


def encode_parts(parts: tuple[Part, ...]) -> str:
    """The exact JSON text of parts in order: an array."""
    return _write_parts(parts)


def decode_parts(text: str, *, place: str = "parts") -> tuple[Part, ...]:
    """The parts in a compact JSON array.

    Raises:
        InvalidMessageError, InvalidJsonError: as ``decode_part`` does, with the index in ``place``.
    """
    return tuple(
        decode_part(element, place=f"{place}[{index}]")
        for index, element in enumerate(split_array(text, place=place))
    )


def _write(name: str, fields: _Fields, value: object) -> str:
    pieces = [f'{{"type":"{name}"']
    for field in fields:
        member = getattr(value, field.name)
        if member is None or member is False:
            if member is False and field.name != "as_string":
                pieces.append(f',"{field.name}":false')
            continue
        pieces.append(f',"{field.name}":{field.kind.encode(member)}')
    pieces.append("}")
    return "".join(pieces)


def _read(text: str, table: _Table, place: str) -> object:
    value = parse_value(text, place=place)
    if not isinstance(value, dict):
        raise InvalidMessageError(place=place, reason="an object was expected")
    name = value.pop("type", None)
    if not isinstance(name, str) or name not in table:
        raise InvalidMessageError(
            place=f"{place}.type", reason=f"{name!r} is not one of {', '.join(sorted(table))}"
        )
    cls, fields = table[name]
    arguments: dict[str, object] = dict(_NULLABLE_REQUIRED.get(cls, {}))
    spans: dict[str, str] | None = None
    for field in fields:
        if field.name not in value:
            if field.required:
                raise InvalidMessageError(place=f"{place}.{field.name}", reason="this member is missing")
            continue
        member = value.pop(field.name)
        if field.kind.raw:
            spans = split_object(text, place=place) if spans is None else spans
            member = spans[field.name]
        arguments[field.name] = field.kind.decode(member, f"{place}.{field.name}")
    if value:
        raise InvalidMessageError(place=f"{place}.{next(iter(value))}", reason="this member is not known")
    try:
        return cls(**arguments)
    except InvalidJsonError as error:
        raise InvalidMessageError(place=place, reason=error.reason) from error
