"""Reading a stored document safely: schema first, then each field by its type; what fails says what and where."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from convotree.domain.limits import SCHEMA_NUMBER
from convotree.errors import ConvotreeError, CorruptTreeError, InvalidRequestError, SchemaTooNewError
from convotree.identity import Key, is_key

__all__ = [
    "check_schema",
    "optional_text",
    "read_document",
    "reason_of",
    "stored_key",
    "text_or_none",
    "typed",
]

_T = TypeVar("_T")


def check_schema(document: Mapping[str, Any], collection: str) -> None:
    """Refuse a document that a newer release wrote.

    Raises:
        SchemaTooNewError: if its schema number is higher than this release's.
        CorruptTreeError: if it has none.
    """
    number = document.get("schema")
    if type(number) is not int or number < 1:
        raise CorruptTreeError(problem=f"a document of {collection} carries no schema number")
    if number > SCHEMA_NUMBER:
        raise SchemaTooNewError(found=number, supported=SCHEMA_NUMBER, collection=collection)


def read_document(
    document: Mapping[str, Any], collection: str, build: Callable[[Mapping[str, Any]], _T]
) -> _T:
    check_schema(document, collection)
    try:
        return build(document)
    except (KeyError, TypeError, ValueError, AttributeError, InvalidRequestError) as error:
        raise CorruptTreeError(
            problem=f"a document of {collection} cannot be read: {reason_of(error)}",
            conversation_id=text_or_none(document.get("conversation_id")),
            revision_id=text_or_none(document.get("revision_id")),
        ) from error


def reason_of(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"field {error.args[0]!r} is missing"
    return str(error) if isinstance(error, ConvotreeError) else f"{type(error).__name__}: {error}"


def text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


def optional_text(document: Mapping[str, Any], field: str) -> str | None:
    """The string in ``field``; None if it is null or not there."""
    value = document.get(field)
    return None if value is None else typed(value, str, field)


def stored_key(value: object, field: str) -> Key:
    """A derived key in its form: one that is damaged must not go into a query as if it were one."""
    key = typed(value, str, field)
    if not is_key(key):
        raise TypeError(f"field {field!r} holds no key")
    return Key(key)


def typed(value: object, expected: type[_T], field: str) -> _T:
    if not isinstance(value, expected) or (expected is int and isinstance(value, bool)):
        raise TypeError(f"field {field!r} holds {type(value).__name__}, not {expected.__name__}")
    return value
