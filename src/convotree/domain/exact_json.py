"""Exact JSON: a JSON value kept as the text it came in, so that spelling and order survive.

Insignificant white space is removed and lone surrogates are written as ``\\uXXXX`` escapes; nothing else
changes: number spelling (``1.10``, ``1e400``, ``-0``), key order, duplicate keys and escapes stay. Parsed
values use plain Python types; a number that Python would spell differently becomes a ``NumberText``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from json.decoder import scanstring  # type: ignore[attr-defined]  # absent from typeshed
from json.scanner import make_scanner
from typing import Any, Final

from convotree.errors import InvalidJsonError

__all__ = [
    "MAX_NESTING",
    "ExactJson",
    "JsonValue",
    "NumberText",
    "parse_value",
    "quote",
    "split_array",
    "split_object",
]

# Any, because a recursive alias would force casts at every access to a value of unknown shape.
JsonValue = Any
"""None, bool, int, float, NumberText, str, list or dict (of these)."""

MAX_NESTING: Final = 256
"""Deepest nesting kept. Python 3.11's parser recurses: it fails near 1,000 minus the caller's stack depth."""


@dataclass(frozen=True, slots=True)
class NumberText:
    """A JSON number whose spelling Python's ``int`` and ``float`` would not give back, such as ``1.10``."""

    text: str

    def __post_init__(self) -> None:
        if type(self.text) is not str or not _NUMBER.fullmatch(self.text):
            raise InvalidJsonError(place="NumberText", reason=f"{self.text!r} is not a JSON number")

    def __float__(self) -> float:
        return float(self.text)

    def __int__(self) -> int:
        return int(Decimal(self.text))

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class ExactJson:
    """One JSON value as exact text. Equal texts are equal values; make it by ``parse`` or ``of``."""

    text: str

    @classmethod
    def parse(cls, source: str | bytes, *, place: str = "JSON") -> ExactJson:
        """Keep ``source`` (JSON text; bytes are UTF-8) as it is written.

        Raises:
            InvalidJsonError: with ``place`` and the position, if it is not exactly one JSON value, is nested
                deeper than 256 levels, or holds ``NaN`` or ``Infinity``.
        """
        text = _text_of(source, place)
        compact = _WHITE_SPACE.sub(r"\1", text)
        _check_nesting(compact, place)
        _loads(text, place)
        return cls(_escape_surrogates(compact))

    @classmethod
    def of(cls, value: object, *, place: str = "JSON") -> ExactJson:
        """Write a Python value.

        Taken are None, bool, int, float, Decimal, str, list, tuple, mappings, NumberText and ExactJson.

        Raises:
            InvalidJsonError: if a value of another type, a key that is no string, ``nan`` or ``inf`` occurs,
                or it is nested deeper than 256 levels.
        """
        if isinstance(value, cls):
            return value
        text = _escape_surrogates(_encode(value, place))
        _check_nesting(text, place)
        return cls(text)

    @classmethod
    def stored(cls, text: str) -> ExactJson:
        """Wrap text that ``parse`` or ``of`` made earlier, without checking it again."""
        return cls(text)

    @property
    def value(self) -> JsonValue:
        """The value parsed anew at each call, so that changing it cannot change this one."""
        return _loads(self.text, "JSON")

    @property
    def is_object(self) -> bool:
        return self.text.startswith("{")

    def to_bytes(self) -> bytes:
        """The text in UTF-8."""
        return self.text.encode()


def quote(text: str) -> str:
    """``text`` as a JSON string, lone surrogates as escapes."""
    return _escape_surrogates(_PLAIN.encode(text))


def split_object(text: str, *, place: str = "JSON") -> dict[str, str]:
    """The exact texts of an object's members by key, in order; of a repeated key the last one.

    ``text`` must be compact (as ``ExactJson.text`` is). Each member is parsed once, to find its end.
    """
    members: dict[str, str] = {}
    if text == "{}":
        return members
    if not text.startswith("{"):
        raise InvalidJsonError(place=place, reason="an object was expected", position=0)
    position = 1
    try:
        while True:
            key, position = scanstring(text, position + 1, True)
            start = position + 1
            _, position = _SCAN(text, start)
            members.pop(key, None)
            members[key] = text[start:position]
            if text[position] == "}":
                return members
            position += 1
    except (ValueError, StopIteration, IndexError, RecursionError) as error:
        raise InvalidJsonError(place=place, reason=f"broken object: {error}", position=position) from error


def split_array(text: str, *, place: str = "JSON") -> list[str]:
    """The exact texts of an array's elements, in order; ``text`` must be compact."""
    elements: list[str] = []
    if text == "[]":
        return elements
    if not text.startswith("["):
        raise InvalidJsonError(place=place, reason="an array was expected", position=0)
    position = 1
    try:
        while True:
            start = position
            _, position = _SCAN(text, start)
            elements.append(text[start:position])
            if text[position] == "]":
                return elements
            position += 1
    except (ValueError, StopIteration, IndexError, RecursionError) as error:
        raise InvalidJsonError(place=place, reason=f"broken array: {error}", position=position) from error


