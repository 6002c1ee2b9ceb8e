"""What of each message goes to the target at all: its own reasoning and hosted parts stay, another provider's go.

Everything here is decided part by part; pairing and order are ``turns``' concern, forms the target's renderer's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from convotree.domain.message import Message, Role
from convotree.domain.outcome import Outcome
from convotree.domain.parts import (
    CompactionPart,
    HostedCallPart,
    HostedResultPart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.replay.hosted import hosted_orphans
from convotree.replay.notebook import WHOLE, Notebook, Place
from convotree.replay.origin import Origin, origin_of
from convotree.replay.own_rules import FOREIGN_PART, WRONG_ROLE
from convotree.replay.policy import (
    FailedTurns,
    ForeignReasoning,
    HostedOrphans,
    RenderPolicy,
    StaleReasoning,
    UnmatchedResults,
    Unsupported,
)
from convotree.replay.prefix import PrefixBreak, StaleRun, stale_run
from convotree.replay.target import FailedTurnsForm, HostedResults, OtherModels, OwnReasoning, Target

__all__ = ["Handover", "Kept"]

Kept = tuple[Sequence[Part], Sequence[Place] | None]
"""Parts and where they stand in the request; no places where all parts of the message are kept."""

_JUDGED: Final = frozenset({CompactionPart, HostedCallPart, HostedResultPart, OpaquePart, ReasoningPart})
_IN_ANSWERS: Final = _JUDGED | {ToolResultPart}
_ELSEWHERE: Final = _JUDGED | {ToolCallPart}


@dataclass(slots=True)
class Handover:
    """Decides for the parts of one request what is kept for ``target`` under ``policy``."""

    target: Target
    model: str
    policy: RenderPolicy
    notebook: Notebook
    orphans: dict[Place, str]
    stale: StaleRun | None
    needed_from: int | None

    @classmethod
    def of(
        cls,
        messages: Sequence[Message],
        target: Target,
        *,
        model: str,
        policy: RenderPolicy,
        notebook: Notebook,
        prefix_breaks: Sequence[PrefixBreak] = (),
        needed_from: int | None = None,
    ) -> Handover:
        """The handover of ``messages``. ``needed_from``: from there on the target needs reasoning, valid or not."""
        orphans: dict[Place, str] = {}
        apart = target.hosted_results is HostedResults.APART
        if apart and policy.hosted_orphans is not HostedOrphans.AS_STORED:
            orphans = hosted_orphans(messages, target.name)
        made = cls(target, model, policy, notebook, orphans, None, needed_from)
        if prefix_breaks and target.binds_prefix and policy.stale_reasoning is not StaleReasoning.AS_STORED:
            made.stale = stale_run(prefix_breaks, made._signed_answers(messages))
        return made

    def fails(self, message: Message) -> bool:
        """Whether the message is an answer that did not come to its end, of which not all is sent."""
        return (
            message.outcome is not Outcome.COMPLETE and self.policy.failed_turns is not FailedTurns.AS_STORED
        )

    def keeps_hosted(self, place: Place, part: HostedCallPart) -> bool:
        """Whether the hosted call at ``place`` goes to the target."""
        return part.provider == self.target.name and place not in self.orphans

    def kept(self, index: int, message: Message, origin: Origin) -> Kept:
        """What is kept of a message. A kept part is itself, or text that stands for it."""
        parts = message.parts
        if message.outcome is not Outcome.COMPLETE and self.fails(message):
            return self._failed(index, message)
        judged_here = _IN_ANSWERS if message.role is Role.ASSISTANT else _ELSEWHERE
        if judged_here.isdisjoint(map(type, parts)):
            return parts, None
        kept: list[Part] = []
        places: list[Place] = []
        for number, part in enumerate(parts):
            if type(part) in judged_here:
                judged = self._judge((index, number), part, message, origin)
                if judged is None:
                    continue
                part = judged
            kept.append(part)
            places.append((index, number))
        if len(kept) == len(parts) and all(map(_same, kept, parts)):
            return parts, None
        return kept, places

    def _failed(self, index: int, message: Message) -> Kept:
        """What is left of an answer that failed: bare text at most, since nothing else of it was ever accepted."""
        form = self.policy.failed_turns
        if form is FailedTurns.BY_TARGET:
            whole = self.target.failed_turns is FailedTurnsForm.WHOLE
            form = FailedTurns.LEAVE_OUT if whole else FailedTurns.TEXT
        texts: list[Part] = []
        places: list[Place] = []
        if form is FailedTurns.TEXT:
            for number, part in enumerate(message.parts):
                if isinstance(part, TextPart) and part.text.strip():
                    texts.append(TextPart(part.text))
                    places.append((index, number))
        left = "its text alone is sent" if texts else "it is left out"
        self.notebook.add(
            (index, WHOLE), self.target.rules.failed, f"the answer was {message.outcome.value}; {left}"
        )
        return texts, places

    def _signed_answers(self, messages: Sequence[Message]) -> Iterator[int]:
        """The numbers of the answers whose reasoning the target would check."""
        for index, message in enumerate(messages):
            signed = any(
                type(part) is ReasoningPart and (part.signature or part.encrypted) for part in message.parts
            )
            if signed and origin_of(message, self.target) is Origin.OWN and not self.fails(message):
                yield index

    def _judge(self, place: Place, part: Part, message: Message, origin: Origin) -> Part | None:
        match part:
            case ReasoningPart():
                return self._reasoning(place, part, message, origin)
            case ToolCallPart():
                self._left_out(place, WRONG_ROLE, "a tool call outside an assistant message is left out")
                return None
            case ToolResultPart():
                return self._misplaced_result(place, part)
            case HostedCallPart() | HostedResultPart() if place in self.orphans:
                self._leave_orphan_out(place)
                return None
            case HostedCallPart() | HostedResultPart() | OpaquePart():
                if part.provider == self.target.name:
                    return part
                self._left_out(place, FOREIGN_PART, f"{part.kind} of {part.provider} is left out")
                return None
            case CompactionPart():
                return self._compaction(place, part, message, origin)
            case _:
                return part

    def _reasoning(self, place: Place, part: ReasoningPart, message: Message, origin: Origin) -> Part | None:
        own = origin is Origin.OWN and self.target.own_reasoning is not OwnReasoning.NEVER
        kept_there = self.target.own_reasoning is OwnReasoning.KEPT_THERE
        if own and (part.signature or part.encrypted or kept_there):
            return self._signed(place, part, message)
        if own and self.policy.foreign_reasoning is ForeignReasoning.AS_STORED:
            return part
        return self._unverified(
            place,
            part,
            "reasoning without its signature" if own else "reasoning that the target cannot verify",
        )

    def _signed(self, place: Place, part: ReasoningPart, message: Message) -> Part | None:
        if self.stale is not None and self._is_stale(place, self.stale):
            return None
        other = self._other_model(message)
        if other is None:
            return part
        rejected = self.target.other_models is OtherModels.REJECTED
        if rejected and self.policy.foreign_reasoning is not ForeignReasoning.AS_STORED:
            return self._unverified(place, part, f"reasoning of {other}, which {self.model} rejects,")
        fate = "may be rejected" if rejected else "is ignored"
        self.notebook.add(
            place,
            self.target.rules.model,
            f"signed by {other}; if {self.model} cannot read it, it {fate} there",
        )
        return part

    def _unverified(self, place: Place, part: ReasoningPart, why: str) -> Part | None:
        choice = self.policy.foreign_reasoning
        rule = self.target.rules.reasoning
        if choice is ForeignReasoning.REFUSE:
            self.notebook.refuse(place, rule, why, by=ForeignReasoning.REFUSE)
        if choice is ForeignReasoning.AS_TEXT and part.text.strip():
            self.notebook.add(place, rule, f"{why} is sent as text")
            return TextPart(part.text)
        self.notebook.add(place, rule, f"{why} is left out")
        return None

    def _is_stale(self, place: Place, stale: StaleRun) -> bool:
        """Whether the reasoning is left out because its prefix is another one, which is then noted."""
        index, rule = place[0], self.target.rules.prefix
        needed = self.needed_from is not None and stale.last >= self.needed_from
        if needed and index >= (self.needed_from or 0):
            if index in stale:
                self.notebook.add(
                    place,
                    rule,
                    "the reasoning is bound to another prefix; it is sent: the tool loop needs it",
                )
            return False
        # What is kept must be unbroken, so before what is needed nothing stays.
        if not (needed or index in stale):
            return False
        first = "it" if index == stale.cause.index else f"messages[{stale.cause.index}]"
        why = (
            f"the reasoning is bound to another prefix: {first} was generated under other {stale.cause.what}"
        )
        if self.policy.stale_reasoning is StaleReasoning.REFUSE:
            self.notebook.refuse(place, rule, why, by=StaleReasoning.REFUSE)
        self.notebook.add(place, rule, f"{why}; it is left out")
        return True

    def _other_model(self, message: Message) -> str | None:
        """The model that signed, if it is not the one that is asked."""
        made_by = message.provenance.model if message.provenance is not None else None
        if made_by is None or self.target.same_model(made_by, self.model):
            return None
        return made_by

    def _misplaced_result(self, place: Place, part: ToolResultPart) -> Part | None:
        if self.policy.unmatched_results is UnmatchedResults.AS_STORED:
            return part
        self._left_out(place, WRONG_ROLE, "a tool result inside an assistant message is left out")
        return None

    def _leave_orphan_out(self, place: Place) -> None:
        reason = self.orphans[place]
        if self.policy.hosted_orphans is HostedOrphans.REFUSE:
            self.notebook.refuse(place, self.target.rules.hosted, reason, by=HostedOrphans.REFUSE)
        self.notebook.add(place, self.target.rules.hosted, f"{reason}; it is left out")

    def _compaction(
        self, place: Place, part: CompactionPart, message: Message, origin: Origin
    ) -> Part | None:
        # A summary that the application wrote says nowhere that a provider made it: it goes as text.
        made_by_provider = part.signature or part.encrypted or message.provenance is not None
        taken_back = self.target.own_reasoning is not OwnReasoning.NEVER
        if made_by_provider and origin is Origin.OWN and taken_back:
            return part
        if part.text and part.text.strip():
            self.notebook.add(place, FOREIGN_PART, "the summary is sent as text")
            return TextPart(part.text)
        self._left_out(place, FOREIGN_PART, "a summary that only another provider can read is left out")
        return None

    def _left_out(self, place: Place, rule: str, reason: str) -> None:
        if self.policy.unsupported is Unsupported.REFUSE:
            self.notebook.refuse(place, rule, reason, by=Unsupported.REFUSE)
        self.notebook.add(place, rule, reason)


def _same(kept: Part, stored: Part) -> bool:
    return kept is stored
