"""A second opinion: the request types of the official ``anthropic`` package, its beta ones, which know every block."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter

from convotree.errors import MissingExtraError
from convotree.replay.anthropic.wire import Wire
from convotree.replay.exact_text import write_exact
from convotree.replay.finding import Finding, Severity
from convotree.replay.plain_body import plain_body
from convotree.replay.sdk_validation import SDK, members_by_type, opinions

__all__ = ["check_with_sdk"]


def check_with_sdk(wire: Wire) -> tuple[Finding, ...]:
    """What the SDK's types have against the blocks and tools of the body; places are paths into the body.

    Raises:
        MissingExtraError: if the package is not installed.
    """
    blocks, tools = _adapters()
    body, _ = plain_body(write_exact(wire.tree()))
    found: list[Finding] = []
    for number, tool in enumerate(body.get("tools", ())):
        kind = tool.get("type") or "custom"
        found.extend(_opinions(tools, kind, tool, f"body.tools[{number}]"))
    if not isinstance(body.get("system", ""), str):
        for number, block in enumerate(body["system"]):
            found.extend(_opinions(blocks, block["type"], block, f"body.system[{number}]"))
    for index, message in enumerate(body["messages"]):
        if isinstance(message["content"], str):
            continue
        for number, block in enumerate(message["content"]):
            place = f"body.messages[{index}].content[{number}]"
            found.extend(_opinions(blocks, block["type"], block, place))
    return tuple(found)


def _opinions(
    adapters: dict[str, TypeAdapter[Any]], kind: str, value: dict[str, Any], place: str
) -> list[Finding]:
    adapter = adapters.get(kind)
    if adapter is None:
        return [Finding(Severity.WARNING, place, SDK, f"the installed SDK knows no {kind!r}")]
    content = value.get("content")
    if kind == "tool_result" and isinstance(content, list):
        # Its content is a union again, to be decided by type like any other.
        outer = {key: member for key, member in value.items() if key != "content"}
        found = list(opinions(adapter, outer, place))
        for number, inner in enumerate(content):
            found.extend(_opinions(adapters, inner["type"], inner, f"{place}.content[{number}]"))
        return found
    return list(opinions(adapter, value, place))


@lru_cache(maxsize=1)
def _adapters() -> tuple[dict[str, TypeAdapter[Any]], dict[str, TypeAdapter[Any]]]:
    try:
        from anthropic.types.beta import BetaToolParam
        from anthropic.types.beta.beta_content_block_param import BetaContentBlockParam
        from anthropic.types.beta.beta_tool_result_block_param import Content
        from anthropic.types.beta.beta_tool_union_param import BetaToolUnionParam
    except ImportError as error:
        raise MissingExtraError(package="anthropic", extra="anthropic") from error
    blocks = {**members_by_type(Content), **members_by_type(BetaContentBlockParam)}
    return blocks, {**members_by_type(BetaToolUnionParam), "custom": TypeAdapter(BetaToolParam)}
