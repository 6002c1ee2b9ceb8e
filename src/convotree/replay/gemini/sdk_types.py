"""A second opinion: the types of the official ``google-genai`` package, which forbid members they do not know.

They say nothing of parts with two data members or none, nor of roles: the rules do.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter

from convotree.errors import MissingExtraError
from convotree.replay.exact_text import write_exact
from convotree.replay.finding import Finding
from convotree.replay.gemini.wire import Wire
from convotree.replay.plain_body import plain_body
from convotree.replay.sdk_validation import opinions

__all__ = ["check_with_sdk"]


def check_with_sdk(wire: Wire) -> tuple[Finding, ...]:
    """What the SDK's types have against the contents and tools of the body; places are paths into the body.

    Raises:
        MissingExtraError: if the package is not installed.
    """
    content_type, tool_type = _adapters()
    body, _ = plain_body(write_exact(wire.tree()))
    found: list[Finding] = []
    for number, tool in enumerate(body.get("tools", ())):
        found.extend(opinions(tool_type, tool, f"body.tools[{number}]"))
    if wire.instruction is not None:
        name = wire.instruction[0]
        found.extend(opinions(content_type, body[name], f"body.{name}"))
    for index, content in enumerate(body["contents"]):
        found.extend(opinions(content_type, content, f"body.contents[{index}]"))
    return tuple(found)


@lru_cache(maxsize=1)
def _adapters() -> tuple[TypeAdapter[Any], TypeAdapter[Any]]:
    try:
        from google.genai import types
    except ImportError as error:
        raise MissingExtraError(package="google-genai", extra="google") from error
    return TypeAdapter(types.Content), TypeAdapter(types.Tool)
