"""The rules by which Go's ``encoding/json`` fills a struct: keys in any case, null as absence, zero values left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, TypeAlias

from convotree.domain.exact_json import ExactJson
from convotree.interchange.go_json import Pairs, Spelling, canonical, kind_of
from convotree.replay.reading import MisreadError

__all__ = [
    "Members",
    "Reader",
    "Struct",
    "Unknown",
    "list_of",
    "read_any",
    "read_count",
    "read_flag",
    "read_object",
    "read_text",
    "read_texts",
]

Members: TypeAlias = dict[str, Any]
"""Fields of a struct that are not zero, in its order: texts, flags, whole numbers, exact JSON, lists and structs."""

Reader: TypeAlias = Callable[[Any], Any]
"""Makes a field's value of a JSON value that is not null; None for the zero value. Raises ``MisreadError``."""

_INT64: Final = 1 << 63


class Unknown(Enum):
    """What becomes of a key that is no field's."""

    REFUSED = "refused"
    DROPPED = "dropped"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct: its fields in order of output, and the values that absent fields are written with."""

    fields: Mapping[str, Reader]
    unknown: Unknown = Unknown.REFUSED
    always: Mapping[str, Any] = field(default_factory=dict)
    _folded: Mapping[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_folded", {_fold(name): name for name in self.fields})

    def read(self, tree: Any) -> Members:
        """The struct that a JSON value is; null is the empty one.

        Raises:
            MisreadError: for what comes first in the text: a key that is not known, or a value of a wrong type.
        """
        return self.complete(self.bound(tree))

    def bound(self, tree: Any) -> Members:
        """As ``read``, without ``always``, and with None for a field that is there and zero."""
        if tree is None:
            return {}
        if type(tree) is not Pairs:
            raise MisreadError("", f"an object was expected, not {kind_of(tree)}")
        members: Members = {}
        for key, value in tree:
            name = key if key in self.fields else self._folded.get(_fold(key))
            if name is not None:
                try:
                    members[name] = None if value is None else self.fields[name](value)
                except MisreadError as error:
                    raise error.within(f".{name}") from None
            elif self.unknown is Unknown.REFUSED:
                shown = key if len(key) <= 64 else f"{key[:64]}…"
                raise MisreadError("", f'unknown field "{shown}"')
            elif self.unknown is Unknown.KEPT:
                members[key] = ExactJson.stored(canonical(value))
        return members

    def complete(self, members: Members) -> Members:
        """``members`` in the order of output, zero values left out or, if they are always written, put in."""
        found = {**self.always, **{name: value for name, value in members.items() if value is not None}}
        known = [name for name in self.fields if name in found]
        if len(known) == len(found):
            return {name: found[name] for name in known}
        # Go writes a struct with extra fields as a map, whose keys it sorts.
        return dict(sorted(found.items()))


def _fold(key: str) -> str:
    # Lower case makes ASCII of the Kelvin sign by itself, as Go's folding does, but not of the long s.
    return key.lower().replace("\u017f", "s")


def read_text(value: Any) -> str | None:
    if type(value) is not str:
        raise MisreadError("", f"a string was expected, not {kind_of(value)}")
    return value or None


def read_flag(value: Any) -> bool | None:
    if type(value) is not bool:
        raise MisreadError("", f"true or false was expected, not {kind_of(value)}")
    return value or None


def read_count(value: Any) -> int | None:
    """A whole number of 64 bits, spelled without fraction and exponent."""
    if type(value) is not Spelling:
        raise MisreadError("", f"a whole number was expected, not {kind_of(value)}")
    # 64 bits have 19 digits; Python refuses to read very long ones.
    count = int(value) if len(value) <= 20 and value.lstrip("-").isdecimal() else None
    if count is None or not -_INT64 <= count < _INT64:
        shown = value if len(value) <= 40 else f"{value[:40]}…"
        raise MisreadError("", f"a whole number of 64 bits was expected, not {shown}")
    return count or None


def read_any(value: Any) -> ExactJson:
    """Any JSON: keys sorted, numbers as they are spelled."""
    return ExactJson.stored(canonical(value))


def read_object(value: Any) -> ExactJson | None:
    """An object of any members; an empty one is zero."""
    if type(value) is not Pairs:
        raise MisreadError("", f"an object was expected, not {kind_of(value)}")
    return ExactJson.stored(canonical(value)) if value else None


def list_of(read: Reader) -> Reader:
    """A reader of arrays; ``read`` gets every element, null too. An empty array is zero."""

    def read_list(value: Any) -> list[Any] | None:
        if type(value) is not list:
            raise MisreadError("", f"an array was expected, not {kind_of(value)}")
        found: list[Any] = []
        for one in value:
            try:
                found.append(read(one))
            except MisreadError as error:
                raise error.within(f"[{len(found)}]") from None
        return found or None

    return read_list


def _text_or_empty(value: Any) -> str:
    return "" if value is None else read_text(value) or ""


read_texts: Final = list_of(_text_or_empty)
"""Texts in order; null among them is the empty one."""
