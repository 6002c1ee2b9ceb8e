"""Rules of Chat Completions about messages: C1 to C5, C7 and C8. One pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from convotree.domain.exact_json import ExactJson
from convotree.replay.notebook import TOOLS, WHOLE
from convotree.replay.openai_chat.models import instruction_roles
from convotree.replay.openai_chat.wire import Wire, WireMessage
from convotree.replay.rule import Findings

__all__ = ["check_messages"]

_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_LONGEST_ID: Final = 40
_LONGEST_STRING: Final = 1_048_576


def check_messages(wire: Wire, findings: Findings) -> None:
    """Report what is wrong with the messages and the names of tools."""
    check = _MessageCheck(wire, findings)
    for message in wire.messages:
        check.message(message)
    check.report_unanswered()
    for number, tool in enumerate(wire.tools):
        function = tool.get("function")
        if isinstance(function, dict) and not _NAME.fullmatch(function["name"]):
            findings.add(
                "C5", (TOOLS, number), f"{function['name'][:40]!r} is no name of a tool", inside=".name"
            )
    if not wire.messages:
        findings.add("C4", (0, WHOLE), "there is no message")


class _MessageCheck:
    """Goes through the messages in order; it knows the calls that are still open."""

    def __init__(self, wire: Wire, findings: Findings) -> None:
        self._findings = findings
        self._roles = instruction_roles(wire.model)
        self._open: dict[str, Any] = {}
        self._answered: set[str] = set()

    def message(self, message: WireMessage) -> None:
        body = message.body
        role = body["role"]
        if role == "tool":
            self._tool_message(message)
        else:
            self.report_unanswered()
            self._answered = set()
        if role == "assistant":
            self._answer(message)
        elif body.get("content") == []:
            self._findings.add("C4", message.place, "the content is an empty list")
        if role in ("system", "developer") and role not in self._roles:
            self._findings.add("C7", message.place, f"the model takes no role {role}")
        for text in _strings(body):
            if len(text) > _LONGEST_STRING:
                self._findings.add("C8", message.place, f"a string of {len(text)} characters")

    def report_unanswered(self) -> None:
        for tool_call_id, place in self._open.items():
            self._findings.add("C1", place, f"tool call {tool_call_id!r} has no tool message right after it")
        self._open = {}

    def _tool_message(self, message: WireMessage) -> None:
        tool_call_id = message.body["tool_call_id"]
        if self._open.pop(tool_call_id, None) is not None:
            self._answered.add(tool_call_id)
        elif tool_call_id in self._answered:
            self._findings.add("C2", message.place, f"a second tool message for {tool_call_id!r}")
        else:
            self._findings.add("C2", message.place, f"no tool call {tool_call_id!r} in the answer before")

    def _answer(self, message: WireMessage) -> None:
        body = message.body
        calls = body.get("tool_calls")
        if isinstance(calls, ExactJson):
            # Nothing was read from it, so it is an empty list or null.
            if calls.text == "[]":
                self._findings.add("C3", message.place, "tool_calls is an empty list")
            calls = None
        said = body.get("content")
        if said == [] or (said is None and not calls and not body.keys() & {"audio", "function_call"}):
            self._findings.add("C4", message.place, "neither content nor tool calls")
        for call, place in zip(calls or (), message.calls, strict=bool(calls)):
            self._call(call, place)

    def _call(self, call: dict[str, Any], place: Any) -> None:
        tool_call_id = call.get("id")
        if not isinstance(tool_call_id, str):
            return
        if tool_call_id in self._open:
            self._findings.add("C1", place, f"two tool calls {tool_call_id!r} in one answer")
        self._open[tool_call_id] = place
        if not 1 <= len(tool_call_id) <= _LONGEST_ID:
            self._findings.add(
                "C5", place, f"an id of {len(tool_call_id)} characters", inside=".tool_call_id"
            )
        inner = call.get("function", call.get("custom"))
        if isinstance(inner, dict) and not _NAME.fullmatch(inner["name"]):
            self._findings.add("C5", place, f"{inner['name'][:40]!r} is no name of a tool", inside=".name")


def _strings(body: dict[str, Any]) -> Iterator[str]:
    """The long ones: a message's content, and arguments."""
    content = body.get("content")
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for piece in content:
            text = piece.get("text")
            if isinstance(text, str):
                yield text
    calls = body.get("tool_calls")
    if isinstance(calls, list):
        for call in calls:
            function = call.get("function")
            if isinstance(function, dict):
                yield _text(function["arguments"])


def _text(arguments: str | ExactJson) -> str:
    """An exact leaf is a JSON string; escaped it is longer than what it says, so a short one needs no reading."""
    if isinstance(arguments, str) or len(arguments.text) <= _LONGEST_STRING:
        return "" if isinstance(arguments, ExactJson) else arguments
    return str(arguments.value)
