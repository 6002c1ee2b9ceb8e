"""JSON as Go's ``encoding/json`` reads and writes it, which is what the two reference shapes are made of.

Read: members in the order of the text, numbers by their spelling, lone surrogates as U+FFFD. Written: object keys
sorted, ``<``, ``>``, ``&`` and two line separators as escapes. All of it linear in the length of the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from math import copysign, isinf
from typing import Any, Final

from convotree.domain.exact_json import ExactJson, quote
from convotree.domain.json_scan import refuse_constant, too_deep
from convotree.errors import InvalidJsonError
from convotree.replay.reading import MisreadError

__all__ = [
    "KeyOrder",
    "Pairs",
    "Spelling",
    "canonical",
    "canonical_json",
    "escape_markup",
    "float_text",
    "float_value",
    "kind_of",
    "read_json",
    "whole_characters",
]

_EXTRA: Final = "Extra data"
# A high surrogate's escape followed by a low one's, one alone, or any other escape: each is looked at once.
_ESCAPES: Final = re.compile(
    r"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
_MARKUP: Final = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


class Pairs(list[tuple[str, Any]]):
    """The members of an object in the order of the text, repeated keys included."""


class Spelling(str):
    """A number as it is spelled."""

    __slots__ = ()


class KeyOrder(Enum):
    """The order of an object's members when they are written."""

    SORTED = "sorted"
    """By code points; of a repeated key the last counts: a Go map."""
    AS_WRITTEN = "as_written"
    """As in the text, repeated keys included: Go's raw JSON."""


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=Pairs, parse_int=Spelling, parse_float=Spelling, parse_constant=refuse_constant
)


def read_json(source: str | bytes | bytearray, *, place: str) -> tuple[Any, int | None]:
    """The first JSON value in ``source`` and the position of what follows it, if something does.

    Objects are ``Pairs``, numbers ``Spelling``; all else as Python has it.

    Raises:
        InvalidJsonError: if ``source`` is neither text nor bytes, is not UTF-8, starts with a byte order mark, does not
            start with a JSON value, or that is nested deeper than 256 levels.
    """
    rest = None
    try:
        exact = ExactJson.parse(source, place=place)
    except InvalidJsonError as error:
        if error.reason != _EXTRA or error.position is None:
            raise
        rest = error.position
        text = source if isinstance(source, str) else bytes(source).decode()
        exact = ExactJson.parse(text[:rest], place=place)
    text = exact.text
    try:
        return _DECODER.decode(whole_characters(text)[0]), rest
    except RecursionError:
        raise too_deep(place) from None


def whole_characters(text: str) -> tuple[str, int]:
    """JSON text with U+FFFD for each escape that is half a character, and how many there were."""
    if "\\u" not in text:
        return text, 0
    halves = 0

    def mended(match: re.Match[str]) -> str:
        nonlocal halves
        if not match[2]:
            return match[0]
        halves += 1
        return "\\ufffd"

    return _ESCAPES.sub(mended, text), halves


def kind_of(tree: Any) -> str:
    """What a value read by ``read_json`` is, in a sentence: ``an object``, ``a number``, …"""
    names = {
        "Pairs": "an object",
        "list": "an array",
        "str": "a string",
        "Spelling": "a number",
        "bool": "true or false",
    }
    return names.get(type(tree).__name__, "null")


def canonical(tree: Any, *, order: KeyOrder = KeyOrder.SORTED, number: Callable[[str], str] = str) -> str:
    """Compact text of a value read by ``read_json``; equal values give equal texts. ``number`` respells a number.

    Raises:
        MisreadError: if the caller's stack leaves no room for a value nested so deep, or ``number`` does.
    """
    try:
        return _canonical(tree, order, number)
    except RecursionError:
        raise MisreadError("", "nested deeper than the stack has room for") from None


def _canonical(tree: Any, order: KeyOrder, number: Callable[[str], str]) -> str:
    # Loops, not generators: one frame for each level of nesting leaves the caller room.
    inner: list[str] = []
    if type(tree) is Pairs:
        for key, value in tree if order is KeyOrder.AS_WRITTEN else sorted(dict(tree).items()):
            inner.append(f"{quote(key)}:{_canonical(value, order, number)}")
        return "{" + ",".join(inner) + "}"
    if type(tree) is list:
        for value in tree:
            inner.append(_canonical(value, order, number))
        return "[" + ",".join(inner) + "]"
    if type(tree) is Spelling:
        return number(str(tree))
    if type(tree) is str:
        return quote(tree)
    return {None: "null", True: "true", False: "false"}[tree]


def canonical_json(
    value: ExactJson, *, order: KeyOrder = KeyOrder.SORTED, number: Callable[[str], str] = str
) -> ExactJson:
    """``value`` as Go writes it again."""
    tree, _ = read_json(value.text, place="JSON")
    return ExactJson.stored(canonical(tree, order=order, number=number))


def escape_markup(text: str) -> str:
    """JSON text with the characters that mean something in HTML and JavaScript escaped; they stand in strings only."""
    for character, escape in _MARKUP.items():
        if character in text:
            text = text.replace(character, escape)
    return text


def float_value(spelling: str) -> float:
    """The float64 that a number is.

    Raises:
        MisreadError: if it is too large for one.
    """
    value = float(spelling)
    if isinf(value):
        shown = spelling if len(spelling) <= 40 else f"{spelling[:40]}…"
        raise MisreadError("", f"the number {shown} is out of the range of float64")
    return value


def float_text(spelling: str) -> str:
    """A number as Go writes it after it was a float64: the shortest digits, an exponent below 1e-6 and from 1e21.

    Raises:
        MisreadError: if it is too large for a float64.
    """
    value = float_value(spelling)
    if value == 0:
        return "-0" if copysign(1.0, value) < 0 else "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    minus = "-" if sign else ""
    shown = "".join(map(str, digits))
    scale = len(shown) - 1 + int(exponent)
    if -7 < scale < 21:
        plain = format(Decimal((0, digits, int(exponent))), "f")
        return minus + plain
    fraction = f".{shown[1:]}" if len(shown) > 1 else ""
    # Go drops the zero before a single digit of a negative exponent; positive ones have two digits here.
    return f"{minus}{shown[0]}{fraction}e{scale:+d}"
