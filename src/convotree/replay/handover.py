"""What of each message goes to the target at all: its own reasoning and hosted parts stay, another provider's go.

Everything here is decided part by part; pairing and order are ``turns``' concern, forms the target's renderer's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from convotree.domain.message import Message, Role
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
from convotree.replay.notebook import Notebook, Place
from convotree.replay.origin import Origin
from convotree.replay.own_rules import FOREIGN_PART, WRONG_ROLE
from convotree.replay.policy import (
    ForeignReasoning,
    HostedOrphans,
    RenderPolicy,
    UnmatchedResults,
    Unsupported,
)
from convotree.replay.target import OwnReasoning, Target

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

    @classmethod
    def of(
        cls,
        messages: Sequence[Message],
        target: Target,
        *,
        model: str,
        policy: RenderPolicy,
        notebook: Notebook,
    ) -> Handover:
        """The handover of ``messages``."""
        orphans: dict[Place, str] = {}
        if policy.hosted_orphans is not HostedOrphans.AS_STORED:
            orphans = hosted_orphans(messages, target.name)
        return cls(target, model, policy, notebook, orphans)

    def keeps_hosted(self, place: Place, part: HostedCallPart) -> bool:
        """Whether the hosted call at ``place`` goes to the target."""
        return part.provider == self.target.name and place not in self.orphans

    def kept(self, index: int, message: Message, origin: Origin) -> Kept:
        """What is kept of a message. A kept part is itself, or text that stands for it."""
        parts = message.parts
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
                return self._compaction(place, part, origin)
            case _:
                return part

    def _reasoning(self, place: Place, part: ReasoningPart, message: Message, origin: Origin) -> Part | None:
        choice = self.policy.foreign_reasoning
        if origin is Origin.OWN and self.target.own_reasoning is OwnReasoning.SIGNED:
            if part.signature or part.encrypted:
                self._note_other_model(place, message)
                return part
            if choice is ForeignReasoning.AS_STORED:
                return part
            why = "reasoning without its signature"
        else:
            why = "reasoning that the target cannot verify"
        rule = self.target.rules.reasoning
        if choice is ForeignReasoning.REFUSE:
            self.notebook.refuse(place, rule, why)
        if choice is ForeignReasoning.AS_TEXT and part.text.strip():
            self.notebook.add(place, rule, f"{why} is sent as text")
            return TextPart(part.text)
        self.notebook.add(place, rule, f"{why} is left out")
        return None

    def _note_other_model(self, place: Place, message: Message) -> None:
        made_by = message.provenance.model if message.provenance is not None else None
        if made_by is not None and not self.target.same_model(made_by, self.model):
            self.notebook.add(
                place,
                self.target.rules.model,
                f"signed by {made_by}; if {self.model} cannot read it, it is ignored there",
            )

    def _misplaced_result(self, place: Place, part: ToolResultPart) -> Part | None:
        if self.policy.unmatched_results is UnmatchedResults.AS_STORED:
            return part
        self._left_out(place, WRONG_ROLE, "a tool result inside an assistant message is left out")
        return None

    def _leave_orphan_out(self, place: Place) -> None:
        reason = self.orphans[place]
        if self.policy.hosted_orphans is HostedOrphans.REFUSE:
            self.notebook.refuse(place, self.target.rules.hosted, reason)
        self.notebook.add(place, self.target.rules.hosted, f"{reason}; it is left out")

    def _compaction(self, place: Place, part: CompactionPart, origin: Origin) -> Part | None:
        if origin is Origin.OWN and self.target.own_reasoning is OwnReasoning.SIGNED:
            return part
        if part.text and part.text.strip():
            self.notebook.add(place, FOREIGN_PART, "a summary that another provider made is sent as text")
            return TextPart(part.text)
        self._left_out(place, FOREIGN_PART, "a summary that only another provider can read is left out")
        return None

    def _left_out(self, place: Place, rule: str, reason: str) -> None:
        if self.policy.unsupported is Unsupported.REFUSE:
            self.notebook.refuse(place, rule, reason)
        self.notebook.add(place, rule, reason)


def _same(kept: Part, stored: Part) -> bool:
    return kept is stored
