"""Where Anthropic takes a system message among the others (rule A21), and what becomes of those that cannot stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from convotree.replay.anthropic.block_members import MESSAGE_MEMBERS
from convotree.replay.anthropic.wire import WireMessage
from convotree.replay.notebook import Notebook

__all__ = ["SYSTEM_PLACE", "as_user_messages", "misplaced_system_messages"]

SYSTEM_PLACE: Final = "A21"

_TOOL_CHANGES: Final = frozenset({"tool_addition", "tool_removal"})


def misplaced_system_messages(
    messages: Sequence[WireMessage], *, taken: bool | None
) -> Iterator[tuple[int, int]]:
    """First and last of each run of system messages that may not stand there. Legal is a run after a user message or an
    answer that ends in a hosted result, and before an answer or at the end; none at all if the model takes none.
    """
    index = 0
    while index < len(messages):
        if messages[index].role != "system":
            index += 1
            continue
        first = index
        while index < len(messages) and messages[index].role == "system":
            index += 1
        if taken is False or not _is_legal(messages, first, index - 1):
            yield first, index - 1


def as_user_messages(messages: list[WireMessage], notebook: Notebook, *, taken: bool | None) -> None:
    """Make user messages of the system messages that may not stand where they do. What only a system message holds,
    such as changes of tools, is left out of them, and a message with nothing left goes.
    """
    emptied: list[int] = []
    for first, last in misplaced_system_messages(messages, taken=taken):
        for index in range(first, last + 1):
            message = messages[index]
            if taken is not False and _only_sets_effort(message):
                continue
            message.role = "user"
            lost = _leave_out_what_is_the_systems(message)
            if message.content:
                notebook.add(
                    message.place,
                    SYSTEM_PLACE,
                    f"no system message may stand here; it is sent as the user's{lost}",
                )
            else:
                notebook.add(message.place, SYSTEM_PLACE, "no system message may stand here; it is left out")
                emptied.append(index)
    for index in reversed(emptied):
        del messages[index]


def _is_legal(messages: Sequence[WireMessage], first: int, last: int) -> bool:
    if all(map(_only_sets_effort, messages[first : last + 1])):
        return True
    if first == 0:
        return False
    before = messages[first - 1]
    follows = before.role == "user" or _ends_in_hosted_result(before)
    return follows and (last + 1 == len(messages) or messages[last + 1].role == "assistant")


def _only_sets_effort(message: WireMessage) -> bool:
    return not message.content and "output_config" in message.extra


def _ends_in_hosted_result(message: WireMessage) -> bool:
    if message.role != "assistant" or isinstance(message.content, str) or not message.content:
        return False
    kind = str(message.content[-1]["type"])
    return kind.endswith("_tool_result")


def _leave_out_what_is_the_systems(message: WireMessage) -> str:
    """Take it out; for the end of a sentence, what it was."""
    lost = sorted(message.extra.keys() & MESSAGE_MEMBERS["system"])
    for name in lost:
        del message.extra[name]
    if not isinstance(message.content, str):
        kept = [number for number, block in enumerate(message.content) if block["type"] not in _TOOL_CHANGES]
        if len(kept) < len(message.content):
            lost += sorted({block["type"] for block in message.content} & _TOOL_CHANGES)
            message.places = [message.places[number] for number in kept]
            message.content = [message.content[number] for number in kept]
    return f", without {' and '.join(lost)}" if lost else ""
