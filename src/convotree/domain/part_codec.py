"""The library's own JSON form of a part, by the table of ``part_table``.

A part is one JSON object with ``type`` first and absent fields left out. Fields that hold JSON are put in as their
exact text and taken out as exact text, so that no number is ever spelled anew. Reading is one walk over the text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from json.decoder import scanstring  # type: ignore[attr-defined]  # absent from typeshed
from typing import Any, Final, cast

from convotree.domain.brief_repr import brief
from convotree.domain.exact_json import MAX_NESTING, ExactJson, quote
from convotree.domain.json_scan import broken, members_of, scan_value
from convotree.domain.part_table import PART_ROWS, PARTS, SOURCE_ROWS, SOURCES, FieldKind, Row
from convotree.domain.parts import MAX_RESULT_NESTING, Part, TextPart
from convotree.errors import InvalidMessageError

__all__ = ["MAX_PARTS_NESTING", "decode_part", "decode_parts", "encode_part", "encode_parts", "part_type"]

MAX_PARTS_NESTING: Final = MAX_NESTING + 2 * (MAX_RESULT_NESTING + 1)
"""Deepest nesting of the text of parts: the deepest JSON in the deepest tool result. Give it to ``ExactJson.parse``."""

# Looked up once: an attribute of an Enum class costs as much as scanning a short string.
_STR: Final = FieldKind.STR
_JSON: Final = FieldKind.JSON
_PARTS: Final = FieldKind.PARTS
_SOURCE: Final = FieldKind.SOURCE

_PLAIN_TEXT: Final = '{"type":"text","text":"'

# What the scanner's steps raise at text that ends early or is no JSON.
_BROKEN: Final = (ValueError, StopIteration, IndexError, RecursionError)


def part_type(part: Part) -> str:
    """The name of a part's kind, as in its ``type`` member.

    Raises:
        InvalidMessageError: if ``part`` is no part.
    """
    return _part_row(part).name


def encode_part(part: Part) -> str:
    """The exact JSON text of a part; equal parts give equal texts.

    Raises:
        InvalidMessageError: if ``part`` is no part.
    """
    return _write(_part_row(part), part)


def encode_parts(parts: tuple[Part, ...]) -> str:
    """The exact JSON text of parts in order: an array.

    Raises:
        InvalidMessageError: if one of them is no part.
    """
    return f"[{','.join(map(encode_part, parts))}]"


def decode_part(text: str, *, place: str = "part") -> Part:
    """The part in JSON text that is compact, as ``encode_part`` and ``ExactJson`` write it.

    Raises:
        InvalidMessageError: for an unknown or repeated member, a missing one or one of a wrong type, with the
            member in ``place``.
        InvalidJsonError: if ``text`` is not compact JSON.
    """
    try:
        part, end = _read(text, 0, PARTS, 0)
        if end != len(text):
            raise _expected("the end", text, end)
    except _MisfitError as misfit:
        raise InvalidMessageError(place=place + misfit.place, reason=misfit.reason) from None
    except _BROKEN as error:
        raise broken("part", error, place=place, position=len(text)) from error
    return cast(Part, part)


def decode_parts(text: str, *, place: str = "parts") -> tuple[Part, ...]:
    """The parts in a compact JSON array.

    Raises:
        InvalidMessageError, InvalidJsonError: as ``decode_part`` does, with the index in ``place``.
    """
    try:
        parts, end = _read_parts(text, 0, 0)
        if end != len(text):
            raise _expected("the end", text, end)
    except _MisfitError as misfit:
        raise InvalidMessageError(place=place + misfit.place, reason=misfit.reason) from None
    except _BROKEN as error:
        raise broken("array of parts", error, place=place, position=len(text)) from error
    return parts


def _part_row(part: object) -> Row:
    row = PART_ROWS.get(type(part))
    if row is None:
        raise InvalidMessageError(place="part", reason=f"a part was expected, not {type(part).__name__}")
    return row


def _write(row: Row, value: object) -> str:
    pieces = [f'{{"type":"{row.name}"']
    for field in row.fields:
        member = getattr(value, field.name)
        # as_string is False by itself and left out then; is_error has three states.
        if member is not None and (member is not False or field.name == "is_error"):
            pieces.append(f',"{field.name}":{_written(field.kind, member)}')
    pieces.append("}")
    return "".join(pieces)


def _written(kind: FieldKind, member: Any) -> str:
    if kind is _STR:
        return quote(member)
    if kind is _JSON:
        return cast(str, member.text)
    if kind is _PARTS:
        return encode_parts(member)
    if kind is _SOURCE:
        return _write(SOURCE_ROWS[type(member)], member)
    return "true" if member else "false"


class _MisfitError(Exception):
    """Well-formed JSON that is no part; each level puts its own step before ``place`` on the way out."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place = place
        self.reason = reason


