"""Ids of items: reasoning goes with its id directly before the item it led to, with that item's id, or both without.

An id ties an item to what the provider remembers of its making. Items are taken as they come without, so nothing is
given an id that it did not have (rules R1, R2, R6).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from convotree.domain.message import Message
from convotree.domain.parts import ReasoningPart
from convotree.replay.notebook import Notebook
from convotree.replay.openai_responses.item_kinds import ID_PREFIXES, KEPT_WITH_ID, RESULTS
from convotree.replay.openai_responses.wire import WireItem

__all__ = ["fits_id", "settle_ids"]

_REFERENCE: Final = "item_reference"
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def fits_id(item: WireItem) -> bool:
    """Whether the item's id is one that its kind can have."""
    own = item.id or ""
    prefix = ID_PREFIXES.get(item.kind, "") if item.answer or item.kind != "message" else ""
    return _ID.fullmatch(own) is not None and own.startswith(prefix)


def settle_ids(items: Sequence[WireItem], messages: Sequence[Message], notebook: Notebook) -> list[WireItem]:
    """The items to send, with the ids to send. Linear.

    What does not exist without its id is left out where the id cannot be sent, and so is what answers it.
    """
    good = _good_ids(items)
    whole = _whole_reasoning(items, good, messages)
    lost_calls: set[str | None] = set()
    kept: list[WireItem] = []
    for item, broken in _with_state(items, whole, messages):
        if item.call in lost_calls:
            if item.kind in RESULTS:
                continue
            lost_calls.discard(item.call)
        if item.kind == _REFERENCE or item.id is None:
            if not (item.kind == "reasoning" and not _is_encrypted(item)):
                kept.append(item)
            else:
                notebook.add(item.place, "R8", "reasoning with neither id nor encrypted content is left out")
            continue
        if item.kind == "reasoning":
            if item in whole:
                kept.append(item)
            elif _is_encrypted(item):
                notebook.add(
                    item.place, "R1", "what it led to does not follow: the reasoning is sent without its id"
                )
                del item.body["id"]
                kept.append(item)
            else:
                notebook.add(item.place, "R1", "what it led to does not follow: the reasoning is left out")
            continue
        if item in good and not (broken and item.answer):
            kept.append(item)
            continue
        rule = "R2" if item in good else "R6"
        why = "the reasoning before it is not sent with its id" if item in good else "its id cannot be sent"
        if item.kind in KEPT_WITH_ID:
            notebook.add(item.place, rule, f"{why}: the {item.kind} is left out")
            if item.call is not None and item.kind not in RESULTS:
                lost_calls.add(item.call)
            continue
        notebook.add(item.place, rule, f"{why}: the {item.kind} is sent without an id")
        del item.body["id"]
        kept.append(item)
    return kept


def _good_ids(items: Sequence[WireItem]) -> set[WireItem]:
    """The items whose id is well formed and the first of its kind in the request."""
    seen: set[str] = set()
    good: set[WireItem] = set()
    for item in items:
        if item.kind == _REFERENCE or item.id is None:
            continue
        if fits_id(item) and item.id not in seen:
            seen.add(item.id)
            good.add(item)
    return good


def _whole_reasoning(
    items: Sequence[WireItem], good: set[WireItem], messages: Sequence[Message]
) -> set[WireItem]:
    """The reasoning that stands, with its id, directly before what it led to, with its id."""
    whole: set[WireItem] = set()
    following: WireItem | None = None
    for item in reversed(items):
        if (
            item.kind == "reasoning"
            and item in good
            and following is not None
            and following.answer
            and following.kind not in RESULTS
            and (
                following in (whole if following.kind == "reasoning" else good)
                or following.kind == _REFERENCE
            )
            and _follows(following, item, messages)
        ):
            whole.add(item)
        following = item
    return whole


def _follows(following: WireItem, item: WireItem, messages: Sequence[Message]) -> bool:
    """Whether nothing stood between the two when they were stored."""
    index, number = item.place
    if following.place == (index, number + 1):
        return True
    return number + 1 == len(messages[index].parts) and following.place == (index + 1, 0)


def _with_state(
    items: Sequence[WireItem], whole: set[WireItem], messages: Sequence[Message]
) -> Iterator[tuple[WireItem, bool]]:
    """Each item, and whether the nearest reasoning before it, in its message or in what is sent, is not sent as it was
    made.
    """
    sent = {item.place: item in whole for item in items if item.kind == "reasoning"}
    reasoning: dict[int, list[int]] = {}
    lost = False
    for item in items:
        index, number = item.place
        numbers = reasoning.get(index)
        if numbers is None:
            numbers = reasoning[index] = _reasoning_in(messages[index]) if item.answer else []
        before = bisect_left(numbers, number)
        broken = before > 0 and not sent.get((index, numbers[before - 1]), False)
        if item.kind == "reasoning":
            lost = item not in whole
        elif item.kind == "message" and not item.answer:
            lost = False
        yield item, broken or lost


def _reasoning_in(message: Message) -> list[int]:
    return [number for number, part in enumerate(message.parts) if type(part) is ReasoningPart]


def _is_encrypted(item: WireItem) -> bool:
    return bool(item.body.get("encrypted_content"))
