"""JSON text cut into spans: where each value begins and ends, so that what is kept is kept as it is spelled.

The text is checked whole, once, without recursion: exports nest one message in another, as deep as a conversation
is long. A span is looked into only one level at a time; what lies inside its members is jumped over.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]  # absent from typeshed, there since Python 3.1
from typing import Final

from convotree.domain.exact_json import ExactJson, JsonValue, parse_value
from convotree.errors import InvalidJsonError

__all__ = ["JsonSpan", "exact_members", "line_and_column", "scan_json", "string_in"]

_SPACE: Final = r"[ \t\r\n]*+"
_STRING: Final = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
_NUMBER: Final = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
_SCALAR: Final = rf"(?:{_STRING}|{_NUMBER}|true|false|null)"
_KEY: Final = rf"{_SPACE}{_STRING}{_SPACE}:"
_ITEM: Final = {"{": rf"{_KEY}{_SPACE}", "[": _SPACE}
_CLOSING: Final = {"{": r"\}", "[": r"\]"}

_BLANK: Final = re.compile(_SPACE)
_ONE_SCALAR: Final = re.compile(_SCALAR)
_ONE_KEY: Final = re.compile(_KEY + _SPACE)
# Each takes as many plain items as there are in one step, so the loop in Python turns once per container only.
_PLAIN_ITEMS: Final = {
    bracket: re.compile(rf"(?:{item}{_SCALAR}{_SPACE},)*+{_SPACE}") for bracket, item in _ITEM.items()
}
_ITEMS: Final = {
    bracket: re.compile(
        rf"(?:{item}{_SCALAR}{_SPACE},)*+{item}(?:(?P<inner>[\[{{])|{_SCALAR}{_SPACE}{_CLOSING[bracket]})"
    )
    for bracket, item in _ITEM.items()
}
_EMPTY: Final = {bracket: re.compile(rf"{_SPACE}{closing}") for bracket, closing in _CLOSING.items()}
_AFTER: Final = {bracket: re.compile(rf"{_SPACE}(?:,|{closing})") for bracket, closing in _CLOSING.items()}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JsonSpan:
    """One JSON value in a text. ``start`` and ``end`` are offsets in characters."""

    _text: str
    _ends: dict[int, int]
    start: int
    end: int

    @property
    def raw(self) -> str:
        """The value as it is written, white space and all."""
        return self._text[self.start : self.end]

    @property
    def kind(self) -> str:
        """``object``, ``array``, ``string``, ``true``, ``false``, ``null`` or ``number``."""
        return _KINDS.get(self._text[self.start], "number")

    @property
    def is_object(self) -> bool:
        return self._text[self.start] == "{"

    @property
    def is_array(self) -> bool:
        return self._text[self.start] == "["

    @property
    def is_null(self) -> bool:
        return self._text[self.start] == "n"

    @property
    def string(self) -> str | None:
        """The value of a string, None of anything else."""
        if self._text[self.start] != '"':
            return None
        value: str = scanstring(self._text, self.start + 1, True)[0]
        return value

    def exact(self, place: str) -> ExactJson:
        """The value as exact JSON.

        Raises:
            InvalidJsonError: with ``place``, if it is nested deeper than exact JSON may be.
        """
        return ExactJson.parse(self.raw, place=place)

    def value(self, place: str) -> JsonValue:
        """The value in Python's types; numbers that Python would spell otherwise as ``NumberText``.

        Raises:
            InvalidJsonError: as ``exact``.
        """
        return parse_value(self.exact(place).text, place=place)

    def pairs(self) -> list[tuple[str, JsonSpan]]:
        """The members of an object in order, repeated keys included; of anything else none."""
        found: list[tuple[str, JsonSpan]] = []
        text, position = self._text, self.start
        if text[position] != "{" or _EMPTY["{"].match(text, position + 1):
            return found
        while text[position] != "}":
            start = _end(_ONE_KEY, text, position + 1)
            key: str = scanstring(text, text.index('"', position + 1) + 1, True)[0]
            value = self._value_at(start)
            found.append((key, value))
            position = _end(_BLANK, text, value.end)
        return found

    def elements(self) -> list[JsonSpan]:
        """The elements of an array in order; of anything else none."""
        found: list[JsonSpan] = []
        text, position = self._text, self.start
        if text[position] != "[" or _EMPTY["["].match(text, position + 1):
            return found
        while text[position] != "]":
            value = self._value_at(_end(_BLANK, text, position + 1))
            found.append(value)
            position = _end(_BLANK, text, value.end)
        return found

    def _value_at(self, position: int) -> JsonSpan:
        end = self._ends.get(position)
        if end is None:
            end = _end(_ONE_SCALAR, self._text, position)
        return JsonSpan(self._text, self._ends, position, end)


_KINDS: Final = {"{": "object", "[": "array", '"': "string", "t": "true", "f": "false", "n": "null"}


def scan_json(text: str) -> JsonSpan:
    """The one JSON value that ``text`` is; linear in its length, nested as deep as it likes.

    Raises:
        InvalidJsonError: with the position, if ``text`` is not exactly one JSON value.
    """
    start = _end(_BLANK, text, 0)
    ends: dict[int, int] = {}
    if text[start : start + 1] in _ITEM:
        end = _scan_container(text, start, ends)
    else:
        scalar = _ONE_SCALAR.match(text, start)
        if scalar is None:
            raise _fault(text, start)
        end = scalar.end()
    rest = _end(_BLANK, text, end)
    if rest != len(text):
        raise InvalidJsonError(place="JSON", reason="something follows the end of the value", position=rest)
    return JsonSpan(text, ends, start, end)


def line_and_column(text: str, position: int) -> str:
    """``line 3, column 14``, both from 1, for an offset in characters."""
    line = text.count("\n", 0, position) + 1
    return f"line {line}, column {position - text.rfind(chr(10), 0, position)}"


def exact_members(
    members: Mapping[str, JsonSpan], place: str, *, without: Collection[str] = ()
) -> dict[str, ExactJson]:
    """The members of an object as exact JSON, in order, but for those ``without``."""
    return {key: span.exact(f"{place}.{key}") for key, span in members.items() if key not in without}


def string_in(members: Mapping[str, JsonSpan], name: str) -> str | None:
    """The string that a member is; None if it is none or not there."""
    span = members.get(name)
    return None if span is None else span.string


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    """Where a match that begins at ``position`` ends; without one ``position``."""
    match = pattern.match(text, position)
    return position if match is None else match.end()


def _scan_container(text: str, start: int, ends: dict[int, int]) -> int:
    """Note where each container in the one at ``start`` ends; return where that one does."""
    open_at = [start]
    empty = _EMPTY[text[start]].match(text, start + 1)
    position = start + 1
    if empty is not None:
        ends[start] = empty.end()
        return empty.end()
    while True:
        bracket = text[open_at[-1]]
        items = _ITEMS[bracket].match(text, position)
        if items is None:
            raise _fault(text, _end(_PLAIN_ITEMS[bracket], text, position))
        position = items.end()
        if items["inner"] is not None:
            open_at.append(position - 1)
            empty = _EMPTY[text[position - 1]].match(text, position)
            if empty is None:
                continue
            position = empty.end()
        while True:  # a container ends at ``position``
            ends[open_at.pop()] = position
            if not open_at:
                return position
            after = _AFTER[text[open_at[-1]]].match(text, position)
            if after is None:
                raise _fault(text, position)
            position = after.end()
            if text[position - 1] == ",":
                break


def _fault(text: str, position: int) -> InvalidJsonError:
    """What is wrong near ``position``, in the words of Python's parser where it gets that far."""
    if not text.strip(" \t\r\n"):
        return InvalidJsonError(place="JSON", reason="there is nothing but white space", position=0)
    try:
        parse_value(text)
    except InvalidJsonError as error:
        if error.position is not None:
            return error
        if "not JSON" in error.reason:
            return InvalidJsonError(place="JSON", reason=error.reason, position=position)
    return InvalidJsonError(place="JSON", reason="this is not JSON", position=position)
