"""A revision: one immutable message with its place in the tree."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message

__all__ = ["Revision"]


@dataclass(frozen=True, slots=True)
class Revision:
    """One immutable node of a conversation.

    ``ordinal``: its number among its siblings, from 0 in the order of insertion, never reused. ``lane_id``:
    the id of the revision that starts its lane. ``depth``: 0 for a root. ``created_at``: UTC, milliseconds;
    it decides nothing. ``selected``: of a revision that was just written, whether the pointer was moved to
    it; of one that was read, whether it was the selected leaf at that moment. ``generation``: for an answer,
    what it was generated under. ``chain``: 32 bytes, the chained digest of the path down to here; ``prefix``: for an
    answer, 32 bytes over the system prompt, the tools and the path above that it was generated from.
    """

    id: str
    conversation_id: str
    parent_id: str | None
    ordinal: int
    lane_id: str
    depth: int
    message: Message
    created_at: datetime
    selected: bool = False
    generation: GenerationRecord | None = None
    chain: bytes = b""
    prefix: bytes | None = None
