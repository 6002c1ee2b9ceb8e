"""From messages to turns: every call with exactly one result, right after its turn, in the order of the calls.

A message that carries ``provider_data`` of the target came from there in this form: what is legal in it stays in its
own order and in a turn of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from convotree.domain.message import Message, Role
from convotree.domain.outcome import Outcome
from convotree.domain.parts import ToolResultPart
from convotree.replay.handover import Handover, Kept
from convotree.replay.id_mapping import with_fitting_ids
from convotree.replay.notebook import Notebook, Place
from convotree.replay.origin import Origin, origin_of
from convotree.replay.pairing import CallGroup, Result, pair_results
from convotree.replay.policy import RenderPolicy, UnansweredCalls, UnmatchedResults
from convotree.replay.prefix import PrefixBreak
from convotree.replay.provider_data import carries_data_of
from convotree.replay.results import Settled, settle_results
from convotree.replay.target import Target
from convotree.replay.turn import Turn

__all__ = ["turns_of"]


def turns_of(
    messages: Sequence[Message],
    target: Target,
    *,
    model: str,
    policy: RenderPolicy,
    notebook: Notebook,
    prefix_breaks: Sequence[PrefixBreak] = (),
    needed_from: int | None = None,
) -> list[Turn]:
    """The turns that ``messages`` are for ``target``; linear in the number of their parts. ``needed_from``: from that
    message on the target needs signed reasoning, whatever its prefix.

    Raises:
        UnreplayableError: if ``policy`` refuses a change that is needed.
    """
    handover = Handover.of(
        messages,
        target,
        model=model,
        policy=policy,
        notebook=notebook,
        prefix_breaks=prefix_breaks,
        needed_from=needed_from,
    )
    origins = [origin_of(message, target) for message in messages]
    kept = [handover.kept(index, message, origins[index]) for index, message in enumerate(messages)]
    # The calls of an answer that failed ask for nothing, so their results answer nothing.
    messages = [
        replace(message, parts=(), as_string=False) if handover.fails(message) else message
        for message in messages
    ]
    if (
        policy.unanswered_calls is UnansweredCalls.AS_STORED
        and policy.unmatched_results is UnmatchedResults.AS_STORED
    ):
        turns, repeats = _as_stored(messages, kept, origins, target), {}
    else:
        settled = settle_results(
            pairing := pair_results(messages, target.consecutive_answers, keeps_hosted=handover.keeps_hosted),
            target,
            policy,
            notebook,
        )
        ordering = _Ordering(messages, kept, origins, target, settled, pairing.holders, notebook)
        turns, repeats = ordering.turns(pairing.groups), settled.repeats
    return with_fitting_ids(turns, repeats, target, policy, notebook)


def _as_stored(
    messages: Sequence[Message], kept: Sequence[Kept], origins: Sequence[Origin], target: Target
) -> list[Turn]:
    """Message by message; only tool results that stand side by side are one turn, as in every other rendering."""
    turns: list[Turn] = []
    run: list[Turn] = []
    for index, message in enumerate(messages):
        parts, places = kept[index]
        if message.parts and not parts:
            continue
        turn = Turn(message.role, index, parts, places, origins[index], message)
        if run and (message.role is not Role.TOOL or carries_data_of(message, target.name)):
            turns.append(_joined(run))
            run = []
        if message.role is Role.TOOL:
            run.append(turn)
        else:
            turns.append(turn)
    if run:
        turns.append(_joined(run))
    return turns


def _joined(run: Sequence[Turn]) -> Turn:
    if len(run) == 1:
        return run[0]
    places = [place for turn in run for place in turn.all_places()]
    parts = [part for turn in run for part in turn.parts]
    return replace(run[0], parts=parts, places=places, message=None)


class _Ordering:
    """One walk over the messages: each answer, then the results of its calls, then what else stands there."""

    def __init__(
        self,
        messages: Sequence[Message],
        kept: Sequence[Kept],
        origins: Sequence[Origin],
        target: Target,
        settled: Settled,
        holders: set[int],
        notebook: Notebook,
    ) -> None:
        self._messages = messages
        self._kept = kept
        self._origins = origins
        self._target = target
        self._settled = settled
        self._holders = holders
        self._notebook = notebook
        self._moved: set[Place] = set()
        self._emitted: set[int] = set()
        self._turns: list[Turn] = []

    def turns(self, groups: dict[int, CallGroup]) -> list[Turn]:
        for index, message in enumerate(self._messages):
            if index not in self._emitted:
                turn = self._remaining(index, message)
                # Of a message whose results stand elsewhere now, or of an answer that failed, nothing has to be left.
                if turn.parts or not (index in self._holders or message.outcome is not Outcome.COMPLETE):
                    self._turns.append(turn)
            group = groups.get(index)
            if group is not None:
                self._emit_results(group, self._settled.results[index])
        return self._turns

    def _remaining(self, index: int, message: Message) -> Turn:
        """The message without the results that stand elsewhere or are left out."""
        parts, places = self._kept[index]
        turn = Turn(message.role, index, parts, places, self._origins[index], message)
        if index not in self._holders:
            return turn
        places = turn.all_places()
        rest = [
            number
            for number, place in enumerate(places)
            if place not in self._moved and place not in self._settled.left_out
        ]
        if len(rest) == len(parts):
            return turn
        return Turn(
            turn.role,
            index,
            [parts[number] for number in rest],
            [places[number] for number in rest],
            turn.origin,
            message,
        )

    def _emit_results(self, group: CallGroup, results: Sequence[Result]) -> None:
        whole = self._own_form(group, results)
        moving = [result for result in results if result.place[0] not in whole] if whole else results
        if not moving:
            return
        after = group.last + 1
        carrier = self._messages[after] if after in self._holders and after not in whole else None
        if carrier is None or carrier.role is Role.DEVELOPER:
            self._gather(group, moving)
            self._turns.append(_results_turn(Role.TOOL, group.last, moving))
            return
        self._emitted.add(after)
        turn = self._remaining(after, carrier)
        if turn.all_places()[: len(moving)] == [result.place for result in moving]:
            # Nothing to do, the common case. What follows may be results of no call, under a policy that keeps them.
            self._turns.append(turn)
            return
        self._gather(group, moving)
        results_first = _results_turn(carrier.role, after, moving)
        rest = self._remaining(after, carrier)
        self._turns.append(_joined([results_first, rest]))

    def _own_form(self, group: CallGroup, results: Sequence[Result]) -> set[int]:
        """The messages right after the turn that came from the target in this form and are legal in it."""
        places = {result.place for result in results}
        whole: set[int] = set()
        index = group.last + 1
        while index in self._holders and index < group.next_answer:
            message = self._messages[index]
            if carries_data_of(message, self._target.name):
                holds = [type(part) is ToolResultPart for part in message.parts]
                lead = holds == sorted(holds, reverse=True)
                if lead and all((index, number) in places for number, one in enumerate(holds) if one):
                    whole.add(index)
            index += 1
        return whole

    def _gather(self, group: CallGroup, moving: Sequence[Result]) -> None:
        """Take ``moving`` from where they stand, and say so where that changes what the model reads."""
        stored = [result.place for result in moving if result.place[0] > group.last]
        self._moved.update(stored)
        near = group.last + 1
        while near in self._holders and near < group.next_answer:
            near += 1
        rules = self._target.rules
        far = [place for place in stored if place[0] >= near]
        for place in far:
            self._notebook.add(place, rules.order, "the tool result is moved up to its call")
        if stored != sorted(stored):
            self._notebook.add(stored[0], rules.order, "tool results are put in the order of their calls")
        elif self._follow_others([place for place in stored if place[0] < near]):
            self._notebook.add(
                stored[0], rules.leading, "tool results are put before what stands beside them"
            )

    def _follow_others(self, results: Sequence[Place]) -> bool:
        """Whether anything but results stands before one of them in its message. The last of each message tells."""
        last = dict(results)
        return any(
            type(part) is not ToolResultPart
            for index, number in last.items()
            for part in self._messages[index].parts[:number]
        )


def _results_turn(role: Role, index: int, results: Sequence[Result]) -> Turn:
    return Turn(
        role,
        index,
        [result.part for result in results],
        [result.place for result in results],
        Origin.OWN,
        None,
    )
