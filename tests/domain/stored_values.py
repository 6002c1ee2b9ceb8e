"""Builds stored revisions without a database, by planning them as the store does."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from convotree.domain.encoded import encode_message
from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.lanes import segment_of
from convotree.domain.message import Message
from convotree.domain.planning import Draftsman, prompt_key, tool_set_key
from convotree.domain.stored import AppendPoint, Header, LaneStart, Scope, StoredRevision
from convotree.domain.verification import RevisionFacts
from convotree.identity import Key

TIME = datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC)
SCOPE = Scope("tenant", "conversation")


def draftsman(*, prompt: str | None = "sha256:p", tools: str | None = None) -> Draftsman:
    return Draftsman(SCOPE, TIME, moves_seen=7, epoch=3, prompt_version=prompt, tool_set=tools)


@dataclass
class Grove:
    """A tree that grows in memory: each ``add`` takes the next ordinal below its parent."""

    revisions: dict[str, StoredRevision] = field(default_factory=dict)
    starts: dict[Key, LaneStart] = field(default_factory=dict)
    children: dict[str | None, int] = field(default_factory=dict)

    def add(
        self,
        name: str,
        parent: str | None,
        message: Message | None = None,
        generation: GenerationRecord | None = None,
    ) -> StoredRevision:
        ordinal = self.children.get(parent, 0)
        self.children[parent] = ordinal + 1
        above = None if parent is None else self.revisions[parent].point
        encoded = encode_message(message or Message.user(name))
        if ordinal == 0:
            plan = draftsman().first_child(above, name, encoded, generation)
        else:
            start = None if above is None else self.starts[above.lane_key]
            plan = draftsman().later_child(above, start, ordinal, name, encoded, generation)
        if plan.forks is not None:
            self.starts[plan.point.key] = LaneStart(plan.point.key, plan.point.depth, plan.forks)
        self.revisions[name] = plan
        return plan

    def facts(self) -> dict[str, RevisionFacts]:
        return {name: facts_of(one) for name, one in self.revisions.items()}

    def header(self, selected: str | None) -> Header:
        return header(None if selected is None else self.revisions[selected].point)


def facts_of(one: StoredRevision) -> RevisionFacts:
    segment = segment_of(one.point.lane_key, one.point.depth)
    return RevisionFacts.of(
        one,
        segment=segment,
        digest=one.encoded.digest,
        call_keys=one.scope.call_keys(one.encoded.message),
    )


def header(selected: AppendPoint | None) -> Header:
    return Header(
        scope=SCOPE,
        version=5,
        moves=2,
        epoch=3,
        selected=selected,
        memory=(),
        title="title",
        metadata=ExactJson('{"a":1.10}'),
        prompt_version="sha256:p",
        tool_set=None,
        prompt_key=prompt_key("tenant", "sha256:p"),
        tool_set_key=tool_set_key("tenant", None),
        creation=bytes(32),
        created_at=TIME,
        updated_at=TIME,
    )
