"""Validating with the request types of an official SDK: exact only with care, and the care is taken here.

Lists in those types are lazy, so that a wrong block passes until it is looked at: ``forced`` looks at everything. Keys
that a type does not have are forbidden; unions are decided by ``type`` beforehand, since an undecided one gives a
hundred errors for one wrong block. Nothing validated is kept: the values that were given are what is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import TypeAdapter, ValidationError
from typing_extensions import get_type_hints, is_typeddict

from convotree.replay.finding import Finding, Severity

__all__ = ["SDK", "findings_of", "members_by_type", "opinions"]

SDK = "SDK"
"""The rule id of findings that come from an SDK's types."""


def members_by_type(union: Any) -> dict[str, TypeAdapter[Any]]:
    """An adapter for each typed dictionary in a union, by the value of its ``type``."""
    adapters: dict[str, TypeAdapter[Any]] = {}
    for member in _flat(union):
        if not is_typeddict(member):
            # The SDK's own response classes, which its unions take as well.
            continue
        for name in _literals(get_type_hints(member).get("type")):
            adapters[name] = TypeAdapter(member)
    return adapters


def opinions(adapter: TypeAdapter[Any], value: Any, place: str) -> Iterator[Finding]:
    """What the type has against ``value``."""
    try:
        _force(adapter.validate_python(value, strict=True, extra="forbid"))
    except ValidationError as error:
        yield from findings_of(error, place)


def findings_of(error: ValidationError, place: str) -> Iterator[Finding]:
    """A finding for each thing that a type has against the value at ``place``."""
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        inside = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in one["loc"])
        yield Finding(Severity.ERROR, place + inside, SDK, one["msg"])


def _force(value: Any) -> None:
    if isinstance(value, Mapping):
        for member in value.values():
            _force(member)
    elif not isinstance(value, (str, bytes)) and hasattr(value, "__iter__"):
        for element in value:
            _force(element)


def _flat(union: Any) -> Iterator[Any]:
    origin = get_origin(union)
    if origin is Annotated:
        yield from _flat(get_args(union)[0])
    elif origin in (Union, UnionType):
        for member in get_args(union):
            yield from _flat(member)
    else:
        yield union


def _literals(hint: Any) -> Iterator[str]:
    if get_origin(hint) is Literal:
        yield from get_args(hint)
    else:
        for argument in get_args(hint):
            yield from _literals(argument)
