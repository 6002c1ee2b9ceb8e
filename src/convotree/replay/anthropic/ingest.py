"""From a body of the Messages API to a request, and from an answer to a message."""

from __future__ import annotations

from typing import Any, Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.outcome import Outcome
from convotree.domain.parts import Part, TextPart, ToolCallPart, ToolResultPart
from convotree.domain.prompt import SystemPrompt
from convotree.replay.anthropic.block_reading import read_blocks
from convotree.replay.anthropic.handles import KEPT
from convotree.replay.anthropic.target import API, NAME
from convotree.replay.anthropic.tool_reading import read_tools
from convotree.replay.reading import (
    MisreadError,
    kept_members,
    leaf,
    load_document,
    member,
    missing,
    optional_text,
    text_member,
    wrong_type,
)
from convotree.replay.request import Request

__all__ = ["read_answer", "read_generation", "read_request"]

_ROLES: Final = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.DEVELOPER}


def read_request(body: object, *, model: str | None) -> Request:
    """The request in a body; ``model``: who gave the answers in it, if not the body's model."""
    document = load_document(body, place="body")
    try:
        asked = document.get("model")
        if asked is not None and type(asked) is not str:
            wrong_type("model", "a string", asked)
        provenance = Provenance(NAME, API, model if model is not None else asked)
        messages = _MessageReader(provenance).messages(member(document, "messages"))
        return Request(
            _read_system(document.get("system")),
            read_tools(document.get("tools")),
            messages,
            params=_read_params(document),
        )
    except MisreadError as error:
        raise error.as_invalid() from None


def read_answer(answer: object, *, model: str | None) -> Message:
    """The message in an answer; ``model``: who gave it, if not the model it names."""
    document = load_document(answer, place="answer")
    try:
        if document.get("type") == "error":
            raise MisreadError(".type", "this is an error, not an answer")
        role = document.get("role", "assistant")
        if role != "assistant":
            raise MisreadError(".role", f"{role!r} is not the role of an answer")
        if "model" in document and model is None:
            model = text_member(document, "model")
        parts, as_string = _read_content(member(document, "content"))
        # An answer has a stop reason; null stands where it has not come yet.
        broken = "stop_reason" in document and document["stop_reason"] is None
        outcome = Outcome.ABORTED if broken else Outcome.COMPLETE
        return Message(Role.ASSISTANT, parts, Provenance(NAME, API, model), as_string, outcome=outcome)
    except MisreadError as error:
        raise error.as_invalid() from None


def read_generation(answer: object, *, model: str | None) -> GenerationRecord:
    """What an answer says of its making; ``model``: the one that was asked."""
    document = load_document(answer, place="answer")
    try:
        usage = document.get("usage")
        return GenerationRecord(
            provider=NAME,
            api=API,
            model=model,
            model_answered=optional_text(document, "model"),
            response_id=optional_text(document, "id"),
            stop_reason=optional_text(document, "stop_reason"),
            usage=leaf(usage, "usage") if type(usage) is dict else None,
            handles=kept_members(document, KEPT),
        )
    except MisreadError as error:
        raise error.as_invalid() from None


def _read_system(system: Any) -> SystemPrompt | None:
    if system is None or type(system) is str:
        return system
    if type(system) is not list:
        wrong_type("system", "a string or an array", system)
    try:
        return read_blocks(system)
    except MisreadError as error:
        raise error.within(".system") from None


def _read_params(document: dict[str, Any]) -> ExactJson | None:
    params = {key: value for key, value in document.items() if key not in ("system", "tools", "messages")}
    return leaf(params, "") if params else None


def _read_content(content: Any) -> tuple[tuple[Part, ...], bool]:
    if type(content) is str:
        return (TextPart(content),), True
    if type(content) is not list:
        wrong_type("content", "a string or an array", content)
    try:
        return read_blocks(content), False
    except MisreadError as error:
        raise error.within(".content") from None


class _MessageReader:
    """Reads messages in order; it knows the calls of the turn before, to see in which order they are answered."""

    def __init__(self, provenance: Provenance) -> None:
        self._provenance = provenance
        self._calls: list[str] = []
        self._last = Role.DEVELOPER

    def messages(self, messages: Any) -> tuple[Message, ...]:
        if type(messages) is not list:
            wrong_type("messages", "an array", messages)
        read: list[Message] = []
        for value in messages:
            try:
                read.append(self._message(value))
            except MisreadError as error:
                raise error.within(f".messages[{len(read)}]") from None
        return tuple(read)

    def _message(self, value: Any) -> Message:
        if type(value) is not dict:
            wrong_type("", "an object", value)
        name = text_member(value, "role")
        role = _ROLES.get(name)
        if role is None:
            raise MisreadError(".role", f"{name!r} is not one of {', '.join(_ROLES)}")
        if len(value) == 2 and role is not Role.DEVELOPER and type(value.get("content")) is str:
            # The commonest by far in long chats, before anything general.
            return self._bare_text(role, value["content"])
        if "content" in value:
            parts, as_string = _read_content(value["content"])
        elif role is Role.DEVELOPER:
            # It may set how hard the model tries from here on, and say nothing.
            parts, as_string = (), False
        else:
            missing("content")
        extra = {key: one for key, one in value.items() if key not in ("role", "content")}
        if role is Role.DEVELOPER:
            extra = {"role": "system", **extra}
        own_form = self._keep_step(role, parts)
        if role is Role.USER and parts and all(type(part) is ToolResultPart for part in parts):
            role = Role.TOOL
        data = leaf({NAME: extra}, "") if extra or own_form else None
        return Message(role, parts, self._provenance if role is Role.ASSISTANT else None, as_string, data)

    def _bare_text(self, role: Role, text: str) -> Message:
        if role is Role.ASSISTANT:
            if self._last is not Role.ASSISTANT:
                self._calls = []
            self._last = role
            return Message(role, (TextPart(text),), self._provenance, True)
        self._last = role
        return Message(role, (TextPart(text),), None, True)

    def _keep_step(self, role: Role, parts: tuple[Part, ...]) -> bool:
        """Whether this message holds results in a form that is its own: in another order than their calls, or in a
        second user message. ``provider_data`` then says that it came from here, and so it goes back.
        """
        if role is Role.ASSISTANT:
            if self._last is not Role.ASSISTANT:
                self._calls = []
            self._calls.extend(part.tool_call_id for part in parts if type(part) is ToolCallPart)
            self._last = role
            return False
        after, self._last = self._last, role
        answered = [part.tool_call_id for part in parts if type(part) is ToolResultPart]
        if not answered:
            return False
        return after is not Role.ASSISTANT or answered != self._calls
