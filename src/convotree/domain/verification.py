"""Verification: every stored coordinate and digest derived anew from links and content, and compared.

Parents are the truth. Each revision is judged by what follows from its ancestors as they should be, so that one
damaged field is one violation and not one for each descendant. Iterative: any depth, bounded time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import pairwise

from convotree.domain.encoded import NO_CHAIN, chain_digest
from convotree.domain.generation import GenerationRecord
from convotree.domain.lanes import Forks, LaneRange, segment_of
from convotree.domain.limits import MAX_OPEN_TOOL_CALLS
from convotree.domain.message import Message
from convotree.domain.parts import ToolCallPart, ToolResultPart
from convotree.domain.planning import holds_summary, open_call, prefix_digest, prompt_key, tool_set_key
from convotree.domain.stored import AppendPoint, Header, LaneStart, Scope, StoredRevision
from convotree.identity import Key

__all__ = ["RevisionFacts", "Violation", "ViolationKind", "check_tree"]


class ViolationKind(Enum):
    """What is wrong."""

    UNREADABLE = "unreadable"
    WRONG_KEY = "wrong_key"
    MISSING_PARENT = "missing_parent"
    CYCLE = "cycle"
    WRONG_DEPTH = "wrong_depth"
    WRONG_LANE = "wrong_lane"
    WRONG_SEGMENT = "wrong_segment"
    WRONG_FORKS = "wrong_forks"
    WRONG_CONTEXT = "wrong_context"
    CHANGED_CONTENT = "changed_content"
    WRONG_CHAIN = "wrong_chain"
    WRONG_PREFIX = "wrong_prefix"
    WRONG_COUNTER = "wrong_counter"
    DUPLICATE_ORDINAL = "duplicate_ordinal"
    DANGLING_SELECTED_LEAF = "dangling_selected_leaf"
    WRONG_SELECTED_LEAF = "wrong_selected_leaf"
    MISSING_PROMPT = "missing_prompt"


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that does not fit. ``revision_id``: None where the header is concerned. ``detail``: what was found
    and what was expected; no content.
    """

    kind: ViolationKind
    revision_id: str | None
    detail: str


@dataclass(frozen=True, slots=True)
class RevisionFacts:
    """What is kept of a revision while its tree is checked: its coordinates and digests, not its content.

    ``content_intact``: the digest over its bytes is the one that was stored. ``tool_events``: per tool part in
    order, the call's id and whether it is a call (else a result).
    """

    point: AppendPoint
    parent_id: str | None
    parent_key: Key
    ordinal: int
    segment: str
    forks: Forks | None
    generation: GenerationRecord | None
    prefix: bytes | None
    element: bytes
    content_intact: bool
    tool_events: tuple[tuple[str, bool], ...]
    holds_summary: bool
    call_keys_fit: bool

    @classmethod
    def of(
        cls, revision: StoredRevision, *, segment: str, digest: bytes, call_keys: tuple[object, ...]
    ) -> RevisionFacts:
        """The facts of a stored revision. ``digest``, ``call_keys``: those that were stored with it."""
        return cls(
            point=revision.point,
            parent_id=revision.parent_id,
            parent_key=revision.parent_key,
            ordinal=revision.ordinal,
            segment=segment,
            forks=revision.forks,
            generation=revision.generation,
            prefix=revision.prefix,
            element=revision.encoded.element,
            content_intact=revision.encoded.digest == digest,
            tool_events=_tool_events(revision.encoded.message),
            holds_summary=holds_summary(revision.encoded.message),
            call_keys_fit=call_keys == revision.scope.call_keys(revision.encoded.message),
        )


def _tool_events(message: Message) -> tuple[tuple[str, bool], ...]:
    return tuple(
        (open_call(part.tool_call_id), isinstance(part, ToolCallPart))
        for part in message.parts
        if isinstance(part, (ToolCallPart, ToolResultPart))
    )


@dataclass(slots=True)
class _Tree:
    scope: Scope
    by_id: dict[str, RevisionFacts] = field(default_factory=dict)
    children: dict[str | None, list[RevisionFacts]] = field(default_factory=dict)
    starts: dict[Key, LaneStart] = field(default_factory=dict)
    """Lane starts as they should be, by key; filled on the way down."""


