"""A message of a ChatGPT export as a ``Message``: whose it is, its parts, and all else exactly as it was.

``provider_data`` holds ``{"chatgpt": {…}}`` with every member of the file's message except the content that the
parts hold. Tools answer in messages of their own, which name no call: each answers the nearest call above it in the
same turn that went to the tool it comes from. Calls get ids that follow from the ids of their messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.parts import Part, TextPart, ToolCallPart, ToolResultPart
from convotree.errors import InvalidJsonError
from convotree.interchange.chatgpt_content import PROVIDER, ChatGptContent, opaque_part
from convotree.interchange.chatgpt_entries import Entry
from convotree.interchange.file_ids import derived_id
from convotree.interchange.json_span import JsonSpan, exact_members, string_in
from convotree.interchange.problems import Problems

__all__ = ["API", "MODEL_PROVIDER", "Calls", "message_of"]

MODEL_PROVIDER: Final = "openai"
API: Final = "chatgpt"
"""Whose models answer in ChatGPT, and that it was not through one of the public interfaces."""

# Calls that a later message of the same turn may still answer; far more than a turn has open at a time.
_REMEMBERED_CALLS: Final = 32


@dataclass(frozen=True, slots=True)
class Calls:
    """The tool calls of a turn so far, the newest first: the tool's name and the call's id."""

    made: tuple[tuple[str, str], ...] = ()

    def with_call(self, name: str, tool_call_id: str) -> Calls:
        return Calls(((name, tool_call_id), *self.made[: _REMEMBERED_CALLS - 1]))

    def answered_by(self, tool: str | None) -> str | None:
        """The newest call that ``tool`` may have answered: a name, or a part of one up to a dot; None: any tool."""
        for name, tool_call_id in self.made:
            if tool is None or f"{name}.".startswith(f"{tool}.") or tool.startswith(f"{name}."):
                return tool_call_id
        return None


def message_of(
    entry: Entry, calls: Calls, problems: Problems
) -> tuple[Message, GenerationRecord | None, Calls]:
    """The message of an entry below ``calls``, the record of its generation, and the calls as they stand after it."""
    place = f"{entry.place}.message"
    if entry.message is not None and not entry.message.is_object:
        problems.report(place, f"the message is no object but {entry.message.kind}: it is kept whole")
        part = opaque_part(entry.message, entry.message.kind, place)
        return Message(Role.DEVELOPER, (part,), provider_data=_kept(entry, {})), None, calls
    content, rest = entry.content, entry.content.rest
    match entry.role:
        case "assistant":
            call, rest = _call(entry, content)
            parts: tuple[Part, ...] = content.parts if call is None else (call,)
            if call is not None:
                calls = calls.with_call(call.name, call.tool_call_id)
            record = _generation(entry)
            source = Provenance(MODEL_PROVIDER, API, record.model)
            message = Message(Role.ASSISTANT, parts, source, _is_string(parts), _kept(entry, rest))
            return message, record, calls
        case "tool":
            result = _result(entry, calls, problems)
            return Message(Role.TOOL, (result,), provider_data=_kept(entry, rest)), None, calls
        case "user" if not entry.is_hidden:
            parts = content.parts
            return Message(Role.USER, parts, None, _is_string(parts), _kept(entry, rest)), None, Calls()
        case "user" | "system" as role:
            if role == "user":
                problems.report(place, "a user's message that the application hides: kept as a developer's")
            parts = content.parts
            return Message(Role.DEVELOPER, parts, None, _is_string(parts), _kept(entry, rest)), None, calls
        case role:
            said = "it names no author" if role is None else f"the author's role {role[:80]!r} is not known"
            problems.report(place, f"{said}: its content is kept whole, as a developer's message")
            parts = _whole(entry, place)
            return Message(Role.DEVELOPER, parts, provider_data=_kept(entry, {})), None, calls


def _whole(entry: Entry, place: str) -> tuple[Part, ...]:
    content = entry.message_members.get("content")
    return () if content is None else (opaque_part(content, entry.content.kind, f"{place}.content"),)


def _is_string(parts: tuple[Part, ...]) -> bool:
    return len(parts) == 1 and isinstance(parts[0], TextPart) and parts[0].provider_data is None


def _call(entry: Entry, content: ChatGptContent) -> tuple[ToolCallPart | None, dict[str, ExactJson]]:
    """The call in a message for a tool, and what of the content is not in it."""
    if entry.recipient == "all" or content.is_reasoning:
        return None, content.rest
    tool_call_id = derived_id("call", entry.given_id)
    text = content.only_text
    if text is None:
        span = entry.message_members.get("content")
        whole = ExactJson("null") if span is None else span.exact(f"{entry.place}.message.content")
        return ToolCallPart(tool_call_id, entry.recipient, ExactJson.of({"content": whole})), {}
    is_code = content.kind == "code"
    arguments = _object(text)
    if arguments is None:
        arguments = ExactJson.of({"code" if is_code else "text": text})
    elif arguments.text != text:
        # Exact JSON has no white space between values. The text had some, so it is kept as well.
        spelled = {"text": ExactJson.of(text)} if is_code else {"parts": ExactJson.of([text])}
        return ToolCallPart(tool_call_id, entry.recipient, arguments), {**content.rest, **spelled}
    return ToolCallPart(tool_call_id, entry.recipient, arguments), content.rest


def _object(text: str) -> ExactJson | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        return ExactJson.parse(text)
    except InvalidJsonError:
        return None


def _result(entry: Entry, calls: Calls, problems: Problems) -> ToolResultPart:
    author = dict(entry.message_members["author"].pairs())
    name = string_in(author, "name")
    call_id = calls.answered_by(name)
    if call_id is None:
        call_id = derived_id("call", entry.given_id)
        problems.report(f"{entry.place}.message", f"a result of the tool {name!r}, with no call to it above")
    parts = entry.content.parts
    failed = True if entry.content.kind == "system_error" else None
    return ToolResultPart(call_id, parts, failed, name, as_string=_is_string(parts))


def _generation(entry: Entry) -> GenerationRecord:
    metadata = entry.metadata
    model = string_in(metadata, "model_slug")
    return GenerationRecord(
        provider=MODEL_PROVIDER,
        api=API,
        model=model,
        model_answered=model,
        request_id=string_in(metadata, "request_id"),
        stop_reason=_stop_reason(entry, metadata),
    )


def _stop_reason(entry: Entry, metadata: Mapping[str, JsonSpan]) -> str | None:
    """Why the answer ended: ``finish_details.type``, else a status other than that it is finished."""
    details = metadata.get("finish_details")
    reason = None if details is None else string_in(dict(details.pairs()), "type")
    if reason is not None:
        return reason
    status = string_in(entry.message_members, "status")
    return None if status == "finished_successfully" else status


def _kept(entry: Entry, content_rest: dict[str, ExactJson]) -> ExactJson:
    """What the parts do not hold: the message's members, the rest of its content, and unknown ones of the entry."""
    place = f"{entry.place}.message"
    kept: dict[str, object] = {**exact_members(entry.message_members, place, without={"content"})}
    if content_rest:
        kept["content"] = content_rest
    around = exact_members(entry.members, entry.place, without={"message", "parent", "children"})
    if entry.given_id == entry.id and around.get("id") == ExactJson.of(entry.id):
        del around["id"]
    if entry.given_id != entry.id:
        around["key"] = ExactJson.of(entry.given_id)
    if around:
        kept["mapping_entry"] = around
    return ExactJson.of({PROVIDER: kept}, place=place)
