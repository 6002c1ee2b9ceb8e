"""An assistant message of Chat Completions: its text, refusal, audio and tool calls."""

from __future__ import annotations

from typing import Any, Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import FileSource
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.parts import AudioPart, OpaquePart, Part, RefusalPart, TextPart, ToolCallPart
from convotree.errors import InvalidJsonError
from convotree.replay.openai_chat.content_reading import data_for, read_pieces, rest_of
from convotree.replay.openai_chat.target import NAME, PROVIDER, UNKNOWN_CALL
from convotree.replay.reading import MisreadError, leaf, text_member, wrong_type

__all__ = ["read_answer_message"]

_KINDS: Final = {"function": "arguments", "custom": "input"}


def read_answer_message(value: dict[str, Any], provenance: Provenance) -> Message:
    """The message, with every member kept.

    Raises:
        MisreadError: if it is no assistant message.
    """
    held = {"role", "content"}
    content = value.get("content")
    parts: list[Part] = []
    if type(content) is str:
        parts.append(TextPart(content))
    elif type(content) is list:
        parts.extend(read_pieces(content, listed=len(content) == 1))
    elif content is not None:
        wrong_type("content", "a string, an array or null", content)
    if value.get("refusal") is not None:
        parts.append(RefusalPart(text_member(value, "refusal")))
        held.add("refusal")
    audio = value.get("audio")
    if type(audio) is dict and type(audio.get("id")) is str:
        rest = rest_of(audio, {"id"})
        parts.append(AudioPart(FileSource(PROVIDER, audio["id"]), data_for({"audio": rest} if rest else {})))
        held.add("audio")
    calls = value.get("tool_calls")
    if calls is not None:
        if type(calls) is not list:
            wrong_type("tool_calls", "an array", calls)
        if calls:
            held.add("tool_calls")
        for number, call in enumerate(calls):
            try:
                parts.append(_read_call(call))
            except MisreadError as error:
                raise error.within(f".tool_calls[{number}]") from None
    as_string = type(content) is str and len(parts) == 1
    return Message(Role.ASSISTANT, tuple(parts), provenance, as_string, data_for(rest_of(value, held)))


def _read_call(call: Any) -> Part:
    if type(call) is not dict:
        wrong_type("", "an object", call)
    kind = call.get("type", "function")
    if type(kind) is not str:
        wrong_type("type", "a string", kind)
    if kind not in _KINDS:
        return OpaquePart(NAME, UNKNOWN_CALL, leaf(call, ""))
    tool_call_id = text_member(call, "id")
    inner = call.get(kind)
    if type(inner) is not dict:
        wrong_type(kind, "an object", inner)
    try:
        name, text = text_member(inner, "name"), text_member(inner, _KINDS[kind])
    except MisreadError as error:
        raise error.within(f".{kind}") from None
    extra = rest_of(call, {"id", "type", kind})
    rest = rest_of(inner, {"name", _KINDS[kind]})
    if kind == "custom":
        arguments = ExactJson.of(text)
        extra = {"type": "custom", **extra}
    else:
        arguments = _arguments(text)
        if arguments.text != text:
            rest = {"arguments": text, **rest}
    if rest:
        extra = {**extra, kind: rest}
    return ToolCallPart(tool_call_id, name, arguments, None, data_for(extra))


def _arguments(text: str) -> ExactJson:
    """The arguments as JSON; text that is none (a model may be cut off in it) as a JSON string."""
    try:
        return ExactJson.parse(text)
    except InvalidJsonError:
        return ExactJson.of(text)
