"""Rules about messages and their order: A1 to A3, A14 to A17, A21, and members of messages (A24)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from convotree.replay.anthropic.block_members import HOSTED_CALLS, MESSAGE_MEMBERS
from convotree.replay.anthropic.models import Prefill, prefill_of
from convotree.replay.anthropic.system_messages import SYSTEM_PLACE, system_is_legal
from convotree.replay.anthropic.wire import Wire, WireMessage
from convotree.replay.finding import Severity
from convotree.replay.notebook import WHOLE
from convotree.replay.rule import Findings

__all__ = ["check_messages"]

_MOST_MESSAGES: Final = 100_000
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})


def check_messages(wire: Wire, params: Mapping[str, Any], findings: Findings) -> None:
    """Report what is wrong with messages as such. ``params``: the model settings, as far as they are known."""
    messages = wire.messages
    if not messages:
        findings.add("A1", (0, WHOLE), "there is no message")
        return
    if len(messages) > _MOST_MESSAGES:
        findings.add("A1", messages[_MOST_MESSAGES].place, f"there are more than {_MOST_MESSAGES} messages")
    if messages[0].role == "assistant":
        findings.add("A2", messages[0].place, "the first message is an answer")
    _check_each(messages, findings)
    _check_system_places(messages, findings)
    if messages[-1].role == "assistant":
        _check_last_answer(wire, messages[-1], findings)
    thinking = params.get("thinking")
    if isinstance(thinking, dict) and thinking.get("type") == "enabled":
        _check_manual_thinking(messages, findings)


def _check_each(messages: list[WireMessage], findings: Findings) -> None:
    before = ""
    last = messages[-1]
    for message in messages:
        if message.role == before != "system":
            findings.add("A3", message.place, f"two messages of role {before} follow each other")
        before = message.role
        may_be_empty = (message is last and message.role == "assistant") or "output_config" in message.extra
        if not message.content and not may_be_empty:
            findings.add("A14", message.place, "the message has no content")
        unknown = message.extra.keys() - MESSAGE_MEMBERS[message.role]
        if unknown:
            findings.add("A24", message.place, f"no message of this role has a member {min(unknown)!r}")


def _check_system_places(messages: list[WireMessage], findings: Findings) -> None:
    index = 0
    while index < len(messages):
        first = index
        while index < len(messages) and messages[index].role == "system":
            index += 1
        if index > first and not system_is_legal(messages, first, index - 1):
            findings.add(SYSTEM_PLACE, messages[first].place, "a system message may not stand here")
        index += 1


def _check_last_answer(wire: Wire, last: WireMessage, findings: Findings) -> None:
    text: str | None = last.content if isinstance(last.content, str) else None
    if not isinstance(last.content, str) and last.content:
        block = last.content[-1]
        kind = block["type"]
        if kind in HOSTED_CALLS or kind.endswith("_tool_result"):
            # A turn that the provider paused is sent back as it is.
            return
        text = block["text"] if kind == "text" else None
    prefill = prefill_of(wire.model)
    if prefill is not Prefill.ALLOWED:
        findings.add(
            "A15",
            last.place,
            "the last message is an answer",
            severity=Severity.WARNING if prefill is None else None,
        )
    elif text is not None and text != text.rstrip():
        findings.add("A16", last.place, "the start of the answer ends in white space")


def _check_manual_thinking(messages: list[WireMessage], findings: Findings) -> None:
    """Only the last answer counts, and only while its calls are being answered."""
    index = len(messages) - 1
    while index >= 0 and messages[index].role == "system":
        index -= 1
    if index < 0 or not _is_results(messages[index]):
        return
    while index >= 0 and messages[index].role != "assistant":
        index -= 1
    while index > 0 and messages[index - 1].role == "assistant":
        index -= 1
    if index < 0 or isinstance(messages[index].content, str) or not messages[index].content:
        return
    kind = messages[index].content[0]["type"]  # type: ignore[index]  # a list, see above
    if kind not in _THINKING:
        findings.add("A17", messages[index].places[0], f"it starts with {kind}, not with thinking")


def _is_results(message: WireMessage) -> bool:
    return not isinstance(message.content, str) and any(
        block["type"] == "tool_result" for block in message.content
    )