def check_tree(header: Header, revisions: Iterable[RevisionFacts]) -> list[Violation]:
    """All violations, in the order of the tree; empty if everything fits.

    A missing parent or selected leaf is reported as it looks here; the caller reads again whether it is there by
    now before it believes it, since others may write meanwhile.
    """
    tree = _Tree(header.scope)
    found: list[Violation] = []
    for one in revisions:
        if one.point.id in tree.by_id:  # links by id say nothing of it: it is left out of the tree
            found.append(
                Violation(ViolationKind.WRONG_KEY, one.point.id, "another revision of this id is stored too")
            )
            continue
        tree.by_id[one.point.id] = one
        tree.children.setdefault(one.parent_id, []).append(one)
    for siblings in tree.children.values():
        siblings.sort(key=lambda one: (one.ordinal, one.point.id))
        found += _check_ordinals(siblings)
    found += _walk(tree)
    found += _check_selected(header, tree)
    return found


def _check_ordinals(siblings: Sequence[RevisionFacts]) -> Iterator[Violation]:
    for one, other in pairwise(siblings):
        if one.ordinal == other.ordinal:
            yield Violation(
                ViolationKind.DUPLICATE_ORDINAL,
                other.point.id,
                f"ordinal {other.ordinal} is that of {one.point.id!r} too",
            )


def _walk(tree: _Tree) -> Iterator[Violation]:
    """From the roots down; then from revisions whose parent is missing, which are taken as they stand."""
    visited: set[str] = set()
    waiting: list[tuple[RevisionFacts, AppendPoint | None]] = [
        (one, None) for one in tree.children.get(None, ())
    ]
    waiting.reverse()
    yield from _descend(tree, waiting, visited)
    for parent_id, orphans in tree.children.items():
        if parent_id is None or parent_id in tree.by_id:
            continue
        for orphan in orphans:
            yield Violation(ViolationKind.MISSING_PARENT, orphan.point.id, f"no revision {parent_id!r}")
            visited.add(orphan.point.id)
            if orphan.forks is not None:
                tree.starts[orphan.point.key] = LaneStart(orphan.point.key, orphan.point.depth, orphan.forks)
            below = [(one, orphan.point) for one in reversed(tree.children.get(orphan.point.id, ()))]
            yield from _descend(tree, list(below), visited)
    yield from _cycles(tree, visited)


def _descend(
    tree: _Tree, waiting: list[tuple[RevisionFacts, AppendPoint | None]], visited: set[str]
) -> Iterator[Violation]:
    while waiting:
        one, parent = waiting.pop()
        visited.add(one.point.id)
        expected, forks = _derive(tree, one, parent)
        yield from _compare(tree.scope, one, parent, expected, forks)
        below = replace(expected, chain=one.point.chain) if not one.content_intact else expected
        waiting.extend((child, below) for child in reversed(tree.children.get(one.point.id, ())))


def _derive(tree: _Tree, one: RevisionFacts, parent: AppendPoint | None) -> tuple[AppendPoint, Forks | None]:
    """Coordinates as they follow from the parent; the forks of a lane start (None: it starts none, or its lane's
    own start is missing and they cannot be derived)."""
    scope = tree.scope
    key = scope.revision_key(one.point.id)
    forks: Forks | None = None
    if parent is None:
        forks = Forks()
    elif one.ordinal > 0:
        start = tree.starts.get(parent.lane_key)
        if start is not None:
            forks = start.forks.extended(start.key, LaneRange(parent.lane_key, start.depth, parent.depth))
    starts_lane = parent is None or one.ordinal > 0
    depth = 0 if parent is None else parent.depth + 1
    if forks is not None:
        tree.starts[key] = LaneStart(key, depth, forks)
    answered, prompt, tools = (
        (False, None, None) if parent is None else (parent.answered, parent.prompt_key, parent.tool_set_key)
    )
    if one.generation is not None:
        answered = True
        prompt = prompt_key(scope.tenant_id, one.generation.prompt_version)
        tools = tool_set_key(scope.tenant_id, one.generation.tool_set)
    summary_depth = None if parent is None else parent.summary_depth
    if one.holds_summary:
        summary_depth = depth
    open_calls = _open_calls(() if parent is None else parent.open_calls, one.tool_events)
    expected = AppendPoint(
        key=key,
        id=one.point.id,
        depth=depth,
        lane_key=key if starts_lane or parent is None else parent.lane_key,
        lane_id=one.point.id if starts_lane or parent is None else parent.lane_id,
        chain=chain_digest(NO_CHAIN if parent is None else parent.chain, one.element),
        answered=answered,
        prompt_key=prompt,
        tool_set_key=tools,
        summary_depth=summary_depth,
        open_calls=open_calls[-MAX_OPEN_TOOL_CALLS:],
        more_open_calls=(parent is not None and parent.more_open_calls)
        or len(open_calls) > MAX_OPEN_TOOL_CALLS,
    )
    return expected, forks


