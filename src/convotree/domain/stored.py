"""What the store keeps, as values: the header, a revision with its coordinates, and the facts needed to append.

``storage`` turns them into documents and back; ``planning`` makes new ones. Callers see ``Conversation`` and
``Revision`` only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from convotree.domain.conversation import Conversation
from convotree.domain.encoded import EncodedMessage
from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.lanes import Forks
from convotree.domain.message import Message
from convotree.domain.parts import ToolCallPart, ToolResultPart
from convotree.domain.revision import Revision
from convotree.identity import Key, derive_key

__all__ = ["AppendPoint", "CallPlace", "Header", "LaneStart", "RememberedLeaf", "Scope", "StoredRevision"]


@dataclass(frozen=True, slots=True)
class Scope:
    """One conversation of one tenant: what every query names, and the keys derived from it."""

    tenant_id: str
    conversation_id: str

    @property
    def key(self) -> Key:
        """The header's key."""
        return derive_key("conversation", self.tenant_id, self.conversation_id)

    @property
    def roots_key(self) -> Key:
        """Stands in for the parent's key of a root."""
        return derive_key("roots", self.tenant_id, self.conversation_id)

    def revision_key(self, revision_id: str) -> Key:
        """The key of one revision."""
        return derive_key("revision", self.tenant_id, self.conversation_id, revision_id)

    def call_key(self, tool_call_id: str) -> Key:
        """The key of a tool call's id, by which the calls and results that name it are found."""
        return derive_key("tool call", self.tenant_id, self.conversation_id, tool_call_id)

    def call_keys(self, message: Message) -> tuple[Key, ...]:
        """Those of all calls and results in a message, each once."""
        named = (
            part.tool_call_id for part in message.parts if isinstance(part, (ToolCallPart, ToolResultPart))
        )
        return tuple(map(self.call_key, dict.fromkeys(named)))


@dataclass(frozen=True, slots=True)
class AppendPoint:
    """All that must be known of a revision to append below it or to point at it.

    ``answered``: whether an answer stands at or above it; ``prompt_key`` and ``tool_set_key``: what the newest of
    those answers was generated under. ``summary_depth``: the depth of the newest summary at or above it, from which
    replay starts. ``open_calls``: ids of the newest tool calls at or above it that have no result yet, oldest first;
    ``more_open_calls``: there were more than are remembered, here or above.
    """

    key: Key
    id: str
    depth: int
    lane_key: Key
    lane_id: str
    chain: bytes
    answered: bool = False
    prompt_key: Key | None = None
    tool_set_key: Key | None = None
    summary_depth: int | None = None
    open_calls: tuple[str, ...] = ()
    more_open_calls: bool = False


@dataclass(frozen=True, slots=True)
class LaneStart:
    """The revision that starts a lane: its key, depth and the forks that lead to it."""

    key: Key
    depth: int
    forks: Forks


@dataclass(frozen=True, slots=True)
class CallPlace:
    """A revision that holds tool parts: the ids of its calls, and of the calls its results answer."""

    point: AppendPoint
    called: frozenset[str]
    answered: frozenset[str]


@dataclass(frozen=True, slots=True)
class RememberedLeaf:
    """A leaf the user left, with its coordinates: a hint for ``select``, no part of the tree."""

    key: Key
    lane_key: Key
    depth: int


@dataclass(frozen=True, slots=True)
class Header:
    """The stored header. ``moves`` counts moves of the pointer; ``epoch`` changes when an erasure begins."""

    scope: Scope
    version: int
    moves: int
    epoch: int
    selected: AppendPoint | None
    memory: tuple[RememberedLeaf, ...]
    title: str | None
    metadata: ExactJson
    prompt_version: str | None
    tool_set: str | None
    prompt_key: Key | None
    tool_set_key: Key | None
    creation: bytes
    created_at: datetime
    updated_at: datetime

    def after_move(self, target: AppendPoint, memory: tuple[RememberedLeaf, ...], time: datetime) -> Header:
        """The header after a move of the pointer that found it unchanged."""
        return replace(
            self,
            selected=target,
            memory=memory,
            version=self.version + 1,
            moves=self.moves + 1,
            updated_at=time,
        )

    def to_conversation(self) -> Conversation:
        """The header as callers see it."""
        return Conversation(
            id=self.scope.conversation_id,
            selected_leaf_id=None if self.selected is None else self.selected.id,
            version=self.version,
            title=self.title,
            metadata_json=self.metadata,
            prompt_version=self.prompt_version,
            tool_set=self.tool_set,
            created_at=self.created_at,
            updated_at=self.updated_at,
        )


@dataclass(frozen=True, slots=True)
class StoredRevision:
    """A revision with its coordinates. ``forks`` only where it starts a lane; ``prefix`` only of an answer.

    ``moves_seen``: the pointer's counter this revision was written against, so that a retry can tell whether the
    pointer has moved since.
    """

    scope: Scope
    point: AppendPoint
    parent_id: str | None
    parent_key: Key
    ordinal: int
    encoded: EncodedMessage
    created_at: datetime
    moves_seen: int
    epoch: int
    forks: Forks | None
    generation: GenerationRecord | None
    prefix: bytes | None

    def to_revision(self, *, selected: bool) -> Revision:
        """The revision as callers see it."""
        return Revision(
            id=self.point.id,
            conversation_id=self.scope.conversation_id,
            parent_id=self.parent_id,
            ordinal=self.ordinal,
            lane_id=self.point.lane_id,
            depth=self.point.depth,
            message=self.encoded.message,
            created_at=self.created_at,
            selected=selected,
            generation=self.generation,
            chain=self.point.chain,
            prefix=self.prefix,
        )
