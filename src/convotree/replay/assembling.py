"""From a path to a request: the neutral step before any provider is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from convotree.domain.encoded import NO_CHAIN
from convotree.domain.planning import holds_summary, prefix_digest
from convotree.domain.prompt import PromptVersion, ToolSet
from convotree.domain.revision import Revision
from convotree.errors import BudgetTooSmallError
from convotree.replay.budget import fitting_start, starts
from convotree.replay.note import Note
from convotree.replay.own_rules import COMPACTED, CUT_TO_BUDGET, GENERATED_UNDER
from convotree.replay.prefix import Differs, PrefixBreak
from convotree.replay.request import Request
from convotree.replay.token_estimate import TokenCounter, instruction_tokens, message_tokens

__all__ = ["assemble_fitting_request", "assemble_request"]


def assemble_request(
    path: Sequence[Revision], prompt: PromptVersion | None, tool_set: ToolSet | None
) -> Request:
    """The request that ``path`` stands for under ``prompt`` and ``tool_set``.

    A path that does not begin at its root begins at a summary or is a window. ``prefix_breaks`` of the request are the
    answers that were generated from anything else than what stands above them in it: what a provider binds to its
    prefix, such as signed reasoning, is not accepted again from the first of them on. Notes name those that were
    generated under another system prompt or other tools, and what a summary stands for.
    """
    prompt_version = None if prompt is None else prompt.id
    tools = None if tool_set is None else tool_set.id
    breaks = tuple(_prefix_breaks(path, prompt_version, tools))
    return Request(
        system=None if prompt is None else prompt.system,
        tools=() if tool_set is None else tool_set.tools,
        messages=tuple(revision.message for revision in path),
        revision_ids=tuple(revision.id for revision in path),
        notes=(*_compacted(path), *_generated_under(path, breaks)),
        generations=tuple(revision.generation for revision in path),
        prefix_breaks=breaks,
    )


def assemble_fitting_request(
    path: Sequence[Revision],
    prompt: PromptVersion | None,
    tool_set: ToolSet | None,
    *,
    budget: int,
    count: TokenCounter,
    whole: bool,
) -> Request:
    """The request of the longest end of ``path`` that fits into ``budget`` tokens with system prompt and tools.

    ``path`` must hold all that fits, or be ``whole``: with nothing above it that a request could hold.

    Raises:
        BudgetTooSmallError: if not even the last turn fits.
    """
    messages = [revision.message for revision in path]
    instructions = instruction_tokens(
        None if prompt is None else prompt.system, () if tool_set is None else tool_set.tools, count
    )
    tokens = [message_tokens(message, count) for message in messages]
    start = fitting_start(messages, tokens, budget - instructions, root=whole)
    if start is None and messages:
        shortest = max((at for at, can in enumerate(starts(messages, root=whole)) if can), default=0)
        raise BudgetTooSmallError(budget=budget, needed=instructions + sum(tokens[shortest:]))
    if instructions > budget:
        raise BudgetTooSmallError(budget=budget, needed=instructions)
    request = assemble_request(path[start:], prompt, tool_set)
    left_out = path[start].depth if path and start is not None else 0
    if not left_out or (start == 0 and whole):
        return request
    reason = f"the request starts here; {left_out} messages above it are left out, for {budget} tokens"
    return replace(
        request, notes=(Note("messages[0]", CUT_TO_BUDGET, reason, path[start or 0].id), *request.notes)
    )


def _prefix_breaks(
    path: Sequence[Revision], prompt_version: str | None, tool_set: str | None
) -> Iterator[PrefixBreak]:
    above = NO_CHAIN
    # What was generated below a summary was generated from it; a window leaves out what every answer was made from.
    cut = bool(path) and path[0].depth > 0 and not holds_summary(path[0].message)
    for index, revision in enumerate(path):
        record = revision.generation
        if record is not None:
            differs = []
            if record.prompt_version != prompt_version:
                differs.append(Differs.SYSTEM)
            if record.tool_set != tool_set:
                differs.append(Differs.TOOLS)
            if cut or (
                revision.prefix is not None
                and (index > 0 or revision.depth == 0)
                and revision.prefix != prefix_digest(record.prompt_version, record.tool_set, above)
            ):
                differs.append(Differs.MESSAGES)
            if differs:
                yield PrefixBreak(index, tuple(differs))
        above = revision.chain


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
