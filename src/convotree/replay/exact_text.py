"""From a tree of plain values and exact leaves to exact JSON text, at the speed of the C encoder.

Unlike ``ExactJson.of`` it trusts its input: trees that replay itself builds, or that this library's parser made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

from convotree.domain.exact_json import MAX_NESTING, ExactJson, NumberText
from convotree.errors import InvalidJsonError

__all__ = ["exact_leaf", "write_exact"]

_PLAIN: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False
)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SLICE: Final = 128
# ExactJson keeps at most 256 levels; a leaf with fewer brackets than that needs no closer look.
_FEW_BRACKETS: Final = 200


def exact_leaf(value: Any, *, place: str) -> ExactJson:
    """A value that this library's parser made, as exact text.

    Raises:
        InvalidJsonError: if it is nested deeper than 256 levels.
    """
    try:
        text = _escaped(_PLAIN.encode(value))
    except TypeError:
        # It holds a number that is kept as text.
        text = write_exact(value)
    except RecursionError:
        raise InvalidJsonError(place=place, reason=f"nested deeper than {MAX_NESTING} levels") from None
    if text.count("[") + text.count("{") > _FEW_BRACKETS:
        return ExactJson.parse(text, place=place)
    return ExactJson.stored(text)


def write_exact(tree: Any) -> str:
    """Exact text of ``tree``: None, bool, int, float, str, list, dict, and ExactJson or NumberText as leaves."""
    return _escaped("".join(_pieces_of(tree)))


def _pieces_of(tree: Any) -> Iterator[str]:
    """The text in pieces: the encoder holds several copies of what it is given, so a long list goes in slices."""
    if type(tree) is not dict or all(type(one) is not list or len(one) <= _SLICE for one in tree.values()):
        yield _with_leaves(tree)
        return
    before = "{"
    for key, value in tree.items():
        yield f"{before}{_PLAIN.encode(key)}:"
        before = ","
        if type(value) is not list or len(value) <= _SLICE:
            yield _with_leaves(value)
            continue
        for start in range(0, len(value), _SLICE):
            yield "," if start else "["
            yield _with_leaves(value[start : start + _SLICE])[1:-1]
        yield "]"
    yield "}"


def _escaped(text: str) -> str:
    if text.isascii() or _fits_utf8(text):
        return text
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _fits_utf8(text: str) -> bool:
    # Five times as fast as a search for surrogates in text that holds none, which is nearly all there is.
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _with_leaves(tree: Any) -> str:
    # The encoder cannot be given raw text, so each leaf goes in as a marked string and is put in place afterwards.
    leaves: list[str] = []
    marker = "\ufdd0"

    def put(leaf: object) -> str:
        if not isinstance(leaf, (ExactJson, NumberText)):
            raise TypeError(f"{type(leaf).__name__} has no JSON form")
        leaves.append(leaf.text)
        return marker

    while True:
        text = json.JSONEncoder(
            ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False, default=put
        ).encode(tree)
        pieces = text.split(f'"{marker}"')
        if len(pieces) == len(leaves) + 1:
            del text  # of a large body each copy counts
            woven = [""] * (2 * len(leaves) + 1)
            woven[0::2] = pieces
            woven[1::2] = leaves
            return "".join(woven)
        # A text of the tree is the marker itself: take one that depends on all of it.
        marker = "\ufdd0" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        leaves.clear()
