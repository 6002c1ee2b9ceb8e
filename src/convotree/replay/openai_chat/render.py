"""From a request to a body of OpenAI's Chat Completions API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from convotree.domain.exact_json import ExactJson, split_object
from convotree.domain.prompt import Tool
from convotree.replay.exact_text import write_exact
from convotree.replay.foreign_members import note_foreign_members
from convotree.replay.notebook import TOOLS, Notebook
from convotree.replay.openai_chat.content import ContentWriter
from convotree.replay.openai_chat.instructions import InstructionRoles, system_messages
from convotree.replay.openai_chat.messages import MessageWriter
from convotree.replay.openai_chat.repairs import refuse_rejected, repair
from convotree.replay.openai_chat.target import NAME, TARGET
from convotree.replay.openai_chat.wire import Wire, WireMessage
from convotree.replay.own_rules import FOREIGN_PART
from convotree.replay.params import merged_params
from convotree.replay.policy import RenderPolicy, Turns, Unacceptable, Unsupported
from convotree.replay.provider_data import members_for
from convotree.replay.rendered import Rendered
from convotree.replay.turns import turns_of

if TYPE_CHECKING:
    from convotree.replay.request import Request

__all__ = ["build_wire", "render"]

_RESERVED: Final = frozenset({"messages", "tools"})


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
    if policy.unacceptable is Unacceptable.REFUSE:
        repair(wire, notebook)
        refuse_rejected(wire, notebook)
    text = write_exact(wire.tree())
    return Rendered(text, notebook.notes())


def build_wire(
    request: Request, *, model: str, params: dict[str, ExactJson], policy: RenderPolicy, notebook: Notebook
) -> Wire:
    """The body as a tree, before it becomes text."""
    note_foreign_members(request, NAME, notebook)
    content = ContentWriter(policy, notebook)
    roles = InstructionRoles(model, policy, notebook)
    messages = system_messages(request.system, content, roles)
    writer = MessageWriter(content, roles, policy, notebook)
    for turn in turns_of(request.messages, TARGET, model=model, policy=policy, notebook=notebook):
        messages.extend(writer.messages(turn))
    content.note_markers()
    if policy.turns is Turns.MERGED:
        messages = _merged(messages)
    return Wire(model, params, _tools(request.tools, policy, notebook), messages)


def _merged(messages: list[WireMessage]) -> list[WireMessage]:
    """Neighbours of one role as one message, where they are nothing but what was said and called."""
    merged: list[WireMessage] = []
    for message in messages:
        last = merged[-1] if merged else None
        if last is None or not _are_one(last, message):
            merged.append(message)
            continue
        content = [*_pieces_of(last), *_pieces_of(message)]
        last.body = {**last.body, **message.body, "content": content or None}
        last.places = [*last.places, *message.places]
        last.calls = [*last.calls, *message.calls]
    return merged


def _are_one(last: WireMessage, message: WireMessage) -> bool:
    role = message.body["role"]
    if role not in ("user", "assistant") or role != last.body["role"] or "tool_calls" in last.body:
        return False
    return last.body.keys() | message.body.keys() <= {"role", "content", "tool_calls"}


def _pieces_of(message: WireMessage) -> list[Any]:
    content = message.body["content"]
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content or ())


def _tools(tools: tuple[Tool, ...], policy: RenderPolicy, notebook: Notebook) -> list[dict[str, Any]]:
    written: list[dict[str, Any]] = []
    for number, tool in enumerate(tools):
        if tool.definition is None:
            written.append(_function(tool))
        elif tool.provider == NAME:
            written.append(
                {key: ExactJson.stored(text) for key, text in split_object(tool.definition.text).items()}
            )
        else:
            reason = f"tool {tool.name!r} is defined by {tool.provider or 'no named provider'}"
            if policy.unsupported is Unsupported.REFUSE:
                notebook.refuse((TOOLS, number), FOREIGN_PART, reason, by=Unsupported.REFUSE)
            notebook.add((TOOLS, number), FOREIGN_PART, f"{reason}; it is left out")
    return written


def _function(tool: Tool) -> dict[str, Any]:
    function: dict[str, Any] = {"name": tool.name}
    if tool.description is not None:
        function["description"] = tool.description
    if tool.input_schema is not None:
        function["parameters"] = tool.input_schema
    written: dict[str, Any] = {"type": "function", "function": function}
    for key, value in members_for(tool.provider_data, NAME).items():
        if key == "function":
            for name, text in split_object(value.text).items():
                function.setdefault(name, ExactJson.stored(text))
        else:
            written.setdefault(key, value)
    return written
