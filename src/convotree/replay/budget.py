"""The newest part of a path that fits into a number of tokens, cut only where a request can begin."""

from __future__ import annotations

from collections.abc import Sequence

from convotree.domain.message import Message, Role
from convotree.domain.parts import ToolCallPart, ToolResultPart
from convotree.domain.planning import holds_summary

__all__ = ["fitting_start", "starts"]


def starts(messages: Sequence[Message], *, root: bool) -> list[bool]:
    """Of each message, whether a request can begin with it: it is a user's, or a summary, or stands at the ``root``,
    and no tool result at or below it answers a call above it. One pass.
    """
    # How many results, from here on down, answer a call above: each result forbids all starts between the two.
    forbidden = [0] * (len(messages) + 1)
    called: dict[str, int] = {}
    for index, message in enumerate(messages):
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                called[part.tool_call_id] = index
            elif isinstance(part, ToolResultPart):
                call = called.get(part.tool_call_id)
                if call is None and root:
                    continue  # it answers no call at all
                forbidden[0 if call is None else call + 1] += 1
                forbidden[index + 1] -= 1
    possible: list[bool] = []
    pairs = 0
    for index, message in enumerate(messages):
        pairs += forbidden[index]
        begins = message.role is Role.USER or holds_summary(message) or (root and index == 0)
        possible.append(begins and pairs == 0)
    return possible


def fitting_start(
    messages: Sequence[Message], tokens: Sequence[int], budget: int, *, root: bool
) -> int | None:
    """The number of the first message of the longest part that fits; None if not even the shortest does.

    ``tokens``: of each message. ``root``: nothing stands above the first message, so a request can begin with it
    whatever it is.
    """
    possible = starts(messages, root=root)
    found: int | None = None
    used = 0
    for index in range(len(messages) - 1, -1, -1):
        used += tokens[index]
        if used > budget:
            break
        if possible[index]:
            found = index
    return found