def parse_value(text: str, *, place: str = "JSON") -> JsonValue:
    """The plain Python value of JSON text; numbers Python cannot spell the same become ``NumberText``.

    Raises:
        InvalidJsonError: if ``text`` is not JSON.
    """
    return _loads(text, place)


# A string, kept by group 1, or a run of white space outside of strings.
_WHITE_SPACE: Final = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+")|[ \t\r\n]++', re.DOTALL)
_STRUCTURE: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[{]|[\]}]', re.DOTALL)
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_PLAIN: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _number(text: str) -> float | NumberText:
    value = float(text)
    return value if repr(value) == text else NumberText(text)


def _integer(text: str) -> int | NumberText:
    # int() refuses more than 4,300 digits since Python 3.11, and "-0" would come back as "0".
    if len(text) > 4000 or text == "-0":
        return NumberText(text)
    return int(text)


def _constant(text: str) -> JsonValue:
    raise ValueError(f"{text} is not JSON")


_DECODER: Final = json.JSONDecoder(parse_float=_number, parse_int=_integer, parse_constant=_constant)
_SCAN: Final = make_scanner(_DECODER)  # type: ignore[arg-type]  # it only reads the decoder's attributes


def _loads(text: str, place: str) -> JsonValue:
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise InvalidJsonError(place=place, reason=error.msg, position=error.pos) from error
    except ValueError as error:
        raise InvalidJsonError(place=place, reason=str(error)) from error
    except RecursionError as error:
        raise _too_deep(place) from error


def _text_of(source: object, place: str) -> str:
    if isinstance(source, str):
        return source
    if isinstance(source, (bytes, bytearray)):
        try:
            return bytes(source).decode()
        except UnicodeDecodeError as error:
            raise InvalidJsonError(place=place, reason="not UTF-8", position=error.start) from error
    raise InvalidJsonError(place=place, reason=f"text or bytes were expected, not {type(source).__name__}")


def _check_nesting(text: str, place: str) -> None:
    if text.count("[") + text.count("{") <= MAX_NESTING:
        return
    depth = 0
    for match in _STRUCTURE.finditer(text):
        char = match[0]
        if char in "[{":
            depth += 1
            if depth > MAX_NESTING:
                raise _too_deep(place)
        elif char in "]}":
            depth -= 1


def _too_deep(place: str) -> InvalidJsonError:
    return InvalidJsonError(place=place, reason=f"nested deeper than {MAX_NESTING} levels")


def _escape_surrogates(text: str) -> str:
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _encode(value: object, place: str) -> str:
    """Encode at the speed of the C encoder: exact texts go in as marked strings and are put back after."""
    exact: list[str] = []
    marker = "\ufdd0"

    def put(other: object) -> str:
        exact.append(_exact_text(other, place))
        return marker

    while True:
        encoder = json.JSONEncoder(
            ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=put, check_circular=False
        )
        try:
            _check_keys(value, place)
            text = encoder.encode(value)
        except RecursionError as error:
            raise _too_deep(place) from error
        except ValueError as error:
            raise InvalidJsonError(place=place, reason=str(error)) from error
        if not exact:
            return text
        pieces = text.split(f'"{marker}"')
        if len(pieces) == len(exact) + 1:
            return "".join(piece + raw for piece, raw in zip(pieces, [*exact, ""], strict=True))
        # The value itself contains the marker as a string: choose one that depends on the whole text.
        marker = "\ufdd0" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        exact.clear()


def _exact_text(value: object, place: str) -> str:
    if isinstance(value, (ExactJson, NumberText)):
        return value.text
    if isinstance(value, Decimal) and value.is_finite():
        return str(value)
    if isinstance(value, Mapping):
        return _encode(dict(value), place)
    raise InvalidJsonError(place=place, reason=f"{type(value).__name__} has no JSON form")


def _check_keys(value: object, place: str) -> None:
    """The C encoder turns number and None keys into strings in silence; here they are refused."""
    waiting: list[tuple[object, int]] = [(value, 0)]
    while waiting:
        one, depth = waiting.pop()
        if depth > MAX_NESTING:
            raise _too_deep(place)
        if isinstance(one, dict):
            for key, member in one.items():
                if type(key) is not str:
                    raise InvalidJsonError(place=place, reason=f"key {key!r} is not a string")
                if isinstance(member, (dict, list, tuple)):
                    waiting.append((member, depth + 1))
        elif isinstance(one, (list, tuple)):
            waiting.extend((member, depth + 1) for member in one if isinstance(member, (dict, list, tuple)))
