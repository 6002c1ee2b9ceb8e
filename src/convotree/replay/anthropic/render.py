"""From a request to a body of Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from convotree.domain.exact_json import ExactJson, split_object
from convotree.domain.message import Role
from convotree.domain.parts import OpaquePart, Part, TextPart
from convotree.domain.prompt import SystemPrompt, Tool
from convotree.replay.anthropic.block_members import BLOCK_MEMBERS
from convotree.replay.anthropic.blocks import Block, BlockWriter
from convotree.replay.anthropic.models import facts_of
from convotree.replay.anthropic.repairs import refuse_rejected, repair
from convotree.replay.anthropic.system_messages import SYSTEM_PLACE, as_user_messages
from convotree.replay.anthropic.target import NAME, TARGET
from convotree.replay.anthropic.wire import Wire, WireMessage
from convotree.replay.exact_text import write_exact
from convotree.replay.foreign_members import note_foreign_members
from convotree.replay.notebook import SYSTEM, TOOLS, WHOLE, Notebook, Place
from convotree.replay.origin import Origin
from convotree.replay.own_rules import FOREIGN_PART
from convotree.replay.pairing import tool_loop_start
from convotree.replay.params import merged_params
from convotree.replay.policy import (
    BlankText,
    CacheMarkers,
    DeveloperMessages,
    RenderPolicy,
    Turns,
    Unacceptable,
    Unsupported,
)
from convotree.replay.provider_data import Members, members_for
from convotree.replay.rendered import Rendered
from convotree.replay.turn import Turn
from convotree.replay.turns import turns_of

if TYPE_CHECKING:
    from convotree.replay.request import Request

__all__ = ["build_wire", "render"]

_RESERVED: Final = frozenset({"messages", "system", "tools"})
_MOST_MARKERS: Final = 4
_NO_ARGUMENTS: Final = ExactJson.stored('{"type":"object"}')


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
        refuse_rejected(wire, policy, notebook)
    text = write_exact(wire.tree())
    return Rendered(text, notebook.notes())


def build_wire(
    request: Request, *, model: str, params: dict[str, ExactJson], policy: RenderPolicy, notebook: Notebook
) -> Wire:
    """The body as a tree, before it becomes text."""
    note_foreign_members(request, NAME, notebook)
    writer = BlockWriter(policy, notebook)
    tools = _tools(request.tools, writer, policy, notebook)
    system = _system(request.system, writer, policy)
    turns = turns_of(
        request.messages,
        TARGET,
        model=model,
        policy=policy,
        notebook=notebook,
        prefix_breaks=request.prefix_breaks,
        needed_from=tool_loop_start(request.messages) if _thinks_by_hand(model, params) else None,
    )
    messages = [message for turn in turns if (message := _message(turn, writer, policy, notebook))]
    if policy.developer_messages is not DeveloperMessages.AS_STORED:
        as_user_messages(messages, notebook, taken=facts_of(model).system_messages)
    if policy.turns is Turns.MERGED:
        messages = _merged(messages)
    if policy.cache_markers is CacheMarkers.TRIM:
        _trim_markers(writer, "cache_control" in params, notebook)
    wire = Wire(model, params, system, tools, messages)
    if policy.unacceptable is Unacceptable.REFUSE:
        repair(wire, policy, notebook)
    return wire


def _thinks_by_hand(model: str, params: dict[str, ExactJson]) -> bool:
    """Whether thinking is asked for with a budget, so that a tool loop must begin with it (rule A17). No model that
    takes it rejects thinking of another prefix by default.
    """
    if "thinking" not in params or facts_of(model).manual_thinking is False:
        return False
    thinking = params["thinking"].value
    return isinstance(thinking, dict) and thinking.get("type") == "enabled"


def _system(
    system: SystemPrompt | None, writer: BlockWriter, policy: RenderPolicy
) -> str | list[Block] | None:
    if system is None or isinstance(system, str):
        return system
    taken: list[Part] = []
    places: list[Place] = []
    for number, part in enumerate(system):
        # Rule A24: text is all that a system prompt may hold; of unknown blocks of its own the provider knows best.
        unknown = isinstance(part, OpaquePart) and part.kind not in BLOCK_MEMBERS
        if isinstance(part, TextPart) or unknown or policy.unacceptable is Unacceptable.AS_STORED:
            taken.append(part)
            places.append((SYSTEM, number))
        else:
            writer.no_form((SYSTEM, number), f"{type(part).__name__} in a system prompt")
    blocks, _ = writer.blocks(taken, places, Origin.OWN)
    return blocks or None


def _tools(
    tools: tuple[Tool, ...], writer: BlockWriter, policy: RenderPolicy, notebook: Notebook
) -> list[Block]:
    written: list[Block] = []
    for number, tool in enumerate(tools):
        if tool.definition is not None and tool.provider != NAME:
            reason = f"tool {tool.name!r} is defined by {tool.provider or 'no named provider'}"
            if policy.unsupported is Unsupported.REFUSE:
                notebook.refuse((TOOLS, number), FOREIGN_PART, reason, by=Unsupported.REFUSE)
            notebook.add((TOOLS, number), FOREIGN_PART, f"{reason}; it is left out")
            continue
        if (
            tool.input_schema is not None
            and not tool.input_schema.is_object
            and policy.unacceptable is Unacceptable.REFUSE
        ):
            notebook.refuse(
                (TOOLS, number),
                "A24",
                "the schema is no object",
                inside=".input_schema",
                by=Unacceptable.REFUSE,
            )
        written.append(block := _tool(tool))
        if tool.cache_marker is not None:
            block["cache_control"] = tool.cache_marker
            writer.markers.append(((TOOLS, number), block))
    return written


def _tool(tool: Tool) -> Block:
    if tool.definition is not None:
        return {key: ExactJson.stored(text) for key, text in split_object(tool.definition.text).items()}
    block: Block = {"name": tool.name}
    if tool.description is not None:
        block["description"] = tool.description
    block["input_schema"] = _NO_ARGUMENTS if tool.input_schema is None else tool.input_schema
    for key, value in members_for(tool.provider_data, NAME).items():
        block.setdefault(key, value)
    return block


def _message(turn: Turn, writer: BlockWriter, policy: RenderPolicy, notebook: Notebook) -> WireMessage | None:
    message = turn.message
    whole = (turn.index, WHOLE)
    if (
        message is not None
        and message.as_string
        and turn.places is None
        and message.provider_data is None
        and (turn.role is Role.USER or turn.role is Role.ASSISTANT)
        and len(turn.parts) == 1
    ):
        # A bare text of user or model, the commonest by far in long chats.
        part = turn.parts[0]
        if type(part) is TextPart and _is_bare(part) and part.text and not part.text.isspace():
            return WireMessage(turn.role.value, part.text, [(turn.index, 0)], whole)
    extra: Members = {}
    if message is not None and message.provider_data is not None:
        extra = members_for(message.provider_data, NAME)
    role = _role(turn, extra, policy, notebook)
    if turn.whole and message is not None and message.as_string and len(turn.parts) == 1:
        part = turn.parts[0]
        if type(part) is TextPart and _is_bare(part):
            if writer.is_blank(part.text, (turn.index, 0)):
                _leave_out_empty(turn, policy, notebook)
                return None
            return WireMessage(role, part.text, [(turn.index, 0)], whole, extra)
    blocks, places = writer.blocks(turn.parts, turn.all_places(), turn.origin)
    if not blocks and not extra and policy.blank_text is not BlankText.AS_STORED:
        _leave_out_empty(turn, policy, notebook)
        return None
    return WireMessage(role, blocks, places, whole, extra)


def _is_bare(part: TextPart) -> bool:
    return part.citations is None and part.provider_data is None and part.cache_marker is None


def _leave_out_empty(turn: Turn, policy: RenderPolicy, notebook: Notebook) -> None:
    place = (turn.index, WHOLE)
    if policy.blank_text is BlankText.REFUSE:
        notebook.refuse(place, "A14", "the message has no content", by=BlankText.REFUSE)
    notebook.add(place, "A14", "a message without content is left out")


def _role(turn: Turn, extra: Members, policy: RenderPolicy, notebook: Notebook) -> str:
    own = extra.pop("role", None)
    if turn.role is Role.ASSISTANT:
        return "assistant"
    if turn.role is not Role.DEVELOPER:
        return "user"
    came_as_system = own is not None and own.text == '"system"'
    if came_as_system or policy.developer_messages is DeveloperMessages.AS_SYSTEM:
        return "system"
    notebook.add((turn.index, WHOLE), SYSTEM_PLACE, "the developer's message is sent as the user's")
    return "user"


def _merged(messages: list[WireMessage]) -> list[WireMessage]:
    merged: list[WireMessage] = []
    for message in messages:
        last = merged[-1] if merged else None
        if last is None or last.role != message.role or message.role == "system":
            merged.append(message)
            continue
        last.content = [*_as_blocks(last.content), *_as_blocks(message.content)]
        last.places = [*last.places, *message.places]
        last.extra.update(message.extra)
    return merged


def _as_blocks(content: str | list[Block]) -> list[Block]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _trim_markers(writer: BlockWriter, automatic: bool, notebook: Notebook) -> None:
    """Rule A22. The newest marker covers the longest prefix, and those of system and tools serve every request."""
    excess = len(writer.markers) + automatic - _MOST_MARKERS
    if excess <= 0:
        return
    for place, block in sorted(writer.markers, key=lambda marker: marker[0][0] < 0)[:excess]:
        del block["cache_control"]
        notebook.add(place, "A22", f"the cache marker is left out: {_MOST_MARKERS} are allowed")
