"""or/llm's messages as the library's, and the library's as or/llm's."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from convotree.domain.exact_json import ExactJson, split_object
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.outcome import Outcome
from convotree.domain.parts import ToolResultPart
from convotree.interchange.answer_facts import AnswerFacts
from convotree.interchange.go_struct import Members
from convotree.interchange.kept_aside import kept_aside, put_back
from convotree.interchange.or_llm_document import MESSAGES, USAGE
from convotree.interchange.or_llm_parts import OR_LLM, BlockWriter, read_block
from convotree.interchange.shape_messages import MessageWriter
from convotree.interchange.shape_names import (
    api_name,
    or_llm_stop_reason,
    outcome_of,
    stop_reason_for,
)
from convotree.replay.exact_text import write_exact
from convotree.replay.notebook import Place
from convotree.replay.usage import Usage

__all__ = ["OrLlmMessages", "read_generation", "read_message"]

_ROLES: Final = {"user": Role.USER, "assistant": Role.ASSISTANT, "toolResult": Role.TOOL}
_NAMES: Final = {
    Role.USER: "user",
    Role.DEVELOPER: "user",
    Role.ASSISTANT: "assistant",
    Role.TOOL: "toolResult",
}
_COUNTED: Final = frozenset(
    {
        "inputTokens",
        "outputTokens",
        "totalTokens",
        "cacheReadInputTokens",
        "cacheWriteInputTokens",
    }
)


def read_message(members: Members) -> Message:
    """The message that a message of or/llm is."""
    role = _ROLES[members["role"]]
    provenance = None
    if role is Role.ASSISTANT:
        provenance = _provenance(members)
    parts = tuple(read_block(block, provenance) for block in members["content"])
    if role is Role.TOOL:
        result = ToolResultPart(members["toolCallId"], parts, members["isError"], members["toolName"] or None)
        return Message(role, (result,))
    if role is Role.USER:
        return Message(role, parts)
    outcome = outcome_of(members["stopReason"])
    read = {name: value for name, value in members.items() if name != "content"}
    said = _complete(_said(provenance, outcome))
    return Message(role, parts, provenance, provider_data=kept_aside(read, said, OR_LLM), outcome=outcome)


def read_generation(members: Members) -> GenerationRecord | None:
    """What a message says of the call that made it; None if it says nothing."""
    if members["role"] != "assistant":
        return None
    usage = members["usage"]
    counted = usage != USAGE.read(None)
    names = ("stopReason", "responseModel", "responseId", "providerRequestId")
    if not counted and not any(members.get(name) for name in names):
        return None
    return GenerationRecord(
        provider=members["provider"] or None,
        api=members["protocol"] or None,
        model=members["model"] or None,
        model_answered=members.get("responseModel"),
        response_id=members.get("responseId"),
        request_id=members.get("providerRequestId"),
        stop_reason=members["stopReason"] or None,
        usage=ExactJson.stored(write_exact(usage)) if counted else None,
    )


def _provenance(members: Members) -> Provenance | None:
    known = Provenance(members["provider"] or None, members["protocol"] or None, members["model"] or None)
    return None if known == Provenance() else known


def _said(provenance: Provenance | None, outcome: Outcome) -> Members:
    said: Members = {"role": "assistant", "stopReason": stop_reason_for(outcome)}
    if provenance is not None:
        said["protocol"] = api_name(provenance.provider, provenance.api)
        said["provider"] = provenance.provider
        said["model"] = provenance.model
    return said


def _complete(members: Members) -> Members:
    """Without content, which ``provider_data`` never holds."""
    complete = MESSAGES[members["role"]].struct.complete(members)
    return {name: value for name, value in complete.items() if name != "content"}


class OrLlmMessages(MessageWriter):
    """Writes or/llm's messages."""

    def blocks(self, message: Message | None, content: list[Members]) -> BlockWriter:
        return BlockWriter(None if message is None else message.provenance, self.notes)

    def allowed(self, role: Role) -> Collection[str]:
        return MESSAGES[_NAMES[role]].blocks

    def begin(self, message: Message, place: Place) -> None:
        if message.role is Role.DEVELOPER:
            self.notes.wrong_role(place, "or_llm has no role developer; written as a user's message")
        if message.provenance is not None and message.role is not Role.ASSISTANT:
            self.notes.lost(place, "who made a message that is no answer")

    def result(self, part: ToolResultPart) -> Members:
        return {"toolCallId": part.tool_call_id, "toolName": part.name, "isError": part.is_error}

    def answer(self, message: Message, facts: AnswerFacts, content: list[Members], place: Place) -> Members:
        members = _said(message.provenance, message.outcome)
        self._add_facts(members, facts, place)
        return members

    def complete(self, role: Role, said: Members, content: list[Members], data: ExactJson | None) -> Members:
        struct = MESSAGES[_NAMES[role]].struct
        members = put_back({**said, "role": _NAMES[role]}, data, OR_LLM, struct)
        return struct.complete({**members, "content": content})

    def _add_facts(self, members: Members, facts: AnswerFacts, place: Place) -> None:
        said = {
            "responseModel": facts.model_answered,
            "responseId": facts.response_id,
            "providerRequestId": facts.request_id,
        }
        members.update((name, value) for name, value in said.items() if value)
        if facts.usage is not None:
            members["usage"] = _usage(facts.usage)
            beyond = [name for name in split_object(facts.usage.text) if name not in _COUNTED]
            if beyond and facts.carried:
                self.notes.lost(place, f"what a usage says beside tokens ({', '.join(beyond[:8])[:200]})")
        if facts.stop_reason and not members["stopReason"]:
            reason = or_llm_stop_reason(facts.stop_reason)
            if reason is None:
                self.notes.lost(place, f"the stop reason {facts.stop_reason[:64]}")
            unfit = reason is None or outcome_of(reason) is not Outcome.COMPLETE
            members["stopReason"] = "stop" if unfit else reason


def _usage(usage: ExactJson) -> Members:
    """A provider's usage in or/llm's counters; what the tokens cost is not known."""
    counted = Usage.of(usage)
    return USAGE.complete(
        {
            "input": counted.input,
            "output": counted.output,
            "cacheRead": counted.cache_read,
            "cacheWrite": counted.cache_write,
            "totalTokens": counted.total,
        }
    )
