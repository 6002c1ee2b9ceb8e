"""Ids of tool calls in a whole conversation: none twice on one path, and where a result stands that is on another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from convotree.domain.choices import Check
from convotree.domain.message import Message
from convotree.domain.outcome import Outcome
from convotree.domain.parts import ToolCallPart
from convotree.domain.planning import open_call
from convotree.domain.revision import Revision
from convotree.domain.stored import AppendPoint, LaneStart, Scope
from convotree.errors import InvalidMessageError
from convotree.identity import Key
from convotree.replay.assembling import with_late_results
from convotree.replay.budget import results_of_calls_above
from convotree.replay.note import Note
from convotree.replay.notebook import place_text
from convotree.replay.own_rules import RESULT_ELSEWHERE
from convotree.replay.pairing import pair_results
from convotree.replay.request import Request
from convotree.replay.target import ConsecutiveAnswers
from convotree.store.ancestry import is_at_or_below
from convotree.store.context import StoreContext

__all__ = ["calls_above", "check_call_ids", "open_calls_at", "with_paired_results"]


async def check_call_ids(
    context: StoreContext,
    scope: Scope,
    parent: AppendPoint | None,
    start: LaneStart | None,
    messages: Sequence[Message],
    check: Check,
) -> None:
    """Under ``STRICT``, refuse a call whose id is that of a call above it; siblings may share ids.

    No round trip for messages without calls; one for others, and up to four more where an id is in use elsewhere.

    Raises:
        InvalidMessageError: naming the id and the revision that holds the other call.
    """
    if check is Check.RECORD:
        return
    places = _new_calls(messages)
    if not places or parent is None:
        return
    starts: dict[Key, LaneStart] = {} if start is None else {start.key: start}
    for found in await context.storage.revisions.find_calls(scope, list(places)):
        shared = [one for one in places if one in found.called]
        if shared and await is_at_or_below(context, scope, found.point, parent, starts):
            raise InvalidMessageError(
                place=places[shared[0]],
                reason=(
                    f"{shared[0][:128]!r} is the id of a call above, in revision {found.point.id!r}; "
                    "check=Check.RECORD stores it all the same"
                ),
            )


async def open_calls_at(
    context: StoreContext,
    scope: Scope,
    parent: AppendPoint | None,
    start: LaneStart | None,
    messages: Sequence[Message],
    check: Check,
) -> tuple[str, ...]:
    """The unanswered calls at ``parent``, as far as results in ``messages`` may answer them.

    No round trip unless the path has held more unanswered calls at once than a revision remembers; then one, and up to
    three for each revision that names such a call elsewhere.
    """
    if parent is None:
        return ()
    if check is Check.RECORD or not parent.more_open_calls:
        return parent.open_calls
    known = set(parent.open_calls)
    asked = {
        open_call(part.tool_call_id): part.tool_call_id
        for message in messages
        for part in message.tool_results
    }
    unknown = {form: tool_call_id for form, tool_call_id in asked.items() if form not in known}
    if not unknown:
        return parent.open_calls
    starts: dict[Key, LaneStart] = {} if start is None else {start.key: start}
    waiting: dict[str, bool] = {}
    for found in await context.storage.revisions.find_calls(scope, list(unknown.values())):
        if await is_at_or_below(context, scope, found.point, parent, starts):
            # Upper ones come first, so the last word on a call is the newest.
            waiting.update(dict.fromkeys(map(open_call, found.answered), False))
            waiting.update(dict.fromkeys(map(open_call, found.called), True))
    return (*(form for form in unknown if waiting.get(form)), *parent.open_calls)


def _new_calls(messages: Sequence[Message]) -> dict[str, str]:
    """The ids of the calls in a chain of messages, each with its place; refuses one that is there twice."""
    places: dict[str, str] = {}
    for number, message in enumerate(messages):
        for index, part in enumerate(message.parts):
            if not isinstance(part, ToolCallPart):
                continue
            place = f"parts[{index}].tool_call_id"
            if len(messages) > 1:
                place = f"messages[{number}].{place}"
            if part.tool_call_id in places:
                raise InvalidMessageError(
                    place=place,
                    reason=f"{part.tool_call_id[:128]!r} is the id of another call, at {places[part.tool_call_id]}",
                )
            places[part.tool_call_id] = place
    return places


async def with_paired_results(context: StoreContext, scope: Scope, request: Request) -> Request:
    """``request``, with a prefix break for each answer that did not know a result above it, and a note for each call
    without a result on the path whose result stands on another one.

    No round trip where every call has its result, else one; up to three more for a result of a call whose id another
    path has given to another call.
    """
    pairing = pair_results(request.messages, ConsecutiveAnswers.ONE_TURN)
    request = with_late_results(request, pairing)
    unanswered = {
        call.part.tool_call_id: call.place
        for group in pairing.groups.values()
        for call in group.calls
        if not call.results and request.messages[call.place[0]].outcome is Outcome.COMPLETE
    }
    if not unanswered:
        return request
    found = await context.storage.revisions.find_calls(scope, list(unanswered))
    callers: dict[str, list[AppendPoint]] = {}
    for one in found:
        for tool_call_id in one.called:
            callers.setdefault(tool_call_id, []).append(one.point)
    on_path = set(request.revision_ids)
    notes: list[Note] = []
    for one in found:
        if one.point.id in on_path:
            continue
        for tool_call_id in one.answered:
            place = unanswered.get(tool_call_id)
            if place is None:
                continue
            asked_in = request.revision_ids[place[0]]
            if await _answers(context, scope, one.point, asked_in, callers.get(tool_call_id, [])):
                notes.append(
                    Note(
                        place_text(place),
                        RESULT_ELSEWHERE,
                        f"a result of tool call {tool_call_id[:128]!r} stands in revision {one.point.id!r}, "
                        "which is not on this path",
                        asked_in,
                    )
                )
    return replace(
        request, notes=(*request.notes, *sorted(notes, key=lambda note: (note.place, note.reason)))
    )


async def calls_above(
    context: StoreContext, scope: Scope, path: Sequence[Revision], leaf: AppendPoint
) -> set[str]:
    """Of the results on the end ``path`` of the path to ``leaf`` whose calls are not in it, the ids of those whose
    calls stand above it. No round trip where there are none; else one, and up to three more for each call of such an
    id.
    """
    named = results_of_calls_above([one.message for one in path])
    if not named:
        return set()
    above: set[str] = set()
    for found in await context.storage.revisions.find_calls(scope, list(named)):
        called = named.intersection(found.called) - above
        if not called or found.point.depth >= path[0].depth:
            continue
        if await is_at_or_below(context, scope, found.point, leaf, {}):
            above |= called
    return above


async def _answers(
    context: StoreContext, scope: Scope, result: AppendPoint, asked_in: str, callers: Sequence[AppendPoint]
) -> bool:
    """Whether a result answers the call in revision ``asked_in``, not one of the same id on another path."""
    if len(callers) < 2:
        return True
    asked = next((one for one in callers if one.id == asked_in), None)
    return asked is None or await is_at_or_below(context, scope, asked, result, {})
