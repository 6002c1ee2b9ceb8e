"""Rules about calls and the responses to them: G4 to G7. One pass over the turns, after contents of one speaker are
taken together, as the API does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from convotree.replay.finding import Severity
from convotree.replay.gemini.models import Generation, generation_of
from convotree.replay.gemini.signatures import plain_text, step_starts
from convotree.replay.gemini.wire import Wire, WireContent, WirePart
from convotree.replay.notebook import Place
from convotree.replay.rule import Findings

__all__ = ["check_turns"]


@dataclass(slots=True)
class _Calls:
    """The calls of one turn that have no response yet, by what a response can name."""

    open: dict[int, Place] = field(default_factory=dict)
    by_id: dict[str, deque[int]] = field(default_factory=dict)
    by_name: dict[str, deque[int]] = field(default_factory=dict)
    without_id: dict[str, deque[int]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)

    def add(self, call: dict[str, Any], place: Place) -> None:
        number = len(self.names)
        self.open[number] = place
        self.names[number] = name = plain_text(call.get("name")) or ""
        tool_call_id = plain_text(call.get("id"))
        if tool_call_id:
            self.by_id.setdefault(tool_call_id, deque()).append(number)
        else:
            self.without_id.setdefault(name, deque()).append(number)
        self.by_name.setdefault(name, deque()).append(number)

    def next_open(self, waiting: deque[int] | None) -> int | None:
        while waiting:
            number = waiting.popleft()
            if number in self.open:
                return number
        return None


def check_turns(wire: Wire, findings: Findings) -> None:
    """Report every call without its response and every response without its call, and unsigned calls."""
    calls = _Calls()
    first = True
    for speaker, parts in _turns(wire.contents):
        if speaker == "model":
            _report_unanswered(calls, findings)
            calls = _Calls()
            for part in parts:
                call = part.body.get("functionCall")
                if isinstance(call, dict):
                    if first and not calls.names:
                        findings.add("G4", part.place, "the history opens on a call")
                    if not plain_text(call.get("name")):
                        findings.add("G6", part.place, "the function call has no name", inside=".name")
                    calls.add(call, part.place)
        else:
            for part in parts:
                response = part.body.get("functionResponse")
                if isinstance(response, dict):
                    _check_response(response, part.place, calls, findings)
            _report_unanswered(calls, findings)
            calls.open = {}
        first = False
    _report_unanswered(calls, findings)
    _check_signed(wire, findings)


def _turns(contents: list[WireContent]) -> Iterator[tuple[str, list[WirePart]]]:
    speaker = ""
    parts: list[WirePart] = []
    for content in contents:
        if content.speaker != speaker:
            if parts:
                yield speaker, parts
            speaker, parts = content.speaker, []
        parts.extend(content.parts)
    if parts:
        yield speaker, parts


def _check_response(response: dict[str, Any], place: Place, calls: _Calls, findings: Findings) -> None:
    name = plain_text(response.get("name"))
    tool_call_id = plain_text(response.get("id"))
    if not name:
        findings.add("G6", place, "the function response has no name", inside=".name")
    number = None
    if tool_call_id and tool_call_id in calls.by_id:
        number = calls.next_open(calls.by_id[tool_call_id])
        if number is None:
            findings.add("G5", place, f"a second response to call {tool_call_id!r}")
            return
    elif tool_call_id or name:
        # Ids have to match only where both have one.
        number = calls.next_open(calls.without_id.get(name or ""))
        if number is None and not tool_call_id:
            number = calls.next_open(calls.by_name.get(name or ""))
    else:
        number = next(iter(calls.open), None)
    if number is None:
        what = repr(tool_call_id) if tool_call_id else f"of {name!r}"
        findings.add("G6", place, f"no call {what} in the turn before is left for it")
        return
    if name and name != calls.names[number]:
        findings.add(
            "G6", place, f"the call is one of {calls.names[number]!r}, not of {name!r}", inside=".name"
        )
    del calls.open[number]


def _report_unanswered(calls: _Calls, findings: Findings) -> None:
    for place in calls.open.values():
        findings.add("G5", place, "the call has no response in the next turn")


def _check_signed(wire: Wire, findings: Findings) -> None:
    generation = generation_of(wire.model)
    if generation is Generation.EARLIER:
        return
    for _, part in step_starts(wire.contents):
        if not plain_text(part.body.get("thoughtSignature")):
            findings.add(
                "G7",
                part.place,
                "the first call of a step of the current turn has no signature",
                severity=Severity.WARNING if generation is None else None,
            )
