"""From a request to a body of Google's ``generateContent``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from convotree.domain.exact_json import ExactJson
from convotree.replay.exact_text import write_exact
from convotree.replay.foreign_members import note_foreign_members
from convotree.replay.gemini.contents import ContentWriter
from convotree.replay.gemini.ingest import INSTRUCTION
from convotree.replay.gemini.instructions import system_instruction
from convotree.replay.gemini.models import Generation, generation_of
from convotree.replay.gemini.parts import PartWriter
from convotree.replay.gemini.responses import ResponseWriter
from convotree.replay.gemini.signatures import Signatures
from convotree.replay.gemini.spelling import snake_of
from convotree.replay.gemini.target import NAME, target_for
from convotree.replay.gemini.tools import write_tools
from convotree.replay.gemini.wire import Wire, WireContent
from convotree.replay.gemini.writing import Writing
from convotree.replay.notebook import WHOLE, Notebook
from convotree.replay.params import merged_params
from convotree.replay.policy import HostedOrphans, RenderPolicy, Turns, Unacceptable
from convotree.replay.rendered import Rendered
from convotree.replay.turns import turns_of

if TYPE_CHECKING:
    from convotree.replay.request import Request

__all__ = ["build_wire", "render"]

_RESERVED: Final = frozenset({"contents", "tools", INSTRUCTION, snake_of(INSTRUCTION)})


def render(
    request: Request, *, model: str, params: Mapping[str, Any] | ExactJson | None, policy: RenderPolicy
) -> Rendered:
    """The body for ``model``, which goes into the URL and not into the body; a note for everything that was changed."""
    notebook = Notebook(NAME, request.revision_ids)
    wire = build_wire(
        request,
        model=model,
        params=merged_params(params, model=model, reserved=_RESERVED),
        policy=policy,
        notebook=notebook,
    )
    if not wire.contents and policy.unacceptable is Unacceptable.REFUSE:
        notebook.refuse((0, WHOLE), "G1", "there is no content", by=Unacceptable.REFUSE)
    text = write_exact(wire.tree())
    return Rendered(text, notebook.notes())


def build_wire(
    request: Request, *, model: str, params: dict[str, ExactJson], policy: RenderPolicy, notebook: Notebook
) -> Wire:
    """The body as a tree, before it becomes text."""
    note_foreign_members(request, NAME, notebook, takes_signatures=True)
    writing = Writing(policy, notebook)
    signatures = Signatures(model, policy, notebook)
    turns = turns_of(
        request.messages,
        target_for(model),
        model=model,
        # No rule is known that asks for both halves: what came alone goes back alone.
        policy=replace(policy, hosted_orphans=HostedOrphans.AS_STORED),
        notebook=notebook,
    )
    responses = ResponseWriter(writing, media=generation_of(model) is not Generation.EARLIER)
    parts = PartWriter(writing, signatures, responses)
    instruction = system_instruction(request.system, request.messages, parts, writing)
    writer = ContentWriter(writing, parts, responses)
    contents = [content for turn in turns for content in writer.contents(turn)]
    writer.open_with_user(contents)
    if policy.turns is Turns.MERGED:
        contents = _merged(contents)
    signatures.sign(contents)
    tools = write_tools(request.tools, writing)
    writing.note_markers()
    return Wire(model, params, instruction, tools, contents)


def _merged(contents: list[WireContent]) -> list[WireContent]:
    """Contents of one speaker as one, but function responses, which stand alone (rule G13)."""
    merged: list[WireContent] = []
    for content in contents:
        last = merged[-1] if merged else None
        if last is None or last.speaker != content.speaker or last.responds is not content.responds:
            merged.append(content)
            continue
        last.parts = [*last.parts, *content.parts]
        last.extra.update(content.extra)
    return merged
