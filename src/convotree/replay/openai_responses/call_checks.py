"""Rules of the Responses API about calls and their outputs: R3, R4 and R5. One pass."""

from __future__ import annotations

from convotree.replay.notebook import Place
from convotree.replay.openai_responses.item_kinds import CALL_OUTPUTS, OUTPUT_MEMBERS
from convotree.replay.openai_responses.settings import Settings
from convotree.replay.openai_responses.wire import Wire
from convotree.replay.rule import Findings

__all__ = ["check_calls"]


def check_calls(wire: Wire, settings: Settings, findings: Findings) -> None:
    """Report calls without an output, and the reverse."""
    waiting: dict[str, Place] = {}
    called: dict[str, int] = {}
    answered: set[str] = set()
    # What is stored, or referred to, may hold the call.
    elsewhere = settings.continues or any(item.kind == "item_reference" for item in wire.items)
    users = 0
    for item in wire.items:
        if item.kind == "message" and item.body.get("role") == "user":
            users += 1
        if item.call is None:
            continue
        if item.kind in OUTPUT_MEMBERS:
            if item.call in waiting:
                del waiting[item.call]
                answered.add(item.call)
                if called[item.call] < users:
                    findings.add("R5", item.place, "a message of the user stands between call and output")
            elif item.call in answered:
                findings.add("R4", item.place, f"a second output for {item.call!r}")
            elif item.call not in called and not elsewhere:
                findings.add("R4", item.place, f"no call {item.call!r} above it")
            continue
        if item.call in waiting:
            findings.add("R3", item.place, f"two calls {item.call!r}")
        called[item.call] = users
        if item.kind in CALL_OUTPUTS and not item.hosted:
            waiting[item.call] = item.place
    for call, place in waiting.items():
        findings.add("R3", place, f"call {call!r} has no output")
