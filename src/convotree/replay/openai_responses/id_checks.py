"""Rules of the Responses API about ids and whose they are: R1, R2, R6, R7 and, of other models, R8."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from convotree.domain.message import Message
from convotree.domain.parts import ReasoningPart
from convotree.replay.finding import Severity
from convotree.replay.openai_responses.item_ids import fits_id
from convotree.replay.openai_responses.models import always_reasons
from convotree.replay.openai_responses.target import TARGET
from convotree.replay.openai_responses.wire import Wire, WireItem
from convotree.replay.origin import Origin, origin_of
from convotree.replay.rule import Findings

__all__ = ["check_ids", "check_models"]

_LONGEST_ID: Final = 64
_UNTIED: Final = frozenset({"reasoning", "item_reference"})


def check_ids(wire: Wire, findings: Findings) -> None:
    """Report what is wrong with the ids of items and calls, and with reasoning and what it led to."""
    seen: set[str] = set()
    for number, item in enumerate(wire.items):
        if (
            item.call is not None
            and not 1 <= len(item.call) <= _LONGEST_ID
            and not item.kind.endswith("output")
        ):
            findings.add("R7", item.place, f"an id of {len(item.call)} characters", inside=".tool_call_id")
        following = wire.items[number + 1] if number + 1 < len(wire.items) else None
        before = wire.items[number - 1] if number else None
        if item.kind == "reasoning" and item.id is not None and not _is_led_to(following):
            findings.add("R1", item.place, f"what {item.id!r} led to does not follow it with its id")
        elif item.kind not in _UNTIED and item.answer and item.id is not None and _has_lost_its_id(before):
            findings.add("R2", item.place, f"{item.id!r} stands after reasoning without an id")
        if item.id is None or item.kind == "item_reference":
            continue
        if not fits_id(item):
            findings.add("R6", item.place, f"{item.id[:70]!r} is no id of a {item.kind}")
        if item.id in seen:
            findings.add("R6", item.place, f"the id {item.id[:70]!r} stands twice")
        seen.add(item.id)
    if always_reasons(wire.model):
        _check_reasoned(wire.items, findings)


def check_models(messages: Sequence[Message], model: str, findings: Findings) -> None:
    """Report reasoning that another model of the provider encrypted."""
    for index, message in enumerate(messages):
        made_by = message.provenance.model if message.provenance is not None else None
        if (
            made_by is None
            or origin_of(message, TARGET) is not Origin.OWN
            or TARGET.same_model(made_by, model)
        ):
            continue
        for number, part in enumerate(message.parts):
            if isinstance(part, ReasoningPart) and part.encrypted:
                findings.add(
                    "R8",
                    (index, number),
                    f"encrypted by {made_by}, which {model} may reject",
                    severity=Severity.WARNING,
                )


def _is_led_to(following: WireItem | None) -> bool:
    return following is not None and following.answer and following.id is not None


def _has_lost_its_id(before: WireItem | None) -> bool:
    return before is not None and before.kind == "reasoning" and before.id is None


def _check_reasoned(items: Sequence[WireItem], findings: Findings) -> None:
    """Report an answer with ids in which a model that always reasons did not."""
    said: WireItem | None = None
    reasoned = False
    for item in [*items, None]:
        if item is None or (item.kind == "message" and not item.answer):
            if said is not None and not reasoned:
                findings.add(
                    "R2",
                    said.place,
                    f"{said.id!r} stands without reasoning, and the model always reasons",
                    severity=Severity.WARNING,
                )
            said, reasoned = None, False
        elif item.kind == "reasoning":
            reasoned = True
        elif (
            item.kind in ("message", "function_call", "custom_tool_call")
            and item.id is not None
            and item.answer
        ):
            said = said or item
