"""Reading a provider's JSON: the document itself, and errors that find their place on the way up.

A place is put together only when something is wrong: readers raise ``MisreadError`` for what is under their hands, and
each caller on the way up adds where that was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from convotree.domain.exact_json import ExactJson, parse_value
from convotree.errors import InvalidJsonError, InvalidMessageError
from convotree.replay.exact_text import exact_leaf
from convotree.replay.sdk_objects import raw_json_of

__all__ = [
    "MisreadError",
    "kept_members",
    "leaf",
    "load_document",
    "member",
    "missing",
    "optional_text",
    "text_member",
    "wrong_type",
]


class MisreadError(Exception):
    """Something in a provider's JSON is not what it must be; ``place`` is the way to it from the reader's value."""

    def __init__(self, place: str, reason: str) -> None:
        self.place = place
        self.reason = reason
        super().__init__(f"{place}: {reason}")

    def within(self, outer: str) -> MisreadError:
        """The same, seen from one step further out."""
        return MisreadError(outer + self.place, self.reason)

    def as_invalid(self) -> InvalidMessageError:
        """The error that a caller gets."""
        return InvalidMessageError(place=self.place.removeprefix("."), reason=self.reason)


def load_document(source: object, *, place: str) -> dict[str, Any]:
    """The JSON object in text, bytes (UTF-8), a mapping or an SDK's response object; numbers that Python spells
    differently as ``NumberText``.

    Raises:
        InvalidJsonError: if text or bytes are not JSON, or a mapping holds what has no JSON form.
        InvalidMessageError: if it is no object.
    """
    if not isinstance(source, (str, bytes, bytearray, Mapping)):
        source = raw_json_of(source)
    if isinstance(source, Mapping):
        # One way in for all: as text, so that nothing below has to tell a tuple from a list.
        source = ExactJson.of(source, place=place).text
    elif isinstance(source, (bytes, bytearray)):
        try:
            source = bytes(source).decode()
        except UnicodeDecodeError as error:
            raise InvalidJsonError(place=place, reason="not UTF-8", position=error.start) from error
    elif not isinstance(source, str):
        raise InvalidMessageError(
            place=place, reason=f"JSON text, bytes or a mapping were expected, not {type(source).__name__}"
        )
    document = parse_value(source, place=place)
    if not isinstance(document, dict):
        raise InvalidMessageError(place=place, reason="a JSON object was expected")
    return document


def member(value: Mapping[str, Any], name: str) -> Any:
    """The member of that name, which must be there."""
    try:
        return value[name]
    except KeyError:
        raise MisreadError(f".{name}", "this member is missing") from None


def text_member(value: Mapping[str, Any], name: str) -> str:
    """The string of that name, which must be there."""
    text = value.get(name)
    if type(text) is str:
        return text
    if name not in value:
        missing(name)
    wrong_type(name, "a string", text)


def optional_text(value: Mapping[str, Any], name: str) -> str | None:
    """The string of that name; None if it is null or not there."""
    text = value.get(name)
    if text is not None and type(text) is not str:
        wrong_type(name, "a string or null", text)
    return text


def leaf(value: Any, name: str) -> ExactJson:
    """A value of the document as exact text; ``name`` is the member it stands under."""
    try:
        return exact_leaf(value, place=name)
    except InvalidJsonError as error:
        raise MisreadError(f".{name}" if name else "", error.reason) from error


def kept_members(document: Mapping[str, Any], names: Iterable[str]) -> ExactJson | None:
    """The objects under ``names`` as one object; None if there is none."""
    kept = {name: document[name] for name in names if type(document.get(name)) is dict}
    return leaf(kept, "") if kept else None


def missing(name: str) -> NoReturn:
    raise MisreadError(f".{name}", "this member is missing")


def wrong_type(name: str, expected: str, found: object) -> NoReturn:
    kind = {
        "NoneType": "null",
        "dict": "an object",
        "list": "an array",
        "bool": "true or false",
        "str": "a string",
    }
    raise MisreadError(
        f".{name}" if name else "",
        f"{expected} was expected, not {kind.get(type(found).__name__, 'a number')}",
    )
