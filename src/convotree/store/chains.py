"""Storing a chain of new revisions below one place: plan, insert, and resolve what stands in the way.

Appending never loses to another writer: who comes second under a parent takes the next ordinal and starts a lane.
A duplicate key is looked up by revision id first: it may be this very call's earlier try.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from convotree.domain.choices import Check
from convotree.domain.encoded import EncodedMessage
from convotree.domain.generation import GenerationRecord
from convotree.domain.planning import Draftsman, check_message, open_calls_after
from convotree.domain.stored import AppendPoint, Header, LaneStart, StoredRevision
from convotree.errors import (
    ConversationNotFoundError,
    CorruptTreeError,
    InvalidRequestError,
    RevisionMismatchError,
    UnavailableError,
)
from convotree.store.call_ids import check_call_ids, open_calls_at
from convotree.store.context import StoreContext, now

__all__ = ["NewMessage", "Place", "store_chain"]

# Two writers meet at ordinal 0 once; after that the counter gives each its own. A counter that lags (a restored
# collection) is put right at the first collision. More collisions than this have another cause.
_ATTEMPTS = 16


@dataclass(frozen=True, slots=True)
class NewMessage:
    """One message to store: the id it shall have, its encoded form, and its generation record."""

    revision_id: str
    encoded: EncodedMessage
    generation: GenerationRecord | None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a chain shall hang.

    ``start``: the start of the parent's lane, None while it is not known. ``parent_given``: the caller named the
    parent, so what an earlier try stored must hang there. ``has_children``: ordinal 0 is taken. ``moves_seen``: the
    pointer's counter that the chain is written against. ``next_ordinal``: what the counter of the parent's children
    stood at (0: there was none), None where it is not known.
    """

    header: Header
    parent: AppendPoint | None
    start: LaneStart | None
    parent_given: bool
    has_children: bool
    moves_seen: int
    next_ordinal: int | None = None


async def store_chain(
    context: StoreContext, place: Place, new: Sequence[NewMessage], check: Check
) -> tuple[list[StoredRevision], bool]:
    """Insert ``new`` as a chain below ``place``; the revisions as stored, and whether this call inserted them all.

    One round trip where the parent has no child; up to four for a fork.

    Raises:
        RevisionMismatchError: if a revision of one of the ids exists with another message or parent.
        InvalidMessageError, UnexpectedToolResultError: if ``check`` refuses a message.
        TooManyForksError: if the path cannot hold one more fork.
    """
    done: list[StoredRevision] = []
    fresh = True
    for _ in range(_ATTEMPTS):
        waiting = new[len(done) :]
        plans: list[StoredRevision] = []
        count = 0
        try:
            plans = await _plan(context, place, waiting, check)
        except InvalidRequestError:
            # Refused where it would stand now; an earlier try may have stored it where it was welcome.
            present = await _present(context, place, waiting)
            if not present:
                raise
        else:
            count = await context.storage.revisions.insert_many(plans)
            done += plans[:count]
            if count == len(plans):
                return done, fresh
            below = place if count == 0 else _below(place, plans[count - 1])
            present = await _present(context, below, waiting[count:])
            place = below
        if present:
            done += present
            fresh = False
            if len(done) == len(new):
                return done, fresh
            place = replace(_below(place, present[-1]), moves_seen=present[0].moves_seen)
            continue
        if place.has_children:
            await context.storage.counters.catch_up(
                place.header.scope, plans[count].parent_id, plans[count].parent_key
            )
            place = replace(place, next_ordinal=None)
        place = replace(place, has_children=True)
    raise UnavailableError(operation="append", reason="other writers took every place that was tried")


def _below(place: Place, revision: StoredRevision) -> Place:
    return replace(
        place,
        parent=revision.point,
        start=None,
        parent_given=True,
        has_children=False,
        next_ordinal=None,
    )


async def _plan(
    context: StoreContext, place: Place, new: Sequence[NewMessage], check: Check
) -> list[StoredRevision]:
    header = place.header
    draftsman = Draftsman(
        scope=header.scope,
        now=now(),
        moves_seen=place.moves_seen,
        epoch=header.epoch,
        prompt_version=header.prompt_version,
        tool_set=header.tool_set,
    )
    first = new[0]
    messages = [one.encoded.message for one in new]
    await check_call_ids(context, header.scope, place.parent, place.start, messages, check)
    waiting = await open_calls_at(context, header.scope, place.parent, place.start, messages, check)
    for message in messages:
        check_message(message, check, waiting)
        waiting = open_calls_after(waiting, message)
    if place.has_children:
        start, known = await _start_and_counter(context, place)
        parent_key = header.scope.roots_key if place.parent is None else place.parent.key
        ordinal = await context.storage.counters.next_ordinal(header.scope, parent_key, known=known)
        plan = draftsman.later_child(
            place.parent, start, ordinal, first.revision_id, first.encoded, first.generation
        )
    else:
        plan = draftsman.first_child(place.parent, first.revision_id, first.encoded, first.generation)
    plans = [plan]
    for one in new[1:]:
        plans.append(draftsman.first_child(plans[-1].point, one.revision_id, one.encoded, one.generation))
    return plans


async def _start_and_counter(context: StoreContext, place: Place) -> tuple[LaneStart | None, int | None]:
    if place.parent is None or place.start is not None:
        return place.start, place.next_ordinal
    read = await context.storage.revisions.below(place.header.scope, place.parent.key)
    if read is None:
        raise ConversationNotFoundError(conversation_id=place.header.scope.conversation_id)
    if read.start is None:
        raise CorruptTreeError(
            problem=f"the start of its lane, {place.parent.lane_id!r}, is missing",
            conversation_id=place.header.scope.conversation_id,
            revision_id=place.parent.id,
        )
    return read.start, read.next_ordinal


async def _present(context: StoreContext, place: Place, new: Sequence[NewMessage]) -> list[StoredRevision]:
    """What an earlier try stored of ``new``, from its first on, without a gap."""
    scope = place.header.scope
    keys = [scope.revision_key(one.revision_id) for one in new]
    found = await context.storage.revisions.find_many(scope, keys)
    present: list[StoredRevision] = []
    parent_id = None if place.parent is None else place.parent.id
    for key, one in zip(keys, new, strict=True):
        stored = found.get(key)
        if stored is None:
            break
        difference = None
        if stored.encoded.digest != one.encoded.digest:
            difference = "message"
        elif (present or place.parent_given) and stored.parent_id != parent_id:
            difference = "parent"
        if difference is not None:
            raise RevisionMismatchError(
                conversation_id=scope.conversation_id, revision_id=one.revision_id, difference=difference
            )
        present.append(stored)
        parent_id = stored.point.id
    return present
