"""or/llm's context as a document: its fields, read as leniently and written as completely as the original does it.

Keys that are not known are dropped at every level. Numbers in arguments and in details of diagnostics are what float64
makes of them; in parameters of tools they keep their spelling.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from convotree.domain.exact_json import ExactJson
from convotree.errors import InvalidJsonError, InvalidMessageError
from convotree.interchange.go_json import (
    KeyOrder,
    Pairs,
    Spelling,
    canonical,
    escape_markup,
    float_text,
    kind_of,
    read_json,
)
from convotree.interchange.go_struct import (
    Members,
    Struct,
    Unknown,
    list_of,
    read_count,
    read_flag,
    read_text,
)
from convotree.replay.exact_text import write_exact
from convotree.replay.reading import MisreadError

__all__ = [
    "ASSISTANT",
    "BLOCKS",
    "MESSAGES",
    "NULL",
    "TOOL",
    "read_context",
    "read_message",
    "write_context",
    "write_message",
]

NULL: Final = ExactJson.stored("null")
_ZERO: Final = ExactJson.stored("0")
_NO_ARGUMENTS: Final = ExactJson.stored("{}")


def _raw(value: Any) -> Any:
    return value


def _present(value: Any) -> bool:
    """A flag of three states: false is not absent."""
    return bool(read_flag(value))


def _schema(value: Any) -> ExactJson:
    return ExactJson.stored(canonical(value, order=KeyOrder.AS_WRITTEN))


def _decimal(value: Any) -> ExactJson | None:
    if type(value) is not Spelling:
        raise MisreadError("", f"a number was expected, not {kind_of(value)}")
    text = float_text(value)
    return ExactJson.stored(text) if text != "0" else None


def _arguments(value: Any) -> ExactJson:
    if type(value) is not Pairs:
        raise MisreadError("", f"an object was expected, not {kind_of(value)}")
    return ExactJson.stored(canonical(value, number=float_text))


def _details(value: Any) -> ExactJson | None:
    return _arguments(value) if value or type(value) is not Pairs else None


def _struct(fields: Mapping[str, Any], **always: Any) -> Struct:
    return Struct(fields, Unknown.DROPPED, always)


_COST: Final = _struct(
    dict.fromkeys(("input", "output", "cacheRead", "cacheWrite", "total"), _decimal),
    input=_ZERO,
    output=_ZERO,
    cacheRead=_ZERO,
    cacheWrite=_ZERO,
    total=_ZERO,
)
USAGE: Final = _struct(
    {
        "input": read_count,
        "inputUnknown": read_flag,
        "output": read_count,
        "cacheRead": read_count,
        "cacheWrite": read_count,
        "totalTokens": read_count,
        "cost": _COST.read,
    },
    input=0,
    output=0,
    cacheRead=0,
    cacheWrite=0,
    totalTokens=0,
    cost=_COST.read(None),
)
_DIAGNOSTIC: Final = _struct(
    {"type": read_text, "timestamp": read_count, "message": read_text, "details": _details},
    type="",
    timestamp=0,
)
ASSISTANT: Final = _struct(
    {
        "role": read_text,
        "content": list_of(_raw),
        "providerRequestId": read_text,
        "protocol": read_text,
        "provider": read_text,
        "model": read_text,
        "responseModel": read_text,
        "responseId": read_text,
        "usage": USAGE.read,
        "stopReason": read_text,
        "errorMessage": read_text,
        "diagnostics": list_of(_DIAGNOSTIC.read),
        "timestamp": read_count,
    },
    content=(),
    protocol="",
    provider="",
    model="",
    usage=USAGE.read(None),
    stopReason="",
    timestamp=0,
)


class _Kind(NamedTuple):
    """A kind of message or block: its struct, and what the original's errors call it."""

    struct: Struct
    name: str
    blocks: tuple[str, ...] = ()


