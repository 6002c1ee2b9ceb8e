"""Rules about messages and their order: A1 to A3, A14 to A17, A21, and members of messages (A24)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from convotree.replay.anthropic.block_members import HOSTED_CALLS, MESSAGE_MEMBERS
from convotree.replay.anthropic.models import facts_of
from convotree.replay.anthropic.system_messages import SYSTEM_PLACE, misplaced_system_messages
from convotree.replay.anthropic.wire import Wire, WireMessage
from convotree.replay.finding import Severity
from convotree.replay.notebook import WHOLE
from convotree.replay.rule import Findings

__all__ = ["begins_answer", "check_messages"]

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
    for first, _ in misplaced_system_messages(messages, taken=facts_of(wire.model).system_messages):
        findings.add(SYSTEM_PLACE, messages[first].place, "a system message may not stand here")
    if begins_answer(messages[-1]):
        _check_last_answer(wire, messages[-1], findings)
    thinking = params.get("thinking")
    if isinstance(thinking, dict) and thinking.get("type") == "enabled":
        _check_manual_thinking(wire.model, messages, findings)


def begins_answer(last: WireMessage) -> bool:
    """Whether the last message is the start of the answer: an answer that is not one to be gone on with, as a turn that
    the provider paused in a hosted call is.
    """
    if last.role != "assistant":
        return False
    if isinstance(last.content, str) or not last.content:
        return True
    kind = last.content[-1]["type"]
    return kind not in HOSTED_CALLS and not kind.endswith("_tool_result")


def _check_each(messages: list[WireMessage], findings: Findings) -> None:
    before = ""
    last = messages[-1]
    for message in messages:
        if message.role == before != "system":
            findings.add("A3", message.place, f"two messages of role {before} follow each other")
        before = message.role
        if not message.content:
            last_answer = message is last and message.role == "assistant"
            if not last_answer and "output_config" not in message.extra:
                findings.add("A14", message.place, "the message has no content")
        if message.extra and (unknown := message.extra.keys() - MESSAGE_MEMBERS[message.role]):
            findings.add("A24", message.place, f"no message of this role has a member {min(unknown)!r}")


def _check_last_answer(wire: Wire, last: WireMessage, findings: Findings) -> None:
    text: str | None = last.content if isinstance(last.content, str) else None
    if not isinstance(last.content, str) and last.content:
        block = last.content[-1]
        text = block["text"] if block["type"] == "text" else None
    prefill = facts_of(wire.model).prefill
    if not prefill:
        findings.add(
            "A15",
            last.place,
            "the last message is an answer",
            severity=Severity.WARNING if prefill is None else None,
        )
    elif text is not None and text != text.rstrip():
        findings.add("A16", last.place, "the start of the answer ends in white space")


def _check_manual_thinking(model: str, messages: list[WireMessage], findings: Findings) -> None:
    answer = _answer_without_thinking(messages)
    if answer is not None:
        findings.add("A17", answer.places[0], "the answer does not start with thinking")
    elif facts_of(model).manual_thinking is False:
        findings.add(
            "A17",
            (0, WHOLE),
            "the model takes adaptive thinking only, not a budget of tokens",
            severity=Severity.WARNING,
        )


def _answer_without_thinking(messages: list[WireMessage]) -> WireMessage | None:
    """The last answer, if its calls are being answered and it does not start with thinking. Only that one counts."""
    index = len(messages) - 1
    while index >= 0 and messages[index].role == "system":
        index -= 1
    if index < 0 or not _is_results(messages[index]):
        return None
    while index >= 0 and messages[index].role != "assistant":
        index -= 1
    while index > 0 and messages[index - 1].role == "assistant":
        index -= 1
    if index < 0:
        return None
    answer = messages[index]
    if isinstance(answer.content, str) or not answer.content:
        return None
    return None if answer.content[0]["type"] in _THINKING else answer


def _is_results(message: WireMessage) -> bool:
    return not isinstance(message.content, str) and any(
        block["type"] == "tool_result" for block in message.content
    )
