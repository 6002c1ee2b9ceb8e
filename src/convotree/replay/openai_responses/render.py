"""From a request to a body of OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from convotree.domain.exact_json import ExactJson
from convotree.replay.exact_text import write_exact
from convotree.replay.foreign_members import note_foreign_members
from convotree.replay.notebook import Notebook
from convotree.replay.openai_responses.content import ContentWriter
from convotree.replay.openai_responses.instructions import system_items
from convotree.replay.openai_responses.item_ids import settle_ids
from convotree.replay.openai_responses.items import ItemWriter, came_as_input
from convotree.replay.openai_responses.repairs import leave_out_items, refuse_rejected, repair_items
from convotree.replay.openai_responses.settings import Settings
from convotree.replay.openai_responses.target import NAME, STORING_TARGET, TARGET
from convotree.replay.openai_responses.tools import write_tools
from convotree.replay.openai_responses.wire import Wire, WireItem
from convotree.replay.params import merged_params
from convotree.replay.policy import RenderPolicy, Unacceptable, UnmatchedResults
from convotree.replay.rendered import Rendered
from convotree.replay.turns import turns_of

if TYPE_CHECKING:
    from convotree.replay.request import Request

__all__ = ["build_wire", "render"]

_RESERVED: Final = frozenset({"input", "tools", "instructions"})


def render(
    request: Request, *, model: str, params: Mapping[str, Any] | ExactJson | None, policy: RenderPolicy
) -> Rendered:
    """The body for ``model``, with a note for everything that was changed."""
    notebook = Notebook(NAME, request.revision_ids)
    wire = build_wire(
        request,
        model=model,
        params=merged_params(params, model=model, reserved=_RESERVED),
        policy=policy,
        notebook=notebook,
    )
    text = write_exact(wire.tree())
    return Rendered(text, notebook.notes())


def build_wire(
    request: Request, *, model: str, params: dict[str, ExactJson], policy: RenderPolicy, notebook: Notebook
) -> Wire:
    """The body as a tree, before it becomes text."""
    settings = Settings.of(params)
    if settings.continues and policy.unmatched_results is UnmatchedResults.LEAVE_OUT:
        # The calls may be where the provider keeps the conversation (rule R4).
        policy = replace(policy, unmatched_results=UnmatchedResults.AS_STORED)
    note_foreign_members(request, NAME, notebook)
    content = ContentWriter(policy, notebook)
    items: list[WireItem] = []
    instructions = None
    if isinstance(request.system, str):
        instructions = request.system
    elif request.system is not None:
        items.extend(system_items(request.system, content))
    writer = ItemWriter(content, model, policy, notebook)
    target = STORING_TARGET if settings.stores else TARGET
    for turn in turns_of(request.messages, target, model=model, policy=policy, notebook=notebook):
        items.extend(writer.items(turn))
    content.note_markers()
    if policy.unacceptable is Unacceptable.REFUSE:
        items = _answered(items, writer.unanswered, content)
        items = leave_out_items(items, settings, policy, notebook)
        items = settle_ids(items, request.messages, notebook)
    tools = write_tools(request.tools, policy, notebook)
    wire = Wire(model, params, instructions, tools, items, _as_input(request))
    repair_items(wire, policy, notebook)
    if policy.unacceptable is Unacceptable.REFUSE:
        refuse_rejected(wire, settings, notebook)
    return wire


def _answered(items: list[WireItem], unanswered: set[str], content: ContentWriter) -> list[WireItem]:
    """The items without calls whose result has no form here."""
    if not unanswered:
        return items
    kept: list[WireItem] = []
    for item in items:
        if item.call in unanswered:
            content.leave_out(item.place, "R3", f"no result of the {item.kind} can be sent")
        else:
            kept.append(item)
    return kept


def _as_input(request: Request) -> bool:
    return len(request.messages) == 1 and came_as_input(request.messages[0])
