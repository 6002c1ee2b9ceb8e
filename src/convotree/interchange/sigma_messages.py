"""sigma's messages as the library's, and the library's as sigma's: one result for each of sigma's tool messages."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from convotree.domain.exact_json import ExactJson, split_object
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.outcome import Outcome
from convotree.domain.parts import ToolResultPart
from convotree.interchange.answer_facts import AnswerFacts
from convotree.interchange.go_json import canonical_json
from convotree.interchange.go_struct import Members
from convotree.interchange.kept_aside import kept_aside, put_back
from convotree.interchange.shape_messages import MessageWriter
from convotree.interchange.shape_names import (
    api_name,
    outcome_of,
    sigma_stop_reason,
    stop_reason_for,
)
from convotree.interchange.sigma_document import MESSAGE
from convotree.interchange.sigma_hosted import HostedBlocks, read_blocks
from convotree.interchange.sigma_parts import SIGMA, BlockWriter
from convotree.interchange.sigma_rules import BLOCKS_OF_ROLE
from convotree.replay.exact_text import write_exact
from convotree.replay.notebook import Place
from convotree.replay.usage import Usage

__all__ = ["SigmaMessages", "read_generation", "read_message"]


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


class SigmaMessages(MessageWriter):
    """Writes sigma's messages, not validated yet."""

    def blocks(self, message: Message | None, content: list[Members]) -> BlockWriter:
        if message is None or message.role is not Role.ASSISTANT:
            return BlockWriter(None, self.notes)
        return HostedBlocks(message.provenance, self.notes, content)

    def allowed(self, role: Role) -> Collection[str]:
        return BLOCKS_OF_ROLE[role.value]

    def begin(self, message: Message, place: Place) -> None:
        made_by = message.provenance
        if made_by is not None and (message.role is not Role.ASSISTANT or not made_by.provider):
            self.notes.lost(place, "who made a message that is no answer, or without a provider")

    def result(self, part: ToolResultPart) -> Members:
        return _said_of_result(part)

    def answer(self, message: Message, facts: AnswerFacts, content: list[Members], place: Place) -> Members:
        members = _said(message.role, message.provenance, message.outcome)
        self._add_facts(members, facts, content, place)
        return members

    def complete(self, role: Role, said: Members, content: list[Members], data: ExactJson | None) -> Members:
        members = put_back({**said, "role": role.value}, data, SIGMA, MESSAGE)
        return MESSAGE.complete({**members, "content": content or None})

    def _add_facts(self, members: Members, facts: AnswerFacts, content: list[Members], place: Place) -> None:
        if facts.usage is not None:
            members["usage"] = _usage(facts.usage)
        if facts.stop_reason and "stopReason" not in members:
            reason = sigma_stop_reason(facts.stop_reason)
            if reason is None:
                self.notes.lost(place, f"the stop reason {facts.stop_reason[:64]}")
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
