"""Where Anthropic takes a system message among the others (rule A21), and what becomes of those that cannot stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from convotree.replay.anthropic.wire import WireMessage
from convotree.replay.notebook import Notebook

__all__ = ["SYSTEM_PLACE", "as_user_messages", "system_is_legal"]

SYSTEM_PLACE: Final = "A21"


def system_is_legal(messages: Sequence[WireMessage], first: int, last: int) -> bool:
    """Whether the system messages from ``first`` to ``last`` may stand there: after a user message or an answer that
    ends in a hosted result, and before an answer or at the end.
    """
    if first == 0:
        return False
    before = messages[first - 1]
    follows = before.role == "user" or _ends_in_hosted_result(before)
    return follows and (last + 1 == len(messages) or messages[last + 1].role == "assistant")


def as_user_messages(messages: Sequence[WireMessage], notebook: Notebook) -> None:
    """Make user messages of the system messages that are not legal where they stand."""
    index = 0
    while index < len(messages):
        first = index
        while index < len(messages) and messages[index].role == "system":
            index += 1
        if index > first and not system_is_legal(messages, first, index - 1):
            for message in messages[first:index]:
                message.role = "user"
                notebook.add(
                    message.place, SYSTEM_PLACE, "no system message may stand here; it is sent as the user's"
                )
        index += 1


def _ends_in_hosted_result(message: WireMessage) -> bool:
    if message.role != "assistant" or isinstance(message.content, str) or not message.content:
        return False
    kind = str(message.content[-1]["type"])
    return kind.endswith("_tool_result")
