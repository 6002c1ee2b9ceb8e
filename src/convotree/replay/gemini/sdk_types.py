"""A second opinion: the types of the official ``google-genai`` package, which forbid members they do not know.

They say nothing of parts with two data members or none, nor of roles: the rules do.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from convotree.errors import MissingExtraError
from convotree.replay.exact_text import write_exact
from convotree.replay.finding import Finding, Severity
from convotree.replay.gemini.part_reading import DATA_MEMBERS
from convotree.replay.gemini.spelling import snake_of
from convotree.replay.gemini.wire import Wire
from convotree.replay.plain_body import plain_body
from convotree.replay.sdk_validation import SDK, findings_of

__all__ = ["check_with_sdk"]

_KNOWN: Final = {spelling for name in DATA_MEMBERS for spelling in (name, snake_of(name))}


def check_with_sdk(wire: Wire) -> tuple[Finding, ...]:
    """What the SDK's types have against the contents and tools of the body; places are paths into the body.

    Raises:
        MissingExtraError: if the package is not installed.
    """
    content_type, tool_type = _adapters()
    # A lone surrogate is no JSON to the SDK's parser, and neither is it sent.
    body, _ = plain_body(write_exact(wire.tree()))
    found: list[Finding] = []
    for number, tool in enumerate(body.get("tools", ())):
        found.extend(_opinions(tool_type, tool, f"body.tools[{number}]"))
    if wire.instruction is not None:
        name = wire.instruction[0]
        found.extend(_opinions(content_type, body[name], f"body.{name}"))
    for index, content in enumerate(body["contents"]):
        found.extend(_content(content_type, content, f"body.contents[{index}]"))
    return tuple(found)


def _content(adapter: TypeAdapter[Any], content: dict[str, Any], place: str) -> Iterator[Finding]:
    # A part whose data the SDK does not know yet is no mistake, only news to it.
    for number, part in enumerate(content["parts"]):
        if part and not part.keys() & _KNOWN:
            yield Finding(
                Severity.WARNING,
                f"{place}.parts[{number}]",
                SDK,
                f"the installed SDK knows no {next(iter(part))!r}",
            )
    parts = [part if part.keys() & _KNOWN else {} for part in content["parts"]]
    yield from _opinions(adapter, {**content, "parts": parts}, place)


def _opinions(adapter: TypeAdapter[Any], value: Any, place: str) -> Iterator[Finding]:
    # As JSON: these are models, whose enums and bytes take no strings from Python.
    try:
        adapter.validate_json(write_exact(value), strict=True, extra="forbid")
    except ValidationError as error:
        yield from findings_of(error, place)


@lru_cache(maxsize=1)
def _adapters() -> tuple[TypeAdapter[Any], TypeAdapter[Any]]:
    try:
        from google.genai import types
    except ImportError as error:
        raise MissingExtraError(package="google-genai", extra="google") from error
    return TypeAdapter(types.Content), TypeAdapter(types.Tool)
