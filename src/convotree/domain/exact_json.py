"""Exact JSON: a JSON value kept as the text it came in, so that spelling and order survive.

Insignificant white space is removed and lone surrogates are written as ``\\uXXXX`` escapes; nothing else changes:
number spelling (``1.10``, ``1e400``, ``-0``), key order, duplicate keys and escapes stay. Parsed values use plain
Python types; a number that Python would spell differently becomes a ``NumberText``.

JSON cannot say "a high and then a low surrogate, apart": two that stand side by side in a Python string are one
character once they are written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from itertools import accumulate, repeat
from typing import Any, Final

from convotree.domain.brief_repr import brief, brief_repr
from convotree.domain.json_scan import (
    MAX_NESTING,
    SPANS,
    refuse_constant,
    split_array,
    split_object,
    too_deep,
)
from convotree.domain.number_text import NumberText, float_of, int_of
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


@dataclass(frozen=True, slots=True)
class ExactJson:
    """One JSON value as exact text; equal texts are equal values. Calling the class is ``parse``."""

    text: str

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", _parse(self.text, "JSON", MAX_NESTING))

    @classmethod
    def parse(
        cls, source: str | bytes | bytearray, *, place: str = "JSON", max_nesting: int = MAX_NESTING
    ) -> ExactJson:
        """Keep ``source`` (JSON text; bytes are UTF-8) as it is written.

        ``max_nesting`` is for the library's own envelopes, which hold JSON of callers some levels down.

        Raises:
            InvalidJsonError: with ``place`` and the position, if it is not exactly one JSON value, is nested
                deeper than ``max_nesting`` levels, starts with a byte order mark, or holds ``NaN`` or ``Infinity``.
        """
        return cls.stored(_parse(source, place, max_nesting))

    @classmethod
    def of(cls, value: object, *, place: str = "JSON") -> ExactJson:
        """Write a Python value.

        Taken are None, bool, int, float, Decimal, str, list, tuple, mappings, NumberText and ExactJson.

        Raises:
            InvalidJsonError: if a value of another type, a key that is no string, ``nan`` or ``inf`` or an int of
                more than 4,300 digits (give a ``NumberText``) occurs, or it is nested deeper than 256 levels.
        """
        if isinstance(value, cls):
            return value
        text = _escape_surrogates(_encode(value, place))
        _check_nesting(text, place, MAX_NESTING)
        return cls.stored(text)

    @classmethod
    def stored(cls, text: str) -> ExactJson:
        """Wrap text that ``parse`` or ``of`` made earlier, without checking it again."""
        made = object.__new__(cls)
        object.__setattr__(made, "text", text)
        return made

    @property
    def value(self) -> JsonValue:
        """The value parsed anew at each call, so that changing it cannot change this one."""
        return parse_value(self.text)

    @property
    def is_object(self) -> bool:
        return self.text.startswith("{")

    def to_bytes(self) -> bytes:
        """The text in UTF-8."""
        return self.text.encode()


def quote(text: str) -> str:
    """``text`` as a JSON string, lone surrogates as escapes."""
    return _escape_surrogates(json.encoder.encode_basestring(text))


def parse_value(text: str, *, place: str = "JSON") -> JsonValue:
    """The plain Python value of JSON text; numbers Python cannot spell the same become ``NumberText``.

    Raises:
        InvalidJsonError: if ``text`` is not JSON.
    """
    return _decode(_VALUES, text, place)


# Sixty lists, each holding the one before it twice, take no room and would never end. Each member is two characters
# at least, so nothing that may be stored (15 MiB) holds as many.
_MAX_MEMBERS: Final = 2**23

# A string, or a run of what is neither string nor white space.
_INK: Final = re.compile(r'[^" \t\r\n]++|"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_NO_BRACKETS: Final = re.compile(r'[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_STEPS: Final[Mapping[str, int]] = {"[": 1, "{": 1, "]": -1, "}": -1}
_WHITE_SPACE: Final = re.compile("[ \t\r\n]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_VALUES: Final = json.JSONDecoder(parse_float=float_of, parse_int=int_of, parse_constant=refuse_constant)


def _parse(source: object, place: str, max_nesting: int) -> str:
    text = _text_of(source, place)
    _check_nesting(text, place, max_nesting)
    _decode(SPANS, text, place)
    if _WHITE_SPACE.search(text):
        text = "".join(_INK.findall(text))
    return _escape_surrogates(text)


def _decode(decoder: json.JSONDecoder, text: str, place: str) -> JsonValue:
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        raise InvalidJsonError(place=place, reason=error.msg, position=error.pos) from error
    except ValueError as error:
        raise InvalidJsonError(place=place, reason=str(error)) from error
    except RecursionError as error:
        raise too_deep(place) from error


def _text_of(source: object, place: str) -> str:
    if isinstance(source, (bytes, bytearray)):
        try:
            source = bytes(source).decode()
        except UnicodeDecodeError as error:
            raise InvalidJsonError(place=place, reason="not UTF-8", position=error.start) from error
    if not isinstance(source, str):
        raise InvalidJsonError(
            place=place, reason=f"text or bytes were expected, not {type(source).__name__}"
        )
    if source.startswith("\ufeff"):
        raise InvalidJsonError(place=place, reason="it starts with a byte order mark; remove it", position=0)
    return str.__str__(source)  # of a subclass only the text


def _check_nesting(text: str, place: str, most: int) -> None:
    if text.count("[") + text.count("{") <= most:
        return
    brackets = _NO_BRACKETS.sub("", text)
    # All of them may stand inside one string.
    if max(accumulate(map(_STEPS.get, brackets, repeat(0))), default=0) > most:
        raise too_deep(place, most)


def _escape_surrogates(text: str) -> str:
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _encode(value: object, place: str) -> str:
    """Encode at the speed of the C encoder: exact texts go in as marked strings and are put back after."""
    exact: list[str] = []
    marker = "\ufdd0"

    def put(other: object) -> object:
        if isinstance(other, Mapping):
            plain = dict(other)
            _check_plain(plain, place)
            return plain
        exact.append(_exact_text(other, place))
        return marker

    while True:
        encoder = json.JSONEncoder(
            ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=put, check_circular=False
        )
        try:
            _check_plain(value, place)
            text = encoder.encode(value)
        except RecursionError as error:
            raise too_deep(place) from error
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
        return Decimal.__str__(value)
    raise InvalidJsonError(place=place, reason=f"{type(value).__name__} has no JSON form")


def _check_plain(value: object, place: str) -> None:
    """Refuse what the C encoder would take in silence (keys that are no strings) or never end on (circles)."""
    waiting: list[Iterator[object]] = [iter((value,))]
    members = 0
    while waiting:
        for one in waiting[-1]:
            if isinstance(one, dict):
                for key in one:
                    if type(key) is not str:
                        raise InvalidJsonError(place=place, reason=f"key {brief(key)} is not a plain string")
                waiting.append(iter(one.values()))
            elif isinstance(one, (list, tuple)):
                waiting.append(iter(one))
            else:
                continue
            members += len(one)
            if len(waiting) > MAX_NESTING + 1:
                raise too_deep(place)
            if members > _MAX_MEMBERS:
                raise InvalidJsonError(place=place, reason=f"more than {_MAX_MEMBERS} members and elements")
            break
        else:
            waiting.pop()
