"""From a path to a request: the neutral step before any provider is chosen."""

from __future__ import annotations

from collections.abc import Sequence

from convotree.domain.prompt import PromptVersion, ToolSet
from convotree.domain.revision import Revision
from convotree.replay.note import Note
from convotree.replay.own_rules import GENERATED_UNDER
from convotree.replay.request import Request

__all__ = ["assemble_request"]


def assemble_request(
    path: Sequence[Revision], prompt: PromptVersion | None, tool_set: ToolSet | None
) -> Request:
    """The request that ``path`` (complete, root first) stands for under ``prompt`` and ``tool_set``.

    Notes name the answers that were generated under another system prompt or other tools: what a provider binds to
    its prefix, such as signed reasoning, may not be accepted again from there on.
    """
    prompt_version = None if prompt is None else prompt.id
    tools = None if tool_set is None else tool_set.id
    notes: list[Note] = []
    for index, revision in enumerate(path):
        record = revision.generation
        if record is None:
            continue
        differing = [
            name
            for name, then, now in (
                ("system prompt", record.prompt_version, prompt_version),
                ("tools", record.tool_set, tools),
            )
            if then != now
        ]
        if differing:
            notes.append(
                Note(
                    place=f"messages[{index}]",
                    rule=GENERATED_UNDER,
                    reason=f"generated under another {' and other '.join(differing)}",
                    revision_id=revision.id,
                )
            )
    return Request(
        system=None if prompt is None else prompt.system,
        tools=() if tool_set is None else tool_set.tools,
        messages=tuple(revision.message for revision in path),
        revision_ids=tuple(revision.id for revision in path),
        notes=tuple(notes),
    )
