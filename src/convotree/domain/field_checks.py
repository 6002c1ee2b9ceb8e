"""What a value's constructor does with its fields: refuse a wrong type by its place, keep JSON as exact text.

A subclass of ``str`` is reduced to its text, so that equal values are equal, hash and pickle alike whoever made them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from convotree.domain.exact_json import ExactJson
from convotree.errors import InvalidMessageError

__all__ = [
    "keep_all",
    "keep_json",
    "keep_object",
    "keep_optional_json",
    "keep_optional_object",
    "keep_optional_text",
    "keep_text",
    "misplaced",
]


def keep_text(owner: object, *names: str, within: str | None = None) -> None:
    """Each of these fields must be text. ``within``: the path before the field's name, the class's name by default."""
    for name in names:
        value = getattr(owner, name)
        if type(value) is not str:
            if not isinstance(value, str):
                raise misplaced(owner, name, "a string", value, within=within)
            object.__setattr__(owner, name, str.__str__(value))


def keep_optional_text(owner: object, *names: str, within: str | None = None) -> None:
    """Each of these fields must be text or None."""
    for name in names:
        value = getattr(owner, name)
        if value is not None and type(value) is not str:
            keep_text(owner, name, within=within)


def keep_json(owner: object, *names: str, within: str | None = None) -> None:
    """Each of these fields must be JSON: an ``ExactJson``, or a Python value that becomes one.

    A bare string is refused: it may be meant as JSON text or as a JSON string.

    Raises:
        InvalidMessageError: for None or a string.
        InvalidJsonError: for a value that has no JSON form.
    """
    for name in names:
        value = getattr(owner, name)
        if isinstance(value, ExactJson):
            continue
        if value is None or isinstance(value, str):
            wanted = "JSON (text through ExactJson.parse, a value through ExactJson.of)"
            raise misplaced(owner, name, wanted, value, within=within)
        place = f"{type(owner).__name__ if within is None else within}.{name}"
        object.__setattr__(owner, name, ExactJson.of(value, place=place))


def keep_optional_json(owner: object, *names: str, within: str | None = None) -> None:
    """Each of these fields must be JSON or None."""
    for name in names:
        if getattr(owner, name) is not None:
            keep_json(owner, name, within=within)


def keep_object(owner: object, *names: str, within: str | None = None) -> None:
    """Each of these fields must be a JSON object."""
    for name in names:
        keep_json(owner, name, within=within)
        if not getattr(owner, name).is_object:
            raise misplaced(owner, name, "a JSON object", getattr(owner, name).value, within=within)


def keep_optional_object(owner: object, *names: str, within: str | None = None) -> None:
    """Each of these fields must be a JSON object or None."""
    for name in names:
        if getattr(owner, name) is not None:
            keep_object(owner, name, within=within)


def keep_all(owner: object, name: str, kind: type, *, within: str | None = None) -> None:
    """The field must be a sequence of ``kind``; it becomes a tuple."""
    values = getattr(owner, name)
    if not isinstance(values, Iterable) or isinstance(values, (str, bytes, bytearray, Mapping)):
        raise misplaced(owner, name, f"a sequence of {kind.__name__}", values, within=within)
    kept = tuple(values)
    for index, value in enumerate(kept):
        if type(value) is not kind:
            raise misplaced(owner, f"{name}[{index}]", f"a {kind.__name__}", value, within=within)
    object.__setattr__(owner, name, kept)


def misplaced(
    owner: object, name: str, wanted: str, value: object, *, within: str | None = None
) -> InvalidMessageError:
    """The error for a field that holds ``value`` where ``wanted`` must stand."""
    place = type(owner).__name__ if within is None else within
    return InvalidMessageError(
        place=f"{place}.{name}" if place else name,
        reason=f"{wanted} was expected, not {type(value).__name__}",
    )
