"""From a path to a request: the neutral step before any provider is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from convotree.domain.encoded import NO_CHAIN
from convotree.domain.message import Message, Role
from convotree.domain.planning import holds_summary, is_summary, prefix_digest
from convotree.domain.prompt import PromptVersion, ToolSet
from convotree.domain.revision import Revision
from convotree.errors import BudgetTooSmallError
from convotree.replay.budget import fitting_start, starts
from convotree.replay.note import Note
from convotree.replay.own_rules import COMPACTED, CUT_TO_BUDGET, GENERATED_UNDER
from convotree.replay.pairing import Pairing, late_results
from convotree.replay.prefix import Differs, PrefixBreak
from convotree.replay.request import Request
from convotree.replay.token_estimate import TokenCounter, instruction_tokens, message_tokens

__all__ = ["assemble_fitting_request", "assemble_request", "with_late_results"]


def assemble_request(
    path: Sequence[Revision],
    prompt: PromptVersion | None,
    tool_set: ToolSet | None,
    *,
    from_summary: bool = True,
) -> Request:
    """The request that ``path`` stands for under ``prompt`` and ``tool_set``.

    A path that does not begin at its root begins at a summary or is a window. ``from_summary``: a summary stands for
    what is before it in its own message as well. ``prefix_breaks`` of the request are the
    answers that were generated from anything else than what stands above them in it: what a provider binds to its
    prefix, such as signed reasoning, is not accepted again from the first of them on. Notes name those that were
    generated under another system prompt or other tools, and what a summary stands for.
    """
    prompt_version = None if prompt is None else prompt.id
    tools = None if tool_set is None else tool_set.id
    breaks = tuple(_prefix_breaks(path, prompt_version, tools))
    messages = tuple(revision.message for revision in path)
    if from_summary and messages:
        messages = (_from_summary(messages[0]), *messages[1:])
    return Request(
        system=None if prompt is None else prompt.system,
        tools=() if tool_set is None else tool_set.tools,
        messages=messages,
        revision_ids=tuple(revision.id for revision in path),
        notes=(*_compacted(path), *_generated_under(path, breaks)),
        generations=tuple(revision.generation for revision in path),
        prefix_breaks=breaks,
        prompt_version=prompt_version,
        tool_set=tools,
    )


def with_late_results(request: Request, pairing: Pairing) -> Request:
    """``request``, with a break at each answer that was given before a result that now stands above it."""
    # How many late results each message did not know of: one pass over the intervals.
    changes = [0] * (len(request.messages) + 1)
    for first, brought in late_results(pairing):
        changes[first] += 1
        changes[brought] -= 1
    breaks = {one.index: one for one in request.prefix_breaks}
    unknown = 0
    for index, message in enumerate(request.messages):
        unknown += changes[index]
        if unknown and message.role is Role.ASSISTANT:
            known = breaks[index].differs if index in breaks else ()
            if Differs.MESSAGES not in known:
                breaks[index] = PrefixBreak(index, (*known, Differs.MESSAGES))
    if len(breaks) == len(request.prefix_breaks) and not any(changes):
        return request
    return replace(request, prefix_breaks=tuple(breaks[index] for index in sorted(breaks)))


def assemble_fitting_request(
    path: Sequence[Revision],
    prompt: PromptVersion | None,
    tool_set: ToolSet | None,
    *,
    budget: int,
    count: TokenCounter,
    whole: bool,
    window: bool,
    from_summary: bool,
    called_above: Set[str],
) -> Request:
    """The request of the longest end of ``path`` that fits into ``budget`` tokens with system prompt and tools.

    ``path`` must hold all that fits, or be ``whole``, with nothing above it that a request could hold, or all of the
    ``window`` that was asked for. ``called_above``: ids of tool calls above it.

    Raises:
        BudgetTooSmallError: if not even the last turn fits.
    """
    messages = [revision.message for revision in path]
    instructions = instruction_tokens(
        None if prompt is None else prompt.system, () if tool_set is None else tool_set.tools, count
    )
    tokens = [message_tokens(message, count) for message in messages]
    root = whole or window
    left = budget - instructions
    start = fitting_start(messages, tokens, left, root=root, called_above=called_above)
    if start is None and messages:
        possible = starts(messages, root=root, called_above=called_above)
        shortest = max((at for at, can in enumerate(possible) if can), default=0)
        raise BudgetTooSmallError(budget=budget, needed=instructions + sum(tokens[shortest:]))
    if instructions > budget:
        raise BudgetTooSmallError(budget=budget, needed=instructions)
    request = assemble_request(path[start:], prompt, tool_set, from_summary=from_summary)
    if not path or start is None or (start == 0 and root):
        return request
    # Of a window the rest is not left out for want of tokens.
    left_out = start if window else path[start].depth
    reason = f"the request starts here; {left_out} messages above it are left out, for {budget} tokens"
    return replace(
        request, notes=(Note("messages[0]", CUT_TO_BUDGET, reason, path[start].id), *request.notes)
    )


def _prefix_breaks(
    path: Sequence[Revision], prompt_version: str | None, tool_set: str | None
) -> Iterator[PrefixBreak]:
    above = NO_CHAIN
    first = path[0] if path else None
    # What stands for the beginning of this request, and what an answer that does not say began with by default.
    same = {first.id} if first is not None else set()
    default = first.id if first is not None and (first.depth == 0 or holds_summary(first.message)) else None
    for index, revision in enumerate(path):
        record = revision.generation
        if record is not None:
            differs = []
            if record.prompt_version != prompt_version:
                differs.append(Differs.SYSTEM)
            if record.tool_set != tool_set:
                differs.append(Differs.TOOLS)
            # An answer that itself holds the summary was made from what is above it, and may stand without.
            begins_elsewhere = (record.first_revision or default) not in same and not (
                index == 0 and holds_summary(revision.message)
            )
            if begins_elsewhere or (
                revision.prefix is not None
                and (index > 0 or revision.depth == 0)
                and revision.prefix != prefix_digest(record.prompt_version, record.tool_set, above)
            ):
                differs.append(Differs.MESSAGES)
            if differs:
                yield PrefixBreak(index, tuple(differs))
        if holds_summary(revision.message):
            default = revision.id
            if revision.message.role is Role.ASSISTANT:
                # A provider ignores what stands above a summary of its own.
                same.add(revision.id)
        above = revision.chain


def _from_summary(message: Message) -> Message:
    """The message from its newest summary on, if it holds one."""
    starts_at = max((number for number, part in enumerate(message.parts) if is_summary(part)), default=0)
    return replace(message, parts=message.parts[starts_at:]) if starts_at else message


def _compacted(path: Sequence[Revision]) -> Iterator[Note]:
    if path and path[0].depth > 0 and holds_summary(path[0].message):
        yield Note(
            "messages[0]",
            COMPACTED,
            f"the request starts at this summary; {path[0].depth} messages above it are left out",
            path[0].id,
        )


_NAMES = {Differs.SYSTEM: "system prompt", Differs.TOOLS: "tools"}


def _generated_under(path: Sequence[Revision], breaks: Sequence[PrefixBreak]) -> Iterator[Note]:
    for one in breaks:
        differing = [_NAMES[what] for what in one.differs if what in _NAMES]
        if differing:
            yield Note(
                f"messages[{one.index}]",
                GENERATED_UNDER,
                f"generated under another {' and other '.join(differing)}",
                path[one.index].id,
            )
