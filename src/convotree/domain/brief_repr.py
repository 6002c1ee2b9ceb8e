"""A ``repr`` that names a value and never prints megabytes of it: long texts are cut, their length is given."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

__all__ = ["brief", "brief_repr"]

# Long enough for an id, a name or the start of a sentence in a log line.
_SHOWN: Final = 120


def brief(value: object) -> str:
    """``repr(value)``, of long text only the beginning and the length."""
    if isinstance(value, str) and len(value) > _SHOWN:
        return f"{value[:_SHOWN]!r}… ({len(value)} characters)"
    try:
        shown = repr(value)
    except (RecursionError, ValueError):  # nested too deep; an int of more digits than Python writes
        return f"a {type(value).__name__}"
    return shown if len(shown) <= 4 * _SHOWN else f"{shown[: 4 * _SHOWN]}… ({len(shown)} characters)"


def brief_repr(value: Any) -> str:
    """A dataclass's ``repr`` with each field shown by ``brief``; fields that are None are left out."""
    shown = (
        f"{field.name}={brief(member)}"
        for field in fields(value)
        if (member := getattr(value, field.name)) is not None
    )
    return f"{type(value).__name__}({', '.join(shown)})"
