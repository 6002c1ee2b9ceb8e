"""From a body of the Responses API to a request, and from an answer to a message."""

from __future__ import annotations

from typing import Any, Final

from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.outcome import Outcome
from convotree.domain.parts import OpaquePart, Part
from convotree.domain.prompt import SystemPrompt
from convotree.replay.openai_chat.content_reading import rest_of
from convotree.replay.openai_responses.content_reading import data_for, read_content
from convotree.replay.openai_responses.instructions import leading_items, read_leading
from convotree.replay.openai_responses.item_kinds import CONTROL_ITEMS
from convotree.replay.openai_responses.item_reading import ItemReader, is_result
from convotree.replay.openai_responses.target import API, NAME, PROVIDER
from convotree.replay.openai_responses.tool_reading import read_tools
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
            messages = [Message(Role.USER, parts, None, True, data_for({"as_input": True}))]
        else:
            if type(values) is not list:
                wrong_type("input", "a string or an array", values)
            if system is None:
                leading = leading_items(values)
                system = read_leading(values[:leading])
            messages = _messages(values, leading, provenance)
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


def _messages(values: list[Any], start: int, provenance: Provenance) -> list[Message]:
    """All items that a model made in a row are one message, and so are all results in a row."""
    messages: list[Message] = []
    reader = ItemReader()
    run: list[Part] = []
    role = Role.USER

    def close() -> None:
        if run:
            made = provenance if role is Role.ASSISTANT else None
            messages.append(Message(role, tuple(run), made))
            run.clear()

    for number in range(start, len(values)):
        item = values[number]
        try:
            kind = _kind(item)
            if (kind == "message" and item.get("role") != "assistant") or kind in CONTROL_ITEMS:
                close()
                messages.append(_given(kind, item))
            elif is_result(kind, item):
                result = reader.result(kind, item)
                if role is not Role.TOOL:
                    close()
                role = Role.TOOL
                run.append(result)
            else:
                made = reader.answer_parts(kind, item)
                if role is not Role.ASSISTANT:
                    close()
                role = Role.ASSISTANT
                run.extend(made)
        except MisreadError as error:
            raise error.within(f".input[{number}]") from None
    close()
    return messages


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
