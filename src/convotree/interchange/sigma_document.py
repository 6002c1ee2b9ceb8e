"""sigma's request as a document: its fields, read strictly and written as the original writes them.

A document is plain values with exact leaves. Open maps are kept with their keys sorted, as the original knows no order
of theirs; numbers in them keep their spelling.
"""

from __future__ import annotations

from typing import Any, Final

from convotree.errors import InvalidJsonError, InvalidMessageError
from convotree.interchange.go_json import escape_markup, read_json
from convotree.interchange.go_struct import (
    Members,
    Struct,
    Unknown,
    list_of,
    read_any,
    read_count,
    read_flag,
    read_object,
    read_text,
    read_texts,
)
from convotree.replay.exact_text import write_exact
from convotree.replay.reading import MisreadError

__all__ = ["BLOCK", "GRAMMAR", "MESSAGE", "TOOL", "USAGE", "read_document", "write_document"]

USAGE: Final = Struct(
    {
        "inputTokens": read_count,
        "outputTokens": read_count,
        "totalTokens": read_count,
        "cacheReadInputTokens": read_count,
        "cacheWriteInputTokens": read_count,
        "longCacheWriteInputTokens": read_count,
        "thinkingTokens": read_count,
        "toolUseInputTokens": read_count,
        "provider": read_text,
        "model": read_text,
        "raw": read_object,
    }
)
BLOCK: Final = Struct(
    {
        "type": read_text,
        "text": read_text,
        "thinking": read_text,
        "signature": read_text,
        "redacted": read_flag,
        "mimeType": read_text,
        "imageSource": read_text,
        "documentSource": read_text,
        "filename": read_text,
        "fileID": read_text,
        "data": read_text,
        "url": read_text,
        "toolCallID": read_text,
        "toolName": read_text,
        "toolArguments": read_any,
        "providerSignature": read_text,
        "providerMetadata": read_object,
    },
    Unknown.KEPT,
    {"type": ""},
)
MESSAGE: Final = Struct(
    {
        "role": read_text,
        "content": list_of(BLOCK.read),
        "toolCallID": read_text,
        "toolName": read_text,
        "addedToolNames": read_texts,
        "isError": read_flag,
        "provider": read_text,
        "api": read_text,
        "model": read_text,
        "stopReason": read_text,
        "providerThinkingLevel": read_text,
        "usage": USAGE.read,
    },
    always={"role": ""},
)
GRAMMAR: Final = Struct(
    {"syntax": read_text, "definition": read_text}, always={"syntax": "", "definition": ""}
)
TOOL: Final = Struct(
    {
        "name": read_text,
        "description": read_text,
        "inputSchema": read_any,
        "providerDefinedType": read_text,
        "providerDefinedOptions": read_object,
        "providerMetadata": read_object,
        "openAIGrammar": GRAMMAR.read,
    },
    always={"name": ""},
)
_REQUEST: Final = Struct(
    {"systemPrompt": read_text, "messages": list_of(MESSAGE.read), "tools": list_of(TOOL.read)}
)

_PREFIX: Final = "decode request: "


def read_document(source: str | bytes | bytearray) -> Members:
    """The document in JSON text, not validated yet.

    Raises:
        InvalidJsonError: if it is not exactly one JSON value.
        InvalidMessageError: for the first key that is not known or value of a wrong type, with its place.
    """
    try:
        tree, rest = read_json(source, place="request")
    except InvalidJsonError as error:
        raise InvalidJsonError(
            place=error.place, reason=_PREFIX + error.reason, position=error.position
        ) from error
    try:
        document = _REQUEST.read(tree)
    except MisreadError as error:
        place = error.place.removeprefix(".") or "request"
        raise InvalidMessageError(place=place, reason=_PREFIX + error.reason) from None
    if rest is not None:
        raise InvalidJsonError(
            place="request", reason=f"{_PREFIX}unexpected trailing JSON value", position=rest
        )
    return document


def write_document(document: Members) -> str:
    """The compact text of a document whose structs are complete."""
    return escape_markup(write_exact(_without_empty(document)))


def _without_empty(document: Members) -> dict[str, Any]:
    return {name: document[name] for name in _REQUEST.fields if document.get(name)}
