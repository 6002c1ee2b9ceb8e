"""Which tool result answers which tool call on one path: the reading of the path, before anything is decided.

A call is answered by results below it that name its id, up to the next answer that makes a call of the same id
(providers do repeat ids across turns). Calls of one id within one turn take the results of that id in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from convotree.domain.message import Message, Role
from convotree.domain.parts import HostedCallPart, ToolCallPart, ToolResultPart
from convotree.replay.notebook import Place
from convotree.replay.target import ConsecutiveAnswers

__all__ = ["Call", "CallGroup", "Pairing", "Result", "late_results", "pair_results", "tool_loop_start"]


@dataclass(frozen=True, slots=True)
class Result:
    """A tool result and where it stands."""

    place: Place
    part: ToolResultPart


@dataclass(slots=True)
class Call:
    """A tool call, where it stands, and the results that name it, in the order of the path."""

    place: Place
    part: ToolCallPart
    results: list[Result] = field(default_factory=list)


@dataclass(slots=True)
class CallGroup:
    """The calls that are answered together: those of one turn. ``last`` is the number of its last message,
    ``next_answer`` that of the next assistant message, or of the path's end.
    """

    last: int
    next_answer: int
    calls: list[Call] = field(default_factory=list)


@dataclass(slots=True)
class Pairing:
    """``groups`` by the number of their last message; ``orphans``: results that answer no call above them;
    ``holders``: the numbers of all messages that hold results.
    """

    groups: dict[int, CallGroup]
    orphans: list[Result]
    holders: set[int]


@dataclass(slots=True)
class _SameId:
    group: CallGroup
    calls: list[Call]
    answered: int = 0


def tool_loop_start(messages: Sequence[Message]) -> int | None:
    """Where the tool loop at the end begins: after the last message that is neither an answer nor only results. None if
    the last message brings no results.
    """
    start = len(messages)
    while start > 0 and (messages[start - 1].role is Role.ASSISTANT or _brings_results(messages[start - 1])):
        start -= 1
    return start if messages and _brings_results(messages[-1]) else None


def _brings_results(message: Message) -> bool:
    return bool(message.parts) and all(type(part) is ToolResultPart for part in message.parts)


def late_results(pairing: Pairing) -> Iterator[tuple[int, int]]:
    """For each call whose result came only after further answers: the first answer that did not know it, and the
    message that brought it.
    """
    for group in pairing.groups.values():
        for call in group.calls:
            if call.results and call.results[0].place[0] >= group.next_answer:
                yield group.next_answer, call.results[0].place[0]


def pair_results(
    messages: Sequence[Message],
    consecutive_answers: ConsecutiveAnswers,
    *,
    keeps_hosted: Callable[[Place, HostedCallPart], bool] | None = None,
) -> Pairing:
    """The calls and results of a path, paired; one pass. ``keeps_hosted``: which hosted calls go to the target
    (default: all); a result of one that does not is an orphan.
    """
    groups: list[CallGroup] = []
    orphans: list[Result] = []
    holders: set[int] = set()
    called: dict[str, _SameId] = {}
    hosted: set[str] = set()
    one_turn = consecutive_answers is ConsecutiveAnswers.ONE_TURN
    group = CallGroup(-1, len(messages))
    after_answer = False
    for index, message in enumerate(messages):
        answer = message.role is Role.ASSISTANT
        if answer:
            if not (after_answer and one_turn):
                group.next_answer = index
                group = CallGroup(index, len(messages))
                groups.append(group)
            group.last = index
        after_answer = answer
        for number, part in enumerate(message.parts):
            kind = type(part)
            if kind is ToolCallPart and answer:
                _record_call(called, group, Call((index, number), part))  # type: ignore[arg-type]  # kind says so
            elif kind is ToolResultPart and not answer:
                holders.add(index)
                result = Result((index, number), part)  # type: ignore[arg-type]  # kind says so
                if not _record_result(called, result) and result.part.tool_call_id not in hosted:
                    orphans.append(result)
            elif isinstance(part, HostedCallPart) and (
                keeps_hosted is None or keeps_hosted((index, number), part)
            ):
                hosted.add(part.tool_call_id)
    return Pairing({group.last: group for group in groups if group.calls}, orphans, holders)


def _record_call(called: dict[str, _SameId], group: CallGroup, call: Call) -> None:
    group.calls.append(call)
    same = called.get(call.part.tool_call_id)
    if same is None or same.group is not group:
        called[call.part.tool_call_id] = _SameId(group, [call])
    else:
        same.calls.append(call)


def _record_result(called: dict[str, _SameId], result: Result) -> bool:
    same = called.get(result.part.tool_call_id)
    if same is None:
        return False
    same.calls[min(same.answered, len(same.calls) - 1)].results.append(result)
    same.answered += 1
    return True
