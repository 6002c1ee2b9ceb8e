"""Importing parsed conversations: whole trees planned in memory, inserted in batches, safe to repeat.

The header is created first and parents go before children, so every interrupted import is a valid tree, and the same
import again stores what is missing. Nothing that is there is changed; the pointer is set only if it never moved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from convotree.domain.choices import Check, Select
from convotree.domain.import_report import ImportedConversation
from convotree.domain.parsed import ImportProblem, ParsedConversation, ParsedRevision
from convotree.domain.planning import Draftsman
from convotree.domain.stored import AppendPoint, Header, LaneStart, Scope, StoredRevision
from convotree.errors import (
    ConversationMismatchError,
    ConversationNotFoundError,
    GoneError,
    InvalidArgumentError,
    InvalidRequestError,
    RevisionMismatchError,
)
from convotree.identity import Key
from convotree.storage.updates import PointerMove
from convotree.store.appending import append_chain, check_records, prepare
from convotree.store.chains import NewMessage
from convotree.store.context import StoreContext, now
from convotree.store.headers import create

__all__ = ["import_conversation"]

_BATCH: Final = 1000


async def import_conversation(context: StoreContext, parsed: ParsedConversation) -> ImportedConversation:
    """Store one conversation; problems of its content are reported, not raised."""
    if not isinstance(parsed, ParsedConversation):
        raise InvalidArgumentError(argument="parsed", reason="a ParsedConversation was expected")
    problems = list(parsed.problems)
    tally = _Tally()
    failed = selected = None
    try:
        selected = await _import(context, context.scope(parsed.id), parsed, problems, tally)
    except (InvalidRequestError, RevisionMismatchError, GoneError) as error:
        failed = str(error)
    return ImportedConversation(parsed.id, tally.stored, tally.present, selected, tuple(problems), failed)


@dataclass(slots=True)
class _Tally:
    """What was done so far; ``inserted``: keys in the order of insertion, should it all have to be withdrawn."""

    stored: int = 0
    present: int = 0
    inserted: list[Key] = field(default_factory=list)


async def _import(
    context: StoreContext,
    scope: Scope,
    parsed: ParsedConversation,
    problems: list[ImportProblem],
    tally: _Tally,
) -> str | None:
    """Store it; where the pointer stands after it."""
    new = _prepare(parsed)
    header = await _header(context, scope, parsed, problems)
    await check_records(context, header, new)
    try:
        await _store(context, header, parsed.revisions, new, tally)
        if parsed.selected_leaf_id is not None:
            await _select(context, scope, parsed.selected_leaf_id)
        return await _selected_leaf(context, header)
    except GoneError:
        await _withdraw(context, scope, tally)
        raise


def _prepare(parsed: ParsedConversation) -> list[NewMessage]:
    known: set[str | None] = {None}
    for index, revision in enumerate(parsed.revisions):
        if revision.parent_id not in known:
            raise InvalidArgumentError(
                argument=f"revisions[{index}]",
                reason=f"its parent {revision.parent_id!r} does not come before it",
            )
        known.add(revision.id)
    if parsed.selected_leaf_id not in known:
        raise InvalidArgumentError(
            argument="selected_leaf_id", reason=f"{parsed.selected_leaf_id!r} is not among the revisions"
        )
    return prepare(
        [one.message for one in parsed.revisions],
        [one.id for one in parsed.revisions],
        [one.generation for one in parsed.revisions],
    )


async def _header(
    context: StoreContext, scope: Scope, parsed: ParsedConversation, problems: list[ImportProblem]
) -> Header:
    try:
        await create(
            context,
            parsed.id,
            system=parsed.system,
            tools=parsed.tools,
            title=parsed.title,
            metadata=parsed.metadata,
        )
    except ConversationMismatchError:
        problems.append(
            ImportProblem(
                parsed.id,
                "exists already with another title, prompt or metadata, which were left as they are",
            )
        )
    header = await context.storage.conversations.find_lean(scope)
    if header is None:
        raise ConversationNotFoundError(conversation_id=parsed.id)
    return header


async def _store(
    context: StoreContext,
    header: Header,
    revisions: Sequence[ParsedRevision],
    new: Sequence[NewMessage],
    tally: _Tally,
) -> None:
    plans, siblings = _plan(header, revisions, new)
    at = 0
    while at < len(plans):
        batch = plans[at : at + _BATCH]
        stored = await context.storage.revisions.insert_many(batch)
        tally.stored += stored
        tally.inserted += [plan.point.key for plan in batch[:stored]]
        at += stored
        if stored == len(batch):
            continue
        skipped = await _skip_present(context, header.scope, plans[at : at + _BATCH])
        tally.present += skipped
        at += skipped
        if not skipped:  # another writer was here: from here on each finds its own place
            await _append_each(context, header.scope, revisions[at:], new[at:], tally)
            break
    # Behind the revisions: a counter says that the first child is there, and one that lags is put right.
    await context.storage.counters.start_at(header.scope, {key: n for key, n in siblings.items() if n > 1})


def _plan(
    header: Header, revisions: Sequence[ParsedRevision], new: Sequence[NewMessage]
) -> tuple[list[StoredRevision], Counter[Key]]:
    """The places of all revisions, and how many children each parent has."""
    draftsman = Draftsman(
        header.scope, now(), header.moves, header.epoch, header.prompt_version, header.tool_set
    )
    points: dict[str, AppendPoint] = {}
    starts: dict[Key, LaneStart] = {}
    siblings: Counter[Key] = Counter()
    plans: list[StoredRevision] = []
    for revision, one in zip(revisions, new, strict=True):
        parent = None if revision.parent_id is None else points[revision.parent_id]
        parent_key = header.scope.roots_key if parent is None else parent.key
        ordinal = siblings[parent_key]
        siblings[parent_key] += 1
        if ordinal == 0:
            plan = draftsman.first_child(parent, one.revision_id, one.encoded, one.generation)
        else:
            start = None if parent is None else starts[parent.lane_key]
            plan = draftsman.later_child(parent, start, ordinal, one.revision_id, one.encoded, one.generation)
        if plan.forks is not None:
            starts[plan.point.key] = LaneStart(plan.point.key, plan.point.depth, plan.forks)
        points[one.revision_id] = plan.point
        plans.append(plan)
    return plans, siblings


async def _skip_present(context: StoreContext, scope: Scope, plans: Sequence[StoredRevision]) -> int:
    """How many of ``plans``, from the first on, an earlier import stored just as they are planned now.

    Raises:
        RevisionMismatchError: if one is there with another message or parent.
    """
    found = await context.storage.revisions.find_many(scope, [plan.point.key for plan in plans])
    count = 0
    for plan in plans:
        stored = found.get(plan.point.key)
        if stored is None:
            break
        difference = None
        if stored.encoded.digest != plan.encoded.digest:
            difference = "message"
        elif stored.parent_id != plan.parent_id:
            difference = "parent"
        if difference is not None and count:
            break  # those before it are counted first
        if difference is not None:
            raise RevisionMismatchError(
                conversation_id=scope.conversation_id, revision_id=plan.point.id, difference=difference
            )
        if stored.ordinal != plan.ordinal or stored.point.lane_key != plan.point.lane_key:
            break
        count += 1
    return count


async def _append_each(
    context: StoreContext,
    scope: Scope,
    revisions: Sequence[ParsedRevision],
    new: Sequence[NewMessage],
    tally: _Tally,
) -> None:
    keys = [scope.revision_key(one.revision_id) for one in new]
    present = await context.storage.revisions.existing_keys(scope, keys)
    for revision, one, key in zip(revisions, new, keys, strict=True):
        await append_chain(
            context,
            scope.conversation_id,
            [one],
            parent_id=revision.parent_id,
            select=Select.NEVER,
            check=Check.RECORD,
        )
        if key in present:
            tally.present += 1
        else:
            tally.stored += 1
            tally.inserted.append(key)


async def _select(context: StoreContext, scope: Scope, leaf_id: str) -> None:
    """Set the pointer if it never moved: a later import must not take a user away from where they are."""
    header = await context.storage.conversations.find_lean(scope)
    point = await context.storage.revisions.find_point(scope, scope.revision_key(leaf_id))
    if header is not None and point is not None and header.moves == 0:
        await context.storage.conversations.move_pointer(
            scope, PointerMove(point, header.epoch, moves=0), now()
        )


async def _selected_leaf(context: StoreContext, header: Header) -> str | None:
    """Where the pointer stands after the import.

    Raises:
        GoneError: if an erasure began since ``header`` was read.
    """
    current = await context.storage.conversations.find_lean(header.scope)
    if current is None or current.epoch != header.epoch:
        raise GoneError(conversation_id=header.scope.conversation_id)
    return None if current.selected is None else current.selected.id


async def _withdraw(context: StoreContext, scope: Scope, tally: _Tally) -> None:
    """Take back what this import inserted, children first, so that what is left at any moment is a valid tree."""
    for key in reversed(tally.inserted):
        await context.storage.revisions.delete(scope, key)
    tally.stored = 0
