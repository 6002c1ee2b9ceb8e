"""From a body's exact text to the plain values an SDK takes, with a note for each that cannot be carried exactly."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from math import copysign, isfinite
from sys import float_info
from typing import Any, Final

from convotree.domain.exact_json import NumberText, parse_value
from convotree.replay.note import Note

__all__ = ["INEXACT_NUMBER", "LONE_SURROGATE", "plain_body"]

INEXACT_NUMBER: Final = "X1"
LONE_SURROGATE: Final = "X2"

_ESCAPED_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def plain_body(text: str) -> tuple[dict[str, Any], list[Note]]:
    """The body in ``text``, an exact JSON object, and what it could not carry.

    A number that is neither an int nor the value of a float becomes the nearest finite float; a lone surrogate,
    which no UTF-8 can hold, becomes U+FFFD.
    """
    odd: list[str] = []

    def read_float(number: str) -> float:
        value = float(number)
        if repr(value) != number:
            odd.append(number)
        return value

    try:
        body = json.loads(text, parse_float=read_float)
    except ValueError:
        # An int of more digits than Python reads by default.
        return _carefully(text)
    if _has_escaped_surrogate(text) or not all(map(_is_exact, odd)):
        return _carefully(text)
    return body, []


def _has_escaped_surrogate(text: str) -> bool:
    # Finding a plain string is far quicker than a pattern, and most texts have no such escape at all.
    return (r"\ud" in text or r"\uD" in text) and _ESCAPED_SURROGATE.search(text) is not None


def _is_exact(number: str) -> bool:
    return _equal(float(number), number)


def _equal(value: float, number: str) -> bool:
    try:
        return isfinite(value) and Decimal(repr(value)) == Decimal(number)
    except InvalidOperation:
        # An exponent beyond what even decimals hold.
        return False


def _carefully(text: str) -> tuple[dict[str, Any], list[Note]]:
    root: list[Any] = [parse_value(text)]
    notes: list[Note] = []
    # Each frame is a container with the rest of its members, so that notes come in the order of the text.
    waiting: list[tuple[Any, str, Iterator[Any]]] = [(root, "", iter([0]))]
    while waiting:
        container, place, rest = waiting[-1]
        for key in rest:
            here = _place(place, key)
            value = container[key]
            if isinstance(value, NumberText):
                container[key] = _nearest(value.text, here, notes)
            elif isinstance(value, str):
                container[key] = _clean(value, here, notes)
            elif isinstance(value, dict):
                value = container[key] = {_clean(name, here, notes): one for name, one in value.items()}
                waiting.append((value, here, iter(list(value))))
                break
            elif isinstance(value, list):
                waiting.append((value, here, iter(range(len(value)))))
                break
        else:
            waiting.pop()
    return root[0], notes


def _place(parent: str, key: str | int) -> str:
    if not parent:
        return "body"
    return f"{parent}[{key}]" if isinstance(key, int) else f"{parent}.{key}"


def _clean(text: str, place: str, notes: list[Note]) -> str:
    if text.isascii() or not _SURROGATE.search(text):
        return text
    notes.append(Note(place, LONE_SURROGATE, "no UTF-8 text can hold a lone surrogate; U+FFFD stands for it"))
    return _SURROGATE.sub("\ufffd", text)


def _nearest(number: str, place: str, notes: list[Note]) -> int | float:
    if number == "-0":
        return 0
    value = float(number)
    if not isfinite(value):
        value = copysign(float_info.max, value)
    if not _equal(value, number):
        brief = number if len(number) <= 40 else f"{number[:37]}…"
        notes.append(
            Note(
                place, INEXACT_NUMBER, f"{brief} is sent as {value!r} by an SDK; to_json() keeps its spelling"
            )
        )
    return value