MESSAGES: Final = {
    "user": _Kind(
        _struct({"role": read_text, "content": list_of(_raw)}, content=()), "user", ("text", "image")
    ),
    "assistant": _Kind(ASSISTANT, "assistant", ("text", "thinking", "toolCall")),
    "toolResult": _Kind(
        _struct(
            {
                "role": read_text,
                "toolCallId": read_text,
                "toolName": read_text,
                "content": list_of(_raw),
                "isError": read_flag,
            },
            toolCallId="",
            toolName="",
            content=(),
            isError=False,
        ),
        "tool result",
        ("text", "image"),
    ),
}
BLOCKS: Final = {
    "text": _Kind(
        _struct({"type": read_text, "text": read_text, "textSignature": read_text}, text=""), "text"
    ),
    "thinking": _Kind(
        _struct(
            {
                "type": read_text,
                "thinking": read_text,
                "thinkingSignature": read_text,
                "redacted": read_flag,
            },
            thinking="",
        ),
        "thinking",
    ),
    "image": _Kind(
        _struct({"type": read_text, "data": read_text, "mimeType": read_text}, data="", mimeType=""),
        "image",
    ),
    "toolCall": _Kind(
        _struct(
            {
                "type": read_text,
                "id": read_text,
                "name": read_text,
                "arguments": _arguments,
                "thoughtSignature": read_text,
            },
            id="",
            name="",
            arguments=_NO_ARGUMENTS,
        ),
        "tool call",
    ),
}
TOOL: Final = _struct(
    {"name": read_text, "description": read_text, "parameters": _schema, "strict": _present},
    name="",
    description="",
    parameters=NULL,
)
_CONTEXT: Final = _struct(
    {"systemPrompt": read_text, "messages": list_of(_raw), "tools": list_of(TOOL.read)}, messages=()
)
_ROLE: Final = _struct({"role": read_text})
_TYPE: Final = _struct({"type": read_text})


def read_context(source: str | bytes | bytearray) -> Members:
    """The document in JSON text.

    Raises:
        InvalidJsonError: if it is not exactly one JSON value.
        InvalidMessageError: for the first thing that does not have the form, with its place.
    """
    tree = _read(source, "context")
    try:
        try:
            context = _CONTEXT.read(tree)
        except MisreadError as error:
            raise _prefixed(error, "decode context: ") from None
        messages: list[Members] = []
        for index, one in enumerate(context["messages"]):
            try:
                messages.append(_message(one))
            except MisreadError as error:
                within = error.within(f".messages[{index}]")
                raise _prefixed(within, f"decode message {index}: ") from None
    except MisreadError as error:
        raise _invalid(error, "context") from None
    return {**context, "messages": messages}


def read_message(source: str | bytes | bytearray) -> Members:
    """The one message in JSON text.

    Raises:
        InvalidJsonError, InvalidMessageError: as ``read_context``.
    """
    try:
        return _message(_read(source, "message"))
    except MisreadError as error:
        raise _invalid(error, "message") from None


def write_context(document: Members) -> str:
    """The compact text of a document whose structs are complete."""
    return escape_markup(
        write_exact(_CONTEXT.complete({name: one or None for name, one in document.items()}))
    )


def write_message(members: Members) -> str:
    """The compact text of one message that is complete."""
    return escape_markup(write_exact(members))


def _read(source: str | bytes | bytearray, place: str) -> Any:
    tree, rest = read_json(source, place=place)
    if rest is not None:
        text = source if isinstance(source, str) else bytes(source).decode()
        raise InvalidJsonError(
            place=place, reason=f"invalid character {text[rest]!r} after top-level value", position=rest
        )
    return tree


def _message(tree: Any) -> Members:
    if tree is None:
        raise MisreadError("", "message is null")
    try:
        role = _ROLE.read(tree).get("role")
    except MisreadError as error:
        raise _prefixed(error, "decode message header: ") from None
    if role is None:
        raise MisreadError("", "message role is missing")
    kind = MESSAGES.get(role)
    if kind is None:
        raise MisreadError(".role", f'unknown message role "{role[:200]}"')
    try:
        members = kind.struct.read(tree)
    except MisreadError as error:
        raise _prefixed(error, f"decode {kind.name} message: ") from None
    content: list[Members] = []
    for block in members["content"]:
        try:
            content.append(_block(block, kind))
        except MisreadError as error:
            within = error.within(f".content[{len(content)}]")
            raise _prefixed(within, f"decode {kind.name} content {len(content)}: ") from None
    return {**members, "content": content}


def _block(tree: Any, holder: _Kind) -> Members:
    if tree is None:
        raise MisreadError("", "content is null")
    try:
        name = _TYPE.read(tree).get("type")
    except MisreadError as error:
        raise _prefixed(error, "decode content header: ") from None
    if name is None:
        raise MisreadError("", "content type is missing")
    kind = BLOCKS.get(name)
    if kind is None:
        raise MisreadError(".type", f'unknown content type "{name[:200]}"')
    if name not in holder.blocks:
        raise MisreadError(".type", f'content type "{name}" is not allowed in a {holder.name} message')
    try:
        return kind.struct.read(tree)
    except MisreadError as error:
        raise _prefixed(error, f"decode {kind.name} content: ") from None


def _prefixed(error: MisreadError, prefix: str) -> MisreadError:
    return MisreadError(error.place, prefix + error.reason)


def _invalid(error: MisreadError, whole: str) -> InvalidMessageError:
    return InvalidMessageError(place=error.place.removeprefix(".") or whole, reason=error.reason)
