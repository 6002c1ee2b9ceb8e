"""Rules A4 to A8 and A10: tool calls, their results, and pending hosted tools. One pass over the turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from convotree.replay.anthropic.blocks import Block
from convotree.replay.anthropic.declared_tools import undeclared_blocks
from convotree.replay.anthropic.pending_calls import undeclared_pending_calls
from convotree.replay.anthropic.wire import Wire, WireMessage
from convotree.replay.finding import Severity
from convotree.replay.notebook import Place
from convotree.replay.rule import Findings

__all__ = ["check_tool_calls"]

_BARE_TEXT: Final[Block] = {"type": "text"}
"""In place of a message's bare text, of which nothing but that it is there matters here."""


@dataclass(slots=True)
class _Turn:
    """Consecutive messages of one role, which the API takes as one. System messages stand between them unseen."""

    role: str
    blocks: list[tuple[Block, Place]] = field(default_factory=list)


def check_tool_calls(wire: Wire, findings: Findings) -> None:
    """Report every call without its result and every result without its call."""
    calls: dict[str, Place] = {}
    earlier: set[str] = set()
    for turn in _turns(wire.messages, findings):
        if turn.role == "assistant":
            _report_unanswered(calls, findings)
            calls = _calls_of(turn, earlier, findings)
        else:
            _check_results(turn, calls, findings)
            calls = {}
    _report_unanswered(calls, findings)
    for index, number, reason in undeclared_pending_calls(wire):
        findings.add("A10", wire.messages[index].places[number], reason)
    for one in undeclared_blocks(wire):
        inside = "" if one.inner is None else f".content[{one.inner}]"
        findings.add("A10", wire.messages[one.message].places[one.number], one.reason, inside=inside)


def _turns(messages: Sequence[WireMessage], findings: Findings) -> Iterator[_Turn]:
    turn: _Turn | None = None
    for message in messages:
        blocks = (
            [(_BARE_TEXT, message.place)]
            if isinstance(message.content, str)
            else list(zip(message.content, message.places, strict=True))
        )
        if message.role != "user":
            for block, place in blocks:
                if block["type"] == "tool_result":
                    findings.add("A6", place, f"a tool_result in a message of role {message.role}")
        if message.role == "system":
            continue
        if turn is None or turn.role != message.role:
            if turn is not None:
                yield turn
            turn = _Turn(message.role)
        turn.blocks.extend(blocks)
    if turn is not None:
        yield turn


def _calls_of(turn: _Turn, earlier: set[str], findings: Findings) -> dict[str, Place]:
    calls: dict[str, Place] = {}
    for block, place in turn.blocks:
        if block["type"] != "tool_use":
            continue
        tool_call_id = block["id"]
        if tool_call_id in calls:
            findings.add("A8", place, f"the turn has two tool calls {tool_call_id!r}")
        elif tool_call_id in earlier:
            findings.add(
                "A8",
                place,
                f"an earlier turn has a tool call {tool_call_id!r} too",
                severity=Severity.WARNING,
            )
        calls[tool_call_id] = place
    earlier.update(calls)
    return calls


def _check_results(turn: _Turn, calls: dict[str, Place], findings: Findings) -> None:
    open_calls = dict(calls)
    other: Place | None = None
    out_of_place = False
    for block, place in turn.blocks:
        if block["type"] != "tool_result":
            other = place if other is None else other
            continue
        tool_call_id = block["tool_use_id"]
        if open_calls.pop(tool_call_id, None) is not None:
            out_of_place = out_of_place or other is not None
        elif tool_call_id in calls:
            findings.add("A7", place, f"a second result for tool call {tool_call_id!r}")
        else:
            findings.add("A6", place, f"no tool call {tool_call_id!r} in the turn before")
    if out_of_place and other is not None:
        findings.add("A5", other, "this stands before a tool_result of its turn")
    _report_unanswered(open_calls, findings)


def _report_unanswered(calls: dict[str, Place], findings: Findings) -> None:
    for tool_call_id, place in calls.items():
        findings.add("A4", place, f"tool call {tool_call_id!r} has no result in the next turn")
