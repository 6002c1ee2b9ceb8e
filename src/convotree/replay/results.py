"""Exactly one result for each call: which of several is used, and what stands for one that is missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from convotree.domain.parts import TextPart, ToolResultPart
from convotree.replay.notebook import Notebook, Place
from convotree.replay.pairing import Call, CallGroup, Pairing, Result
from convotree.replay.policy import RenderPolicy, UnansweredCalls, UnmatchedResults
from convotree.replay.target import Target

__all__ = ["NO_RESULT", "Settled", "settle_results", "used_result"]

NO_RESULT: Final = "No result provided"
"""What the model reads where a call has no result."""


@dataclass(slots=True)
class Settled:
    """``results``: of each group (by its last message), in the order of its calls; one that had to be made stands at
    its call's place. ``left_out``: the places of results that are not sent. ``repeats``: the places of calls that
    repeat an id of their own turn, and of their results, with the how-manieth they are.
    """

    results: dict[int, list[Result]] = field(default_factory=dict)
    left_out: set[Place] = field(default_factory=set)
    repeats: dict[Place, int] = field(default_factory=dict)


def settle_results(pairing: Pairing, target: Target, policy: RenderPolicy, notebook: Notebook) -> Settled:
    """The results to send.

    Raises:
        UnreplayableError: if the policy refuses a call without or a result without its counterpart.
    """
    settled = Settled()
    keep_unmatched = policy.unmatched_results is UnmatchedResults.AS_STORED
    for group in pairing.groups.values():
        settled.results[group.last] = results = []
        seen: dict[str, int] = {}
        for call in group.calls:
            used = used_result(call, group)
            if not keep_unmatched:
                for result in call.results:
                    if result is not used:
                        _leave_out(
                            result,
                            target.rules.duplicate,
                            "the call has another result",
                            settled,
                            policy,
                            notebook,
                        )
            if used is None and policy.unanswered_calls is not UnansweredCalls.AS_STORED:
                used = _made(call, target, policy, notebook)
            if used is not None:
                results.append(used)
            _count_repeat(call, used, seen, settled, target, notebook)
    if not keep_unmatched:
        for result in pairing.orphans:
            _leave_out(result, target.rules.unmatched, "no call above it", settled, policy, notebook)
    return settled


def used_result(call: Call, group: CallGroup) -> Result | None:
    """As ``UnmatchedResults`` says: what the next answer saw, before what came too late for it."""
    if len(call.results) < 2:
        return call.results[0] if call.results else None
    in_time = [result for result in call.results if result.place[0] < group.next_answer]
    for result in in_time:
        if not result.part.is_error:
            return result
    return in_time[0] if in_time else call.results[0]


def _made(call: Call, target: Target, policy: RenderPolicy, notebook: Notebook) -> Result:
    rule = target.rules.unanswered
    if policy.unanswered_calls is UnansweredCalls.REFUSE:
        notebook.refuse(
            call.place, rule, f"tool call {call.part.tool_call_id!r} has no result", by=UnansweredCalls.REFUSE
        )
    notebook.add(
        call.place, rule, f"tool call {call.part.tool_call_id!r} has no result; {NO_RESULT!r} stands for it"
    )
    text = (TextPart(NO_RESULT),)
    part = ToolResultPart(call.part.tool_call_id, text, is_error=True, name=call.part.name, as_string=True)
    return Result(call.place, part)


def _leave_out(
    result: Result, rule: str, why: str, settled: Settled, policy: RenderPolicy, notebook: Notebook
) -> None:
    reason = f"tool result {result.part.tool_call_id!r} is left out: {why}"
    if policy.unmatched_results is UnmatchedResults.REFUSE:
        notebook.refuse(
            result.place, rule, f"tool result {result.part.tool_call_id!r}: {why}", by=UnmatchedResults.REFUSE
        )
    notebook.add(result.place, rule, reason)
    settled.left_out.add(result.place)


def _count_repeat(
    call: Call,
    used: Result | None,
    seen: dict[str, int],
    settled: Settled,
    target: Target,
    notebook: Notebook,
) -> None:
    tool_call_id = call.part.tool_call_id
    number = seen[tool_call_id] = seen.get(tool_call_id, 0) + 1
    if number == 1:
        return
    notebook.add(
        call.place,
        target.rules.same_id,
        f"tool call {tool_call_id!r} repeats an id of its turn; it gets another",
    )
    settled.repeats[call.place] = number
    if used is not None:
        settled.repeats[used.place] = number