def _expected(what: str, text: str, position: int) -> json.JSONDecodeError:
    return json.JSONDecodeError(f"{what} was expected", text, position)


def _read(text: str, start: int, table: Mapping[str, Row], depth: int) -> tuple[object, int]:
    """The object at ``start`` and where it ends, in one walk: its type says what each member must be."""
    if text.startswith(_PLAIN_TEXT, start) and table is PARTS:
        # Most parts are this one; the walk below would take twice as long.
        words, position = scanstring(text, start + len(_PLAIN_TEXT), True)
        if text[position] == "}":
            return TextPart(words), position + 1
    if not text.startswith('{"type":"', start):
        return _read_type_elsewhere(text, start, table, depth)
    name, position = scanstring(text, start + 9, True)
    row = table.get(name)
    if row is None:
        raise _MisfitError(".type", f"{brief(name)} is not one of {', '.join(table)}")
    members: dict[str, object] = {}
    while text[position] == ",":
        if text[position + 1] != '"':
            raise _expected("a member", text, position + 1)
        key, position = scanstring(text, position + 2, True)
        if text[position] != ":":
            raise _expected("a colon", text, position)
        position += 1
        kind = row.kinds.get(key)
        if kind is None or key in members:
            why = "this member is not known" if kind is None else "this member is repeated"
            raise _MisfitError(f".{key[:64]}", why)
        if kind is _STR:
            if text[position] != '"':
                raise _MisfitError(f".{key}", "a string was expected")
            members[key], position = scanstring(text, position + 1, True)
        elif kind is _JSON:
            start = position
            _, position = scan_value(text, start)
            members[key] = ExactJson.stored(text[start:position])
        else:
            try:
                members[key], position = _read_other(kind, text, position, depth)
            except _MisfitError as misfit:
                misfit.place = f".{key}{misfit.place}"
                raise
    if text[position] != "}":
        raise _expected("the end of the object", text, position)
    for key in row.required:
        if key not in members:
            raise _MisfitError(f".{key}", "this member is missing")
    try:
        return row.cls(**members), position + 1
    except InvalidMessageError as error:
        # Its place starts with the name of the class; where the object stands is known further out.
        raise _MisfitError(error.place[len(row.cls.__name__) :], error.reason) from None


def _read_other(kind: FieldKind, text: str, position: int, depth: int) -> tuple[object, int]:
    if kind is _PARTS:
        return _read_parts(text, position, depth + 1)
    if kind is _SOURCE:
        return _read(text, position, SOURCES, depth)
    if text.startswith("true", position):
        return True, position + 4
    if text.startswith("false", position):
        return False, position + 5
    raise _MisfitError("", "true or false was expected")


def _read_parts(text: str, position: int, depth: int) -> tuple[tuple[Part, ...], int]:
    if text[position] != "[":
        raise _MisfitError("", "an array was expected")
    if depth > MAX_RESULT_NESTING:
        raise _MisfitError("", f"tool results are nested deeper than {MAX_RESULT_NESTING} levels")
    if text.startswith("[]", position):
        return (), position + 2
    parts: list[Part] = []
    while True:
        try:
            part, position = _read(text, position + 1, PARTS, depth)
        except _MisfitError as misfit:
            misfit.place = f"[{len(parts)}]{misfit.place}"
            raise
        parts.append(cast(Part, part))
        if text[position] != ",":
            break
    if text[position] != "]":
        raise _expected("the end of the array", text, position)
    return tuple(parts), position + 1


def _read_type_elsewhere(text: str, start: int, table: Mapping[str, Row], depth: int) -> tuple[object, int]:
    """An object whose type is not its first member: other programs order members as they like."""
    value, end = scan_value(text, start)
    if not isinstance(value, dict):
        raise _MisfitError("", "an object was expected")
    members = members_of(text[start:end])
    kinds = [member for key, member in members if key == "type"]
    if not kinds:
        raise _MisfitError(".type", "this member is missing")
    if len(kinds) > 1 or not kinds[0].startswith('"'):
        raise _MisfitError(".type", "one string was expected")
    rest = "".join(f",{quote(key)}:{member}" for key, member in members if key != "type")
    part, _ = _read(f'{{"type":{kinds[0]}{rest}}}', 0, table, depth)
    return part, end