def _open_calls(above: Sequence[str], events: Sequence[tuple[str, bool]]) -> tuple[str, ...]:
    waiting = dict.fromkeys(above)
    for call_id, is_call in events:
        if is_call:
            waiting[call_id] = None
        else:
            waiting.pop(call_id, None)
    return tuple(waiting)


def _compare(
    scope: Scope, one: RevisionFacts, parent: AppendPoint | None, expected: AppendPoint, forks: Forks | None
) -> Iterator[Violation]:
    found = one.point
    kind = ViolationKind
    if not one.content_intact:
        yield Violation(kind.CHANGED_CONTENT, found.id, "the digest over its content is not the stored one")
    elif found.chain != expected.chain:
        yield Violation(kind.WRONG_CHAIN, found.id, "the chained digest does not follow from its parent's")
    if found.key != expected.key:
        yield Violation(kind.WRONG_KEY, found.id, f"key {found.key}, not {expected.key}")
    parent_key = scope.roots_key if parent is None else parent.key
    if one.parent_key != parent_key:
        yield Violation(kind.WRONG_KEY, found.id, f"parent key {one.parent_key}, not {parent_key}")
    if one.content_intact and not one.call_keys_fit:
        yield Violation(kind.WRONG_KEY, found.id, "the keys of its tool calls are not those of its content")
    if found.depth != expected.depth:
        yield Violation(kind.WRONG_DEPTH, found.id, f"depth {found.depth}, not {expected.depth}")
    if (found.lane_key, found.lane_id) != (expected.lane_key, expected.lane_id):
        yield Violation(kind.WRONG_LANE, found.id, f"lane {found.lane_id!r}, not {expected.lane_id!r}")
    segment = segment_of(expected.lane_key, expected.depth)
    if one.segment != segment:
        yield Violation(kind.WRONG_SEGMENT, found.id, f"segment {one.segment}, not {segment}")
    starts_lane = parent is None or one.ordinal > 0
    if (one.forks is None) == starts_lane or (forks is not None and one.forks != forks):
        yield Violation(
            kind.WRONG_FORKS, found.id, "the ranges that lead to its lane are not those of its ancestors"
        )
    if _context(found) != _context(expected):
        yield Violation(
            kind.WRONG_CONTEXT, found.id, "prompt, tools, summary or open tool calls of its path differ"
        )
    if one.generation is not None:
        above = NO_CHAIN if parent is None else parent.chain
        if one.prefix != prefix_digest(one.generation.prompt_version, one.generation.tool_set, above):
            yield Violation(kind.WRONG_PREFIX, found.id, "the digest of what it was generated from differs")


def _context(point: AppendPoint) -> tuple[object, ...]:
    return (
        point.answered,
        point.prompt_key,
        point.tool_set_key,
        point.summary_depth,
        point.open_calls,
        point.more_open_calls,
    )


def _cycles(tree: _Tree, visited: set[str]) -> Iterator[Violation]:
    """One violation for each cycle; what hangs below a cycle is not named again."""
    for start in tree.by_id:
        if start in visited:
            continue
        trail: dict[str, None] = {}
        at: str | None = start
        while at is not None and at not in visited and at not in trail:
            trail[at] = None
            at = tree.by_id[at].parent_id
        if at is not None and at in trail:
            ring = list(trail)[list(trail).index(at) :]
            named = ", ".join(repr(one) for one in ring[:8]) + (" …" if len(ring) > 8 else "")
            yield Violation(
                ViolationKind.CYCLE, min(ring), f"{len(ring)} revisions lead to each other: {named}"
            )
        visited.update(trail)


def _check_selected(header: Header, tree: _Tree) -> Iterator[Violation]:
    selected = header.selected
    if selected is None:
        return
    there: Mapping[str, RevisionFacts] = tree.by_id
    found = there.get(selected.id)
    if found is None:
        yield Violation(ViolationKind.DANGLING_SELECTED_LEAF, None, f"no revision {selected.id!r}")
    elif found.point != selected:
        yield Violation(
            ViolationKind.WRONG_SELECTED_LEAF,
            None,
            f"the coordinates kept of {selected.id!r} are not its own",
        )
