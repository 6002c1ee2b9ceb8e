"""The newest part of a path that fits into a number of tokens, cut only where a request can begin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from convotree.domain.message import Message, Role
from convotree.domain.parts import HostedCallPart, ToolCallPart, ToolResultPart
from convotree.domain.planning import holds_summary
from convotree.replay.pairing import pair_results
from convotree.replay.results import used_result
from convotree.replay.target import ConsecutiveAnswers

__all__ = ["fitting_start", "results_of_calls_above", "starts"]


def results_of_calls_above(messages: Sequence[Message]) -> frozenset[str]:
    """The ids that tool results name and no call above them here has: their calls stand above, or nowhere."""
    called: set[str] = set()
    named: set[str] = set()
    for message in messages:
        for part in message.parts:
            if isinstance(part, (ToolCallPart, HostedCallPart)):
                called.add(part.tool_call_id)
            elif isinstance(part, ToolResultPart) and part.tool_call_id not in called:
                named.add(part.tool_call_id)
    return frozenset(named)


def starts(messages: Sequence[Message], *, root: bool, called_above: Set[str] = frozenset()) -> list[bool]:
    """Of each message, whether a request can begin with it: it is a user's, or a summary, or stands at the ``root``,
    and no tool result at or below it is used for a call above it. One pass.

    ``called_above``: the ids of calls above the first message. Results of no call at all, and those that rendering does
    not use (``UnmatchedResults``), are left out there, and forbid nothing here.
    """
    # How many results, from here on down, answer a call above: each result forbids all starts between the two.
    forbidden = [0] * (len(messages) + 1)
    for called, answered in _pairs(messages, called_above):
        forbidden[called + 1] += 1
        forbidden[answered + 1] -= 1
    possible: list[bool] = []
    pairs = 0
    for index, message in enumerate(messages):
        pairs += forbidden[index]
        begins = message.role is Role.USER or holds_summary(message) or (root and index == 0)
        possible.append(begins and pairs == 0)
    return possible


def _pairs(messages: Sequence[Message], called_above: Set[str]) -> Iterator[tuple[int, int]]:
    """The messages of each call and of the result that is used for it; -1 for a call above the first of them."""
    pairing = pair_results(messages, ConsecutiveAnswers.ONE_TURN)
    for group in pairing.groups.values():
        for call in group.calls:
            used = used_result(call, group)
            if used is not None:
                yield call.place[0], used.place[0]
    for result in pairing.orphans:
        if result.part.tool_call_id in called_above:
            yield -1, result.place[0]
    hosted: dict[str, int] = {}
    for index, message in enumerate(messages):
        for part in message.parts:
            if isinstance(part, HostedCallPart):
                hosted[part.tool_call_id] = index
            elif isinstance(part, ToolResultPart) and part.tool_call_id in hosted:
                yield hosted[part.tool_call_id], index


def fitting_start(
    messages: Sequence[Message],
    tokens: Sequence[int],
    budget: int,
    *,
    root: bool,
    called_above: Set[str] = frozenset(),
) -> int | None:
    """The number of the first message of the longest part that fits; None if not even the shortest does.

    ``tokens``: of each message. ``root``: a request can begin with the first message whatever it is.
    """
    possible = starts(messages, root=root, called_above=called_above)
    found: int | None = None
    used = 0
    for index in range(len(messages) - 1, -1, -1):
        used += tokens[index]
        if used > budget:
            break
        if possible[index]:
            found = index
    return found
