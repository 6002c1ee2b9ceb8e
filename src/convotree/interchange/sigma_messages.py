"""sigma's messages as the library's, and the library's as sigma's: one result for each of sigma's tool messages."""

from __future__ import annotations

from typing import Any, Final

from convotree.domain.exact_json import ExactJson, split_object
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.outcome import Outcome
from convotree.domain.parts import Part, ToolResultPart
from convotree.interchange.answer_facts import AnswerFacts
from convotree.interchange.conversion_notes import ConversionNotes
from convotree.interchange.go_json import canonical_json
from convotree.interchange.go_struct import Members
from convotree.interchange.kept_aside import kept_aside, put_back
from convotree.interchange.shape_names import (
    api_name,
    outcome_of,
    sigma_stop_reason,
    stop_reason_for,
)
from convotree.interchange.shape_pieces import pieces_of
from convotree.interchange.sigma_document import MESSAGE
from convotree.interchange.sigma_hosted import HostedBlocks, read_blocks
from convotree.interchange.sigma_parts import SIGMA, BlockWriter
from convotree.replay.exact_text import write_exact
from convotree.replay.notebook import WHOLE, Place
from convotree.replay.reading import MisreadError
from convotree.replay.usage import Usage

__all__ = ["MessageWriter", "read_generation", "read_message"]

_ALLOWED: Final = {
    Role.USER: frozenset({"text", "image", "document"}),
    Role.DEVELOPER: frozenset({"text"}),
    Role.ASSISTANT: frozenset({"text", "thinking", "tool-call"}),
    Role.TOOL: frozenset({"text", "image", "document"}),
}


def read_message(members: Members) -> Message:
    """The message that a valid message of sigma is."""
    role = Role(members["role"])
    provenance = _provenance(members)
    parts = read_blocks(members.get("content", []), role, provenance)
    if role is Role.TOOL:
        result = ToolResultPart(
            members["toolCallID"], parts, True if "isError" in members else None, members.get("toolName")
        )
        said = {"role": role.value, **_said_of_result(result)}
        parts = (result,)
    else:
        said = _said(role, provenance, outcome_of(members.get("stopReason", "")))
    read = {name: value for name, value in members.items() if name != "content"}
    return Message(
        role,
        parts,
        provenance,
        provider_data=kept_aside(read, said, SIGMA),
        outcome=outcome_of(members.get("stopReason", "")),
    )


def read_generation(members: Members) -> GenerationRecord | None:
    """What a message says of the call that made it; None if it says nothing."""
    if members["role"] != "assistant" or members.keys().isdisjoint(("usage", "stopReason")):
        return None
    usage = members.get("usage")
    return GenerationRecord(
        provider=members.get("provider"),
        api=members.get("api"),
        model=members.get("model"),
        stop_reason=members.get("stopReason"),
        usage=None if usage is None else ExactJson.stored(write_exact(usage)),
    )


def _provenance(members: Members) -> Provenance | None:
    known = Provenance(members.get("provider"), members.get("api"), members.get("model"))
    return None if known == Provenance() else known


def _said(role: Role, provenance: Provenance | None, outcome: Outcome) -> Members:
    said: Members = {"role": role.value}
    if role is Role.ASSISTANT:
        if provenance is not None and provenance.provider:
            said["provider"] = provenance.provider
            said["api"] = api_name(provenance.provider, provenance.api)
            said["model"] = provenance.model
        said["stopReason"] = stop_reason_for(outcome)
    return {name: value for name, value in said.items() if value}


def _said_of_result(part: ToolResultPart) -> Members:
    said = {"toolCallID": part.tool_call_id, "toolName": part.name, "isError": part.is_error}
    return {name: value for name, value in said.items() if value}


