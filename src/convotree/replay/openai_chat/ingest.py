"""From a body of Chat Completions to a request, and from an answer to a message."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.outcome import Outcome
from convotree.domain.parts import OpaquePart, Part, TextPart, ToolResultPart
from convotree.domain.prompt import SystemPrompt
from convotree.replay.openai_chat.answer_reading import read_answer_message
from convotree.replay.openai_chat.content import MESSAGE
from convotree.replay.openai_chat.content_reading import data_for, read_content, read_pieces, rest_of
from convotree.replay.openai_chat.instructions import AS_STRING
from convotree.replay.openai_chat.target import API, NAME, PROVIDER
from convotree.replay.openai_chat.tool_reading import read_tools
from convotree.replay.reading import (
    MisreadError,
    leaf,
    load_document,
    member,
    optional_text,
    text_member,
    wrong_type,
)
from convotree.replay.request import Request

__all__ = ["read_answer", "read_generation", "read_request"]

_INSTRUCTIONS: Final = ("system", "developer")
_SAYS_NOTHING: Final[tuple[tuple[str, Any], ...]] = (
    ("refusal", None),
    ("annotations", []),
    ("function_call", None),
    ("audio", None),
)
_ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")


def read_request(body: object, *, model: str | None) -> Request:
    """The request in a body; ``model``: who gave the answers in it, if not the body's model."""
    document = load_document(body, place="body")
    try:
        asked = document.get("model")
        if asked is not None and type(asked) is not str:
            wrong_type("model", "a string", asked)
        provenance = Provenance(PROVIDER, API, model if model is not None else asked)
        values = member(document, "messages")
        if type(values) is not list:
            wrong_type("messages", "an array", values)
        leading = _leading(values)
        params = rest_of(document, {"messages", "tools"})
        return Request(
            _read_system(values[:leading]),
            read_tools(document.get("tools")),
            tuple(
                _read_message(value, leading + number, provenance)
                for number, value in enumerate(values[leading:])
            ),
            params=leaf(params, "") if params else None,
        )
    except MisreadError as error:
        raise error.as_invalid() from None


def read_answer(answer: object, *, model: str | None) -> Message:
    """The message in an answer, whole or its ``message`` alone; ``model``: who gave it, if not the model it names."""
    document = load_document(answer, place="answer")
    try:
        choice = _choice(document)
        value: Any = document if choice is None else choice.get("message")
        if model is None and document.get("model") is not None:
            model = text_member(document, "model")
        try:
            if type(value) is not dict:
                wrong_type("", "an object", value)
            if value.get("role") != "assistant":
                raise MisreadError(".role", "'assistant' was expected")
            # Answers alone have these, to say that there is nothing: a streamed answer lacks them.
            said = {key: one for key, one in value.items() if (key, one) not in _SAYS_NOTHING}
            message = read_answer_message(said, Provenance(PROVIDER, API, model))
        except MisreadError as error:
            raise error.within("" if choice is None else ".choices[0].message") from None
        outcome = _outcome(choice)
        return message if outcome is Outcome.COMPLETE else replace(message, outcome=outcome)
    except MisreadError as error:
        raise error.as_invalid() from None


def read_generation(answer: object, *, model: str | None) -> GenerationRecord:
    """What an answer says of its making; ``model``: the one that was asked."""
    document = load_document(answer, place="answer")
    try:
        choice = _choice(document) or {}
        usage = document.get("usage")
        return GenerationRecord(
            provider=PROVIDER,
            api=API,
            model=model,
            model_answered=optional_text(document, "model"),
            response_id=optional_text(document, "id"),
            stop_reason=optional_text(choice, "finish_reason"),
            usage=leaf(usage, "usage") if type(usage) is dict else None,
        )
    except MisreadError as error:
        raise error.as_invalid() from None


def _choice(document: dict[str, Any]) -> dict[str, Any] | None:
    """The one choice of a whole answer; None for a message alone."""
    if "choices" not in document:
        return None
    choices = document["choices"]
    if type(choices) is not list or len(choices) != 1 or type(choices[0]) is not dict:
        raise MisreadError(
            ".choices", "exactly one choice was expected; give the message of the one you keep"
        )
    return choices[0]


def _outcome(choice: dict[str, Any] | None) -> Outcome:
    if choice is None or "finish_reason" not in choice:
        return Outcome.COMPLETE
    reason = choice["finish_reason"]
    if reason is None:
        return Outcome.ABORTED
    return Outcome.FAILED if reason == "error" else Outcome.COMPLETE


def _leading(values: list[Any]) -> int:
    """How many messages at the start are the system prompt: instructions in text."""
    for number, value in enumerate(values):
        if type(value) is not dict or value.get("role") not in _INSTRUCTIONS:
            return number
        content = value.get("content")
        if type(content) is list and not all(
            type(piece) is dict and piece.get("type") == "text" for piece in content
        ):
            return number
        if not content:
            return number
    return len(values)


def _read_system(values: list[Any]) -> SystemPrompt | None:
    if not values:
        return None
    first = values[0]
    if len(values) == 1 and len(first) == 2 and first["role"] == "system" and type(first["content"]) is str:
        text: str = first["content"]
        return text
    parts: list[Part] = []
    for number, value in enumerate(values):
        try:
            read, as_string = read_content(value["content"])
            start = {"role": value["role"], **rest_of(value, {"role", "content"})}
            if as_string:
                start[AS_STRING] = True
            parts.extend(_marked(read, start, value["content"]))
        except MisreadError as error:
            raise error.within(f".messages[{number}]") from None
    return tuple(parts)


def _marked(read: tuple[Part, ...], start: dict[str, Any], content: Any) -> list[Part]:
    """``read``, which is all text, with the message that it was on its first part."""
    extra = {} if type(content) is str else rest_of(content[0], {"type", "text"})
    text = content if type(content) is str else content[0]["text"]
    return [TextPart(text, provider_data=data_for({**extra, MESSAGE: start})), *read[1:]]


def _read_message(value: Any, number: int, provenance: Provenance) -> Message:
    try:
        if type(value) is not dict:
            wrong_type("", "an object", value)
        role = text_member(value, "role")
        match role:
            case "assistant":
                return read_answer_message(value, provenance)
            case "user":
                parts, as_string = read_content(member(value, "content"))
                data = data_for(rest_of(value, {"role", "content"}))
                return Message(Role.USER, parts, None, as_string, data)
            case "system" | "developer":
                parts, as_string = read_content(member(value, "content"))
                extra = rest_of(value, {"role", "content"} if role == "developer" else {"content"})
                return Message(Role.DEVELOPER, parts, None, as_string, data_for(extra))
            case "tool":
                return Message(Role.TOOL, (_read_result(value),))
            case "function":
                return Message(Role.TOOL, (OpaquePart(NAME, "function", leaf(value, "")),))
            case _:
                raise MisreadError(".role", f"{role!r} is not one of {', '.join(_ROLES)}")
    except MisreadError as error:
        raise error.within(f".messages[{number}]") from None


def _read_result(value: dict[str, Any]) -> ToolResultPart:
    tool_call_id = text_member(value, "tool_call_id")
    content = member(value, "content")
    if type(content) is list:
        # A list of one text would be taken for the bare string that other providers' results become.
        parts: tuple[Part, ...] = read_pieces(content, listed=len(content) == 1)
    else:
        parts, _ = read_content(content)
    data: ExactJson | None = data_for(rest_of(value, {"role", "tool_call_id", "content"}))
    return ToolResultPart(tool_call_id, parts, None, None, type(content) is str, data)
