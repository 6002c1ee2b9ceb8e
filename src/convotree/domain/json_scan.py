"""Reading compact JSON by position: where each member, element or value ends, without making its Python value."""

from __future__ import annotations

import json
from json.decoder import scanstring  # type: ignore[attr-defined]  # absent from typeshed
from json.scanner import make_scanner
from typing import Final, NoReturn

from convotree.errors import InvalidJsonError

__all__ = [
    "MAX_NESTING",
    "SPANS",
    "broken",
    "members_of",
    "only_member_of",
    "refuse_constant",
    "scan_string",
    "scan_value",
    "spelled_members_of",
    "split_array",
    "split_object",
    "too_deep",
]

MAX_NESTING: Final = 256
"""Deepest nesting kept. Python 3.11's parser recurses: it fails near 1,000 minus the caller's stack depth."""


def refuse_constant(text: str) -> NoReturn:
    """For ``parse_constant``: Python reads ``NaN`` and ``Infinity``, which are no JSON."""
    raise ValueError(f"{text} is not JSON")


# For texts that are only checked or measured: a number becomes its length, which no length makes slow.
SPANS: Final = json.JSONDecoder(parse_float=len, parse_int=len, parse_constant=refuse_constant)

scan_value: Final = make_scanner(SPANS)  # type: ignore[arg-type]  # it only reads the decoder's attributes
"""``scan_value(text, position)``: the compact JSON value that starts there, and where it ends. Numbers come as ints
of no meaning. Raises ``ValueError``, or ``StopIteration`` if there is none: a step of a reader that ``broken`` serves.
"""


def split_object(text: str, *, place: str = "JSON") -> dict[str, str]:
    """The exact texts of an object's members by key, in order; of a repeated key the last one.

    ``text`` must be compact (as ``ExactJson.text`` is). Each member is parsed once, to find its end.

    Raises:
        InvalidJsonError: if ``text`` is not a compact JSON object.
    """
    members: dict[str, str] = {}
    for key, member in members_of(text, place=place):
        members.pop(key, None)
        members[key] = member
    return members


def members_of(text: str, *, place: str = "JSON") -> list[tuple[str, str]]:
    """As ``split_object``, with repeated keys among them.

    Raises:
        InvalidJsonError: if ``text`` is not a compact JSON object.
    """
    return [(key, member) for key, _, member in spelled_members_of(text, place=place)]


def only_member_of(text: str, key: str) -> list[tuple[str, str]] | None:
    """The members of the object that is the only member of ``text``, under ``key``; None if that is not how it is.

    For data that one program keeps under its name: read once, where ``split_object`` twice would read it twice.
    """
    position = len(key) + 4  # where the inner object opens
    if not text.startswith(f'{{"{key}":{{') or text[position + 1] == "}":
        return None
    members: list[tuple[str, str]] = []
    try:
        while True:
            name, colon = scan_string(text, position + 1)
            _, position = scan_value(text, colon + 1)
            members.append((name, text[colon + 1 : position]))
            if text[position] != ",":
                break
    except (ValueError, StopIteration, IndexError, RecursionError):
        return None
    return members if text[position:] == "}}" else None


def spelled_members_of(text: str, *, place: str = "JSON") -> list[tuple[str, str, str]]:
    """As ``members_of``: of each member its key, the key as it is spelled in ``text``, and the value's text.

    Raises:
        InvalidJsonError: if ``text`` is not a compact JSON object.
    """
    members: list[tuple[str, str, str]] = []
    if text == "{}":
        return members
    position = 0
    try:
        if text[0] != "{":
            raise InvalidJsonError(place=place, reason="an object was expected", position=0)
        while True:
            opening = position + 1
            key, colon = scan_string(text, opening)
            position = colon
            if text[colon] != ":":
                raise ValueError("a colon was expected")
            _, position = scan_value(text, colon + 1)
            members.append((key, text[opening:colon], text[colon + 1 : position]))
            if text[position] != ",":
                break
        if text[position:] != "}":
            raise ValueError("its end was expected")
    except (ValueError, StopIteration, IndexError, RecursionError) as error:
        raise broken("object", error, place=place, position=position) from error
    return members


def split_array(text: str, *, place: str = "JSON") -> list[str]:
    """The exact texts of an array's elements, in order; ``text`` must be compact.

    Raises:
        InvalidJsonError: if ``text`` is not a compact JSON array.
    """
    elements: list[str] = []
    if text == "[]":
        return elements
    position = 0
    try:
        if text[0] != "[":
            raise InvalidJsonError(place=place, reason="an array was expected", position=0)
        while True:
            start = position + 1
            _, position = scan_value(text, start)
            elements.append(text[start:position])
            if text[position] != ",":
                break
        if text[position:] != "]":
            raise ValueError("its end was expected")
    except (ValueError, StopIteration, IndexError, RecursionError) as error:
        raise broken("array", error, place=place, position=position) from error
    return elements


def scan_string(text: str, position: int) -> tuple[str, int]:
    """The JSON string that starts at ``position``, and where it ends; a step of a reader that ``broken`` serves.

    Raises:
        ValueError: if there is none.
        IndexError: if the text is shorter.
    """
    if text[position] != '"':
        raise ValueError("a string was expected")
    string: tuple[str, int] = scanstring(text, position + 1, True)
    return string


def broken(what: str, error: Exception, *, place: str, position: int) -> InvalidJsonError:
    """What to raise for ``error``, which a step of reading compact JSON at ``position`` raised."""
    if isinstance(error, RecursionError):
        return too_deep(place)
    detail = "it ends too early" if isinstance(error, IndexError) else "a value was expected"
    if isinstance(error, json.JSONDecodeError):
        detail, position = error.msg, error.pos
    elif isinstance(error, ValueError):
        detail = str(error)
    elif isinstance(error, StopIteration):
        position = error.value
    return InvalidJsonError(place=place, reason=f"not a compact JSON {what}: {detail}", position=position)


def too_deep(place: str, most: int = MAX_NESTING) -> InvalidJsonError:
    """The error for JSON that is nested deeper than ``most`` levels."""
    return InvalidJsonError(place=place, reason=f"nested deeper than {most} levels")
