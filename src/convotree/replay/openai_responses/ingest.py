"""From a body of the Responses API to a request, and from an answer to a message."""

from __future__ import annotations

from typing import Any, Final

from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.outcome import Outcome
from convotree.domain.parts import OpaquePart, Part, ToolCallPart, ToolResultPart
from convotree.domain.prompt import SystemPrompt
from convotree.replay.openai_chat.content_reading import rest_of
from convotree.replay.openai_responses.content_reading import data_for, read_content
from convotree.replay.openai_responses.handles import KEPT
from convotree.replay.openai_responses.instructions import leading_items, read_leading
from convotree.replay.openai_responses.item_kinds import CONTROL_ITEMS
from convotree.replay.openai_responses.item_reading import ItemReader, is_result
from convotree.replay.openai_responses.items import AS_INPUT, OWN_ORDER
from convotree.replay.openai_responses.target import API, NAME, PROVIDER
from convotree.replay.openai_responses.tool_reading import read_tools
from convotree.replay.reading import (
    MisreadError,
    kept_members,
    leaf,
    load_document,
    member,
    optional_text,
    text_member,
    wrong_type,
)
from convotree.replay.request import Request

__all__ = ["read_answer", "read_generation", "read_request"]

_ROLES: Final = ("user", "assistant", "system", "developer")
_OUTCOMES: Final = {
    "failed": Outcome.FAILED,
    "in_progress": Outcome.ABORTED,
    "queued": Outcome.ABORTED,
    "cancelled": Outcome.ABORTED,
}


def read_request(body: object, *, model: str | None) -> Request:
    """The request in a body; ``model``: who gave the answers in it, if not the body's model."""
    document = load_document(body, place="body")
    try:
        asked = optional_text(document, "model")
        provenance = Provenance(PROVIDER, API, model if model is not None else asked)
        values = document.get("input", [])
        system: SystemPrompt | None = optional_text(document, "instructions")
        leading = 0
        if type(values) is str:
            parts, _ = read_content(values)
            messages = [Message(Role.USER, parts, None, True, data_for({AS_INPUT: True}))]
        else:
            if type(values) is not list:
                wrong_type("input", "a string or an array", values)
            if system is None:
                leading = leading_items(values)
                system = read_leading(values[:leading])
            messages = _MessageReader(provenance).messages(values, leading)
        params = rest_of(document, {"input", "tools", "instructions"})
        return Request(
            system,
            read_tools(document.get("tools")),
            tuple(messages),
            params=leaf(params, "") if params else None,
        )
    except MisreadError as error:
        raise error.as_invalid() from None


def read_answer(answer: object, *, model: str | None) -> Message:
    """The message in an answer: all its output. ``model``: who gave it, if not the model it names."""
    document = load_document(answer, place="answer")
    try:
        output = member(document, "output")
        if type(output) is not list:
            wrong_type("output", "an array", output)
        if model is None:
            model = optional_text(document, "model")
        reader = ItemReader()
        parts: list[Part] = []
        for number, item in enumerate(output):
            try:
                parts.extend(reader.answer_parts(_kind(item), item))
            except MisreadError as error:
                raise error.within(f".output[{number}]") from None
        status = optional_text(document, "status")
        return Message(
            Role.ASSISTANT,
            tuple(parts),
            Provenance(PROVIDER, API, model),
            outcome=_OUTCOMES.get(status or "", Outcome.COMPLETE),
        )
    except MisreadError as error:
        raise error.as_invalid() from None


def read_generation(answer: object, *, model: str | None) -> GenerationRecord:
    """What an answer says of its making; ``model``: the one that was asked."""
    document = load_document(answer, place="answer")
    try:
        stop_reason = optional_text(document, "status")
        details = document.get("incomplete_details")
        if type(details) is dict:
            stop_reason = optional_text(details, "reason") or stop_reason
        usage = document.get("usage")
        return GenerationRecord(
            provider=PROVIDER,
            api=API,
            model=model,
            model_answered=optional_text(document, "model"),
            response_id=optional_text(document, "id"),
            stop_reason=stop_reason,
            usage=leaf(usage, "usage") if type(usage) is dict else None,
            handles=kept_members(document, KEPT),
        )
    except MisreadError as error:
        raise error.as_invalid() from None


def _kind(item: Any) -> str:
    """The type of an item. A message may lack it, and so may a reference."""
    if type(item) is not dict:
        wrong_type("", "an item", item)
    if item.get("type") is None:
        if "role" in item:
            return "message"
        if "id" in item:
            return "item_reference"
    return text_member(item, "type")


class _MessageReader:
    """Reads items in order. All that a model made in a row is one message, and so are all results in a row."""

    def __init__(self, provenance: Provenance) -> None:
        self._provenance = provenance
        self._items = ItemReader()
        self._messages: list[Message] = []
        self._run: list[Part] = []
        self._role = Role.USER
        self._calls: list[str] = []

    def messages(self, values: list[Any], start: int) -> list[Message]:
        for number in range(start, len(values)):
            try:
                self._read(values[number])
            except MisreadError as error:
                raise error.within(f".input[{number}]") from None
        self._close()
        return self._messages

    def _read(self, item: Any) -> None:
        kind = _kind(item)
        if (kind == "message" and item.get("role") != "assistant") or kind in CONTROL_ITEMS:
            self._close()
            self._calls = []
            self._messages.append(_given(kind, item))
        elif is_result(kind, item):
            self._add(Role.TOOL, [self._items.result(kind, item)])
        else:
            self._add(Role.ASSISTANT, self._items.answer_parts(kind, item))

    def _add(self, role: Role, parts: list[Part]) -> None:
        if role is not self._role:
            self._close()
            self._role = role
        self._run.extend(parts)

    def _close(self) -> None:
        if not self._run:
            return
        parts = tuple(self._run)
        self._run = []
        if self._role is Role.ASSISTANT:
            self._calls = [part.tool_call_id for part in parts if type(part) is ToolCallPart]
            self._messages.append(Message(self._role, parts, self._provenance))
            return
        answered = [part.tool_call_id for part in parts if type(part) is ToolResultPart]
        # Results in another order than their calls go back in it, which this says.
        data = None if answered == self._calls else data_for({OWN_ORDER: True})
        self._messages.append(Message(self._role, parts, provider_data=data))


def _given(kind: str, item: dict[str, Any]) -> Message:
    """A message of the user or developer, or what the caller sets."""
    if kind in CONTROL_ITEMS:
        return Message(Role.DEVELOPER, (OpaquePart(NAME, kind, leaf(item, "")),))
    role = text_member(item, "role")
    if role not in _ROLES:
        raise MisreadError(".role", f"{role!r} is not one of {', '.join(_ROLES)}")
    parts, as_string = read_content(member(item, "content"))
    held = {"content"} if role == "system" else {"role", "content"}
    data = data_for(rest_of(item, held))
    return Message(Role.USER if role == "user" else Role.DEVELOPER, parts, None, as_string, data)
