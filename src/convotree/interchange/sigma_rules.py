"""sigma's validation: message by message, in the original's order and words; the first failure is the error.

What the original leaves unchecked is unchecked here: unanswered calls, repeated or late results, names, roles in turn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NoReturn

from convotree.domain.exact_json import ExactJson, split_object
from convotree.errors import InvalidMessageError
from convotree.interchange.go_struct import Members

__all__ = ["BLOCKS_OF_ROLE", "HOSTED_REPLAY", "is_anchored", "is_standard_base64", "validate"]

HOSTED_REPLAY: Final = "anthropic_hosted_replay"
"""In a block's ``providerMetadata``: what Anthropic's hosted tools left there."""

BLOCKS_OF_ROLE: Final = {
    "user": ("text", "image", "document"),
    "developer": ("text",),
    "assistant": ("text", "thinking", "tool-call"),
    "tool": ("text", "image", "document"),
}
"""The types of blocks that a message may hold, by its role."""
_OF_RESULTS: Final = ("toolCallID", "toolName", "addedToolNames", "isError")
_OF_ANSWERS: Final = ("provider", "api", "model", "stopReason", "providerThinkingLevel")
_STOP_REASONS: Final = frozenset(
    {
        "",
        "end-turn",
        "max-tokens",
        "stop-sequence",
        "tool-calls",
        "content-filter",
        "error",
        "unknown",
        "aborted",
    }
)
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", re.ASCII)


def validate(messages: Sequence[Members]) -> None:
    """Refuse what the original refuses.

    Raises:
        InvalidMessageError: for the first failure; ``place`` names message and block, ``reason`` is the original's.
    """
    called: set[str] = set()
    for index, message in enumerate(messages):
        place = f"messages[{index}]"
        _check_message(message, called, place)
        for number, block in enumerate(message.get("content", ())):
            _check_block(message["role"], block, called, f"{place}.content[{number}]")
        if message.get("stopReason") == "tool-calls" and not any(
            block["type"] == "tool-call" for block in message.get("content", ())
        ):
            _refuse(place, 'stop reason "tool-calls" requires a tool call')


def is_standard_base64(data: str) -> bool:
    """Whether Go's standard encoding reads ``data``: its alphabet, padding demanded, line ends ignored."""
    return _BASE64.fullmatch(data.replace("\r", "").replace("\n", "")) is not None


def _check_message(message: Members, called: set[str], place: str) -> None:
    role = message["role"]
    if not role:
        _refuse(place, "role is required")
    if role not in BLOCKS_OF_ROLE:
        _refuse(place, f'unsupported role "{_shown(role)}"')
    if role != "tool" and any(name in message for name in _OF_RESULTS):
        _refuse(place, 'tool result fields require role "tool"')
    if role != "assistant" and any(name in message for name in _OF_ANSWERS):
        _refuse(place, 'assistant metadata requires role "assistant"')
    if role not in ("assistant", "tool") and "usage" in message:
        _refuse(place, 'usage requires role "assistant" or "tool"')
    if role == "assistant":
        if ("api" in message or "model" in message) and "provider" not in message:
            _refuse(place, "assistant api or model metadata requires provider metadata")
        if message.get("stopReason", "") not in _STOP_REASONS:
            _refuse(place, f'unsupported assistant stop reason "{_shown(message["stopReason"])}"')
    if role == "tool":
        answered = message.get("toolCallID")
        if not answered:
            _refuse(place, "tool result is missing tool call id")
        if answered not in called:
            _refuse(place, f'tool result "{_shown(answered)}" has no preceding assistant tool call')


def _check_block(role: str, block: Members, called: set[str], place: str) -> None:
    kind = block["type"]
    if not kind:
        _refuse(place, "content block type is required")
    if kind not in BLOCKS_OF_ROLE[role]:
        _refuse(place, f'role "{role}" cannot contain "{_shown(kind)}" blocks')
    match kind:
        case "text":
            if "text" not in block and not (role == "assistant" and is_anchored(block)):
                _refuse(place, "text block is empty")
        case "thinking":
            if not any(name in block for name in ("thinking", "signature", "providerSignature", "redacted")):
                _refuse(place, "thinking block has no thinking text or signature")
        case "image":
            _demand(block, "mimeType", place, "image MIME type is required")
            _check_source(block, "imageSource", "image", place)
        case "document":
            _demand(block, "mimeType", place, "document MIME type is required")
            _demand(block, "filename", place, "document filename is required")
            _check_source(block, "documentSource", "document", place)
        case _:
            _demand(block, "toolCallID", place, "tool call id is required")
            _demand(block, "toolName", place, "tool call name is required")
            called_id = block["toolCallID"]
            if called_id in called:
                _refuse(place, f'duplicate tool call id "{_shown(called_id)}"')
            called.add(called_id)


def _check_source(block: Members, member: str, what: str, place: str) -> None:
    _demand(block, member, place, f"{what} source is required")
    source = block[member]
    if source == "base64":
        _demand(block, "data", place, f"base64 {what} data is required")
        if not is_standard_base64(block["data"]):
            _refuse(place, f"base64 {what} data is invalid: the standard alphabet with padding was expected")
    elif source == "url":
        _demand(block, "url", place, f"{what} URL is required")
    elif source == "file_id" and what == "document":
        _demand(block, "fileID", place, "document file id is required")
    else:
        _refuse(place, f'unsupported {what} source "{_shown(source)}"')


def is_anchored(block: Members) -> bool:
    """Whether empty text stands for something: a signature, or the place of what hosted tools returned."""
    if "signature" in block or "providerSignature" in block:
        return True
    metadata = block.get("providerMetadata")
    if not isinstance(metadata, ExactJson) or HOSTED_REPLAY not in metadata.text:
        return False
    return split_object(metadata.text).get(HOSTED_REPLAY, "null") != "null"


def _demand(block: Members, member: str, place: str, reason: str) -> None:
    if member not in block:
        _refuse(place, reason)


def _refuse(place: str, reason: str) -> NoReturn:
    raise InvalidMessageError(place=place, reason=reason)


def _shown(value: str) -> str:
    return value if len(value) <= 200 else f"{value[:200]}…"
