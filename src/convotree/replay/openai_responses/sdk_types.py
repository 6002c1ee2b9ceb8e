"""A second opinion: the request types of the official ``openai`` package."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from pydantic import TypeAdapter

from convotree.errors import MissingExtraError
from convotree.replay.exact_text import write_exact
from convotree.replay.finding import Finding, Severity
from convotree.replay.openai_responses.wire import Wire
from convotree.replay.plain_body import plain_body
from convotree.replay.sdk_validation import SDK, members_by_type, opinions

__all__ = ["check_with_sdk"]

_Adapters = dict[str, TypeAdapter[Any]]

# Known disagreements: the types demand these, and the API takes items without them.
_NOT_NEEDED: Final[dict[str, dict[str, Any]]] = {
    "message": {"id": "msg_", "status": "completed"},
    "reasoning": {"id": "rs_"},
    "output_text": {"annotations": []},
    "input_image": {"detail": "auto"},
    "function": {"parameters": None, "strict": None},
    "image_generation_call": {"result": None, "status": "completed"},
}


def check_with_sdk(wire: Wire) -> tuple[Finding, ...]:
    """What the SDK's types have against the items and tools of the body; places are paths into the body.

    Raises:
        MissingExtraError: if the package is not installed.
    """
    adapters = _adapters()
    body, _ = plain_body(write_exact(wire.tree()))
    found: list[Finding] = []
    for number, tool in enumerate(body.get("tools", ())):
        found.extend(_by_type(adapters["tool"], tool, f"body.tools[{number}]"))
    if type(body["input"]) is list:
        for number, item in enumerate(body["input"]):
            found.extend(_item(adapters, item, f"body.input[{number}]"))
    return tuple(found)


def _item(adapters: dict[str, _Adapters], item: dict[str, Any], place: str) -> Iterator[Finding]:
    kind = item.get("type") or ("message" if "role" in item else "item_reference")
    answered = kind == "message" and item.get("role") == "assistant"
    inner = {"message": "content", "function_call_output": "output", "custom_tool_call_output": "output"}.get(
        kind
    )
    pieces = item.get(inner) if inner is not None else None
    if inner is not None and type(pieces) is list:
        # Lists of unions apart, each member decided by its type: as a whole they give an error for every arm.
        for number, piece in enumerate(pieces):
            arms = adapters["answered" if answered else "given"]
            yield from _by_type(arms, piece, f"{place}.{inner}[{number}]")
        item = {**item, inner: []}
    if kind == "message":
        adapter = adapters["message"][_arm(item, answered)]
        if _arm(item, answered) == "output":
            item = {**_NOT_NEEDED[kind], "type": kind, **item}
        yield from opinions(adapter, item, place)
        return
    if kind == "function_call" and item.get("status", 0) is None:
        item = {key: value for key, value in item.items() if key != "status"}
    yield from _by_type(adapters["item"], {**item, "type": kind}, place)


def _arm(item: dict[str, Any], answered: bool) -> str:
    if answered and type(item.get("content")) is list:
        return "output"
    return "easy" if type(item.get("content")) is str or "status" not in item else "input"


def _by_type(adapters: _Adapters, value: dict[str, Any], place: str) -> Iterator[Finding]:
    kind = value.get("type")
    adapter = adapters.get(kind) if type(kind) is str else None
    if adapter is None:
        yield Finding(Severity.WARNING, place, SDK, f"the installed SDK knows no {kind!r}")
        return
    yield from opinions(adapter, {**_NOT_NEEDED.get(str(kind), {}), **value}, place)


@lru_cache(maxsize=1)
def _adapters() -> dict[str, _Adapters]:
    try:
        from openai.types import responses
        from openai.types.responses import response_input_item_param as items
        from openai.types.responses.response_input_message_content_list_param import ResponseInputContentParam
    except ImportError as error:
        raise MissingExtraError(package="openai", extra="openai") from error
    return {
        "item": members_by_type(items.ResponseInputItemParam),
        "tool": members_by_type(responses.ToolParam),
        "given": members_by_type(ResponseInputContentParam),
        "answered": {
            "output_text": TypeAdapter(responses.ResponseOutputTextParam),
            "refusal": TypeAdapter(responses.ResponseOutputRefusalParam),
        },
        "message": {
            "easy": TypeAdapter(responses.EasyInputMessageParam),
            "input": TypeAdapter(items.Message),
            "output": TypeAdapter(responses.ResponseOutputMessageParam),
        },
    }
