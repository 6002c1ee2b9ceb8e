"""Blocks and messages that Anthropic would not take and that can go: nothing else of the request needs them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from convotree.replay.anthropic.block_members import ANSWERS_ONLY
from convotree.replay.anthropic.blocks import Block
from convotree.replay.anthropic.declared_tools import Undeclared, undeclared_blocks
from convotree.replay.anthropic.message_checks import begins_answer
from convotree.replay.anthropic.models import facts_of
from convotree.replay.anthropic.pending_calls import undeclared_pending_calls
from convotree.replay.anthropic.wire import Wire
from convotree.replay.notebook import Notebook
from convotree.replay.own_rules import WRONG_ROLE
from convotree.replay.policy import HostedOrphans, RenderPolicy, Unsupported

__all__ = [
    "leave_out_answers_blocks",
    "leave_out_last_answer",
    "leave_out_late_summaries",
    "leave_out_pending",
    "leave_out_undeclared",
]


def leave_out_late_summaries(wire: Wire, notebook: Notebook) -> None:
    """Rule A20: a summary stands first. Below the messages that it stands for it says nothing new."""
    gone = {
        (index, number): "a summary below what it stands for is left out"
        for index, number, block in _all_blocks(wire)
        if block["type"] == "compaction" and block.get("content") is not None and (index, number) != (0, 0)
    }
    _leave_out(wire, "A20", gone, notebook)


def leave_out_undeclared(wire: Wire, policy: RenderPolicy, notebook: Notebook) -> None:
    """Rule A10: what speaks of a tool that the request does not declare.

    Raises:
        UnreplayableError: if the policy refuses to leave it out.
    """
    gone: dict[tuple[int, int], str] = {}
    references: dict[tuple[int, int], set[int]] = {}
    calls: dict[str, str] = {}
    for one in undeclared_blocks(wire):
        message = wire.messages[one.message]
        if one.of_advisor and policy.hosted_orphans is HostedOrphans.AS_STORED:
            continue
        inside = "" if one.inner is None else f".content[{one.inner}]"
        if _refused(one, policy):
            notebook.refuse(
                message.places[one.number],
                "A10",
                one.reason,
                inside=inside,
                by=HostedOrphans.REFUSE if one.of_advisor else Unsupported.REFUSE,
            )
        reason = f"{one.reason}; it is left out"
        if one.inner is None:
            gone[one.message, one.number] = reason
            if one.of_advisor:
                block = message.content[one.number]
                calls[block["id"]] = reason  # type: ignore[index]  # a hosted call
        else:
            references.setdefault((one.message, one.number), set()).add(one.inner)
            notebook.add(message.places[one.number], "A10", reason, inside=inside)
    for (index, number), inner in references.items():
        _leave_out_inner(wire.messages[index].content[number], inner)  # type: ignore[arg-type]  # a tool result
    if calls:
        gone.update(
            ((index, number), calls[block["tool_use_id"]])
            for index, number, block in _all_blocks(wire)
            if block["type"] == "advisor_tool_result" and block["tool_use_id"] in calls
        )
    _leave_out(wire, "A10", gone, notebook)


def leave_out_pending(wire: Wire, policy: RenderPolicy, notebook: Notebook) -> None:
    """Rule A10: hosted calls at the end whose tool is not declared, so that the provider cannot go on with them.

    Raises:
        UnreplayableError: if the policy refuses to leave them out.
    """
    if policy.hosted_orphans is HostedOrphans.AS_STORED:
        return
    gone: dict[tuple[int, int], str] = {}
    for index, number, reason in undeclared_pending_calls(wire):
        if policy.hosted_orphans is HostedOrphans.REFUSE:
            notebook.refuse(wire.messages[index].places[number], "A10", reason, by=HostedOrphans.REFUSE)
        gone[index, number] = f"{reason}; it is left out"
    _leave_out(wire, "A10", gone, notebook)


def leave_out_answers_blocks(wire: Wire, notebook: Notebook) -> None:
    """Rule A24: what only the model makes, in a message that is not the model's."""
    gone = {
        (index, number): f"{block['type']} outside an assistant message is left out"
        for index, message in enumerate(wire.messages)
        if message.role != "assistant" and not isinstance(message.content, str)
        for number, block in enumerate(message.content)
        if block["type"] in ANSWERS_ONLY
    }
    _leave_out(wire, WRONG_ROLE, gone, notebook)


def leave_out_last_answer(wire: Wire, notebook: Notebook) -> None:
    """Rule A15: the turn that the model would not go on with."""
    if facts_of(wire.model).prefill is not False:
        return
    while wire.messages and begins_answer(wire.messages[-1]):
        notebook.add(wire.messages[-1].place, "A15", "the model takes no begun answer; it is left out")
        del wire.messages[-1]


def _all_blocks(wire: Wire) -> Iterator[tuple[int, int, Block]]:
    for index, message in enumerate(wire.messages):
        if not isinstance(message.content, str):
            for number, block in enumerate(message.content):
                yield index, number, block


def _refused(one: Undeclared, policy: RenderPolicy) -> bool:
    if one.of_advisor:
        return policy.hosted_orphans is HostedOrphans.REFUSE
    return policy.unsupported is Unsupported.REFUSE


def _leave_out_inner(result: Block, inner: set[int]) -> None:
    kept = [block for number, block in enumerate(result["content"]) if number not in inner]
    if kept:
        result["content"] = kept
    else:
        # An empty list is rejected (A14), a result without content is not.
        del result["content"]


def _leave_out(wire: Wire, rule: str, gone: Mapping[tuple[int, int], str], notebook: Notebook) -> None:
    """Take blocks, by number of message and block, out of the body, and messages of which nothing is left."""
    for index in sorted({index for index, _ in gone}, reverse=True):
        message = wire.messages[index]
        blocks: list[Block] = []
        places = []
        for number, (block, place) in enumerate(zip(message.content, message.places, strict=True)):
            if (index, number) in gone:
                notebook.add(place, rule, gone[index, number])
            else:
                blocks.append(block)  # type: ignore[arg-type]  # blocks were named, so it is no text
                places.append(place)
        message.content, message.places = blocks, places
        if not blocks and "output_config" not in message.extra:
            del wire.messages[index]