class MessageWriter:
    """Writes messages one after another."""

    def __init__(self, notes: ConversionNotes) -> None:
        self._notes = notes

    def messages(self, index: int, message: Message, generation: GenerationRecord | None) -> list[Members]:
        """What ``message`` becomes: nothing if all of it is left out, several if it holds results beside others."""
        try:
            return self._written(index, message, generation)
        except MisreadError as error:
            raise error.within(f".messages[{index}]") from None

    def _written(self, index: int, message: Message, generation: GenerationRecord | None) -> list[Members]:
        facts = AnswerFacts.of(message, generation, SIGMA)
        self._notes.lost_data((index, WHOLE), message.provider_data, carried=(*facts.carried, "role"))
        made_by = message.provenance
        if made_by is not None and (message.role is not Role.ASSISTANT or not made_by.provider):
            self._notes.lost((index, WHOLE), "who made a message that is no answer, or without a provider")
        written: list[Members] = []
        data = message.provider_data
        for piece in pieces_of(index, message, self._notes):
            if piece.result is not None:
                content, said = self._result(piece.result, (index, piece.number))
            else:
                content, said = self._content(index, piece.parts, message), {}
                if piece.parts and not content:
                    continue
            members: Members = {"role": piece.role.value, **said}
            if piece.role is Role.ASSISTANT:
                members.update(_said(piece.role, made_by, message.outcome))
                self._add_facts(members, facts, content, (index, WHOLE))
            if piece.role is message.role:
                members = put_back(members, data, SIGMA, MESSAGE)
                data = None  # it goes with the first
            if content:
                members["content"] = content
            written.append(MESSAGE.complete(members))
        return written

    def _content(self, index: int, parts: list[tuple[int, Part]], message: Message) -> list[Members]:
        content: list[Members] = []
        hosted = HostedBlocks(message, self._notes)
        for number, part in parts:
            place = (index, number)
            try:
                block = hosted.block(part, content, place)
            except MisreadError as error:
                raise error.within(f".parts[{number}]") from None
            if block is not None and self._fits(block, message.role, place):
                content.append(block)
        hosted.finish()
        return content

    def _fits(self, block: Members, role: Role, place: Place, inside: str = "") -> bool:
        if block["type"] in _ALLOWED[role]:
            return True
        what = f"{block['type']} in a message of role {role.value} is left out"
        self._notes.wrong_role(place, what, inside)
        return False

    def _result(self, part: ToolResultPart, place: Place) -> tuple[list[Members], Members]:
        writer = BlockWriter(None, self._notes)
        content: list[Members] = []
        for number, inner in enumerate(part.content):
            inside = f".content[{number}]"
            try:
                block = writer.block(inner, place, inside)
            except MisreadError as error:
                raise error.within(f".parts[{place[1]}]{inside}") from None
            if block is not None and self._fits(block, Role.TOOL, place, inside):
                content.append(block)
        self._notes.lost_data(place, part.provider_data)
        if part.cache_marker is not None:
            self._notes.lost(place, "a cache marker")
        return content, _said_of_result(part)

    def _add_facts(self, members: Members, facts: AnswerFacts, content: list[Members], place: Place) -> None:
        if facts.usage is not None:
            members["usage"] = _usage(facts.usage)
        if facts.stop_reason and "stopReason" not in members:
            reason = sigma_stop_reason(facts.stop_reason)
            if reason is None:
                self._notes.lost(place, f"the stop reason {facts.stop_reason[:64]}")
            has_call = any(block["type"] == "tool-call" for block in content)
            unfit = reason is None or outcome_of(reason) is not Outcome.COMPLETE
            if unfit or (reason == "tool-calls" and not has_call):
                reason = "unknown"
            members["stopReason"] = reason


def _usage(usage: ExactJson) -> Members:
    """A provider's usage in sigma's counters, and whole beside them."""
    counted = Usage.of(usage)
    said: dict[str, Any] = {
        "inputTokens": counted.input,
        "outputTokens": counted.output,
        "totalTokens": counted.total,
        "cacheReadInputTokens": counted.cache_read,
        "cacheWriteInputTokens": counted.cache_write,
        "toolUseInputTokens": counted.tool_use,
        "raw": canonical_json(usage) if split_object(usage.text) else None,
    }
    return {name: value for name, value in said.items() if value}
