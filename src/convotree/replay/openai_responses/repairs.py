"""What the Responses API rejects in items that are otherwise in order: mended, or left out, and noted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from convotree.domain.exact_json import ExactJson
from convotree.errors import UnreplayableError
from convotree.replay.notebook import TOOLS, WHOLE, Notebook, Place
from convotree.replay.openai_responses.content import Piece
from convotree.replay.openai_responses.item_kinds import NAMED_CALLS, OUTPUT_MEMBERS
from convotree.replay.openai_responses.item_members import drop_member, foreign_members
from convotree.replay.openai_responses.settings import Settings
from convotree.replay.openai_responses.target import NAME
from convotree.replay.openai_responses.tools import NAME_PATTERN, misnamed, namespaces
from convotree.replay.openai_responses.wire import Wire, WireItem
from convotree.replay.policy import (
    CacheMarkers,
    HostedOrphans,
    RenderPolicy,
    ResponseMembers,
    Unacceptable,
    Unsupported,
    policy_of,
)

__all__ = [
    "MOST_BREAKPOINTS",
    "breakpoints",
    "leave_out_items",
    "pieces_of",
    "refuse_rejected",
    "repair_items",
]

_BREAKPOINT: Final = "prompt_cache_breakpoint"
MOST_BREAKPOINTS: Final = 4
_OUTSIDE: Final = re.compile(r"[^a-zA-Z0-9_-]+")


def leave_out_items(
    items: Sequence[WireItem], settings: Settings, policy: RenderPolicy, notebook: Notebook
) -> list[WireItem]:
    """The items without those that no request may have, and without results of hosted calls that are not there."""
    items = [item for item in items if _is_kept(item, settings, policy, notebook)]
    elsewhere = settings.continues or any(item.kind == "item_reference" for item in items)
    if elsewhere or policy.hosted_orphans is HostedOrphans.AS_STORED:
        return items
    waiting: set[str] = set()
    return [item for item in items if not _is_orphan(item, waiting, policy, notebook)]


def repair_items(wire: Wire, policy: RenderPolicy, notebook: Notebook) -> None:
    """Mend the items of ``wire`` as ``policy`` says."""
    if policy.response_members is not ResponseMembers.AS_STORED:
        for item in wire.items:
            for way in list(foreign_members(item.kind, item.body)):
                drop_member(item.body, way)
                notebook.add(item.place, "R11", f"{'.'.join(way)} is left out: no request has it")
    if policy.unacceptable is Unacceptable.REFUSE:
        spaces = namespaces(wire.tools)
        for item in wire.items:
            if item.kind in NAMED_CALLS:
                _repair_call(item, spaces, notebook)
            elif item.kind == "reasoning" and item.body.get("summary") is None:
                item.body["summary"] = []
                notebook.add(item.place, "R8", "an empty summary is added")
            elif item.answer and item.kind == "message":
                _repair_answer(item, notebook)
    if policy.cache_markers is not CacheMarkers.AS_STORED:
        marked = list(breakpoints(wire))
        for place, piece in marked[: max(0, len(marked) - MOST_BREAKPOINTS)]:
            del piece[_BREAKPOINT]
            notebook.add(place, "R14", "the cache breakpoint is left out: there are more than 4")


def refuse_rejected(wire: Wire, settings: Settings, notebook: Notebook) -> None:
    """Refuse what would be rejected all the same.

    Raises:
        UnreplayableError: naming the first such place and its rule.
    """
    if settings.names_two_conversations:
        raise UnreplayableError(
            provider=NAME,
            place="params.conversation",
            rule="R14",
            reason="a request goes on with a response or a conversation, not both",
            policy=policy_of(Unacceptable.REFUSE),
        )
    for number, name in misnamed(wire.tools):
        notebook.refuse(
            (TOOLS, number),
            "R13",
            f"{name[:40]!r} is no name of a tool",
            inside=".name",
            by=Unacceptable.REFUSE,
        )
    if not wire.items and not (settings.continues or settings.has_prompt):
        notebook.refuse((0, WHOLE), "R13", "there is nothing to send", by=Unacceptable.REFUSE)


def pieces_of(item: WireItem) -> Iterator[tuple[Place, Piece]]:
    """The parts of an item's content, or of the result it brings."""
    for name in ("content", "output"):
        pieces = item.body.get(name)
        if type(pieces) is list:
            for number, piece in enumerate(pieces):
                yield item.places[number] if number < len(item.places) else item.place, piece


def breakpoints(wire: Wire) -> Iterator[tuple[Place, Piece]]:
    """The parts that are marked for the prompt cache, in order."""
    for item in wire.items:
        if type(item.body.get("content")) is list or type(item.body.get("output")) is list:
            for place, piece in pieces_of(item):
                if piece.get(_BREAKPOINT) is not None:
                    yield place, piece


def _repair_call(item: WireItem, spaces: dict[str, str], notebook: Notebook) -> None:
    name = item.body.get("name")
    if type(name) is str and not NAME_PATTERN.fullmatch(name):
        item.body["name"] = _OUTSIDE.sub("_", name)[:64] or "tool"
        notebook.add(
            item.place, "R13", f"{item.body['name']!r} stands for a name that is not allowed", inside=".name"
        )
    if type(name) is str and name in spaces and item.body.get("namespace") is None:
        item.body["namespace"] = spaces[name]
        notebook.add(item.place, "R12", f"the namespace {spaces[name]!r} is added: the tool is loaded later")


def _repair_answer(item: WireItem, notebook: Notebook) -> None:
    for place, piece in pieces_of(item):
        if piece["type"] == "input_text":
            piece["type"] = "output_text"
            notebook.add(place, "R10", "the text of an answer is sent as output_text")


def _is_orphan(item: WireItem, waiting: set[str], policy: RenderPolicy, notebook: Notebook) -> bool:
    """Whether it brings what a hosted call found and no such call stands above it (rule R4), which is noted."""
    if item.call is None:
        return False
    if item.kind not in OUTPUT_MEMBERS:
        waiting.add(item.call)
        return False
    if not item.hosted or item.call in waiting:
        waiting.discard(item.call)
        return False
    reason = "the hosted result has no call before it"
    if policy.hosted_orphans is HostedOrphans.REFUSE:
        notebook.refuse(item.place, "R4", reason, by=HostedOrphans.REFUSE)
    notebook.add(item.place, "R4", f"{reason}; it is left out")
    return True


def _is_kept(item: WireItem, settings: Settings, policy: RenderPolicy, notebook: Notebook) -> bool:
    if item.kind == "item_reference" and settings.discards:
        rule, reason = "R9", "nothing is stored that could be referred to"
    elif item.answer and item.kind == "message" and isinstance(item.body.get("content"), ExactJson):
        rule, reason = "R10", "an answer of other content than text and refusals"
    elif item.kind in NAMED_CALLS and type(item.body.get("name")) is not str:
        rule, reason = "R13", f"the {item.kind} has no name"
    else:
        return True
    if policy.unsupported is Unsupported.REFUSE:
        notebook.refuse(item.place, rule, reason, by=Unsupported.REFUSE)
    notebook.add(item.place, rule, f"{reason}; it is left out")
    return False
