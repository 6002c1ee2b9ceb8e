"""A page of a listing of conversations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from convotree.domain.conversation import Conversation

__all__ = ["ConversationPage"]


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """Conversations in the order that was asked for. ``next_after``: give it as ``after`` to read on; None: the end."""

    conversations: tuple[Conversation, ...]
    next_after: str | None

    def __iter__(self) -> Iterator[Conversation]:
        return iter(self.conversations)

    def __len__(self) -> int:
        return len(self.conversations)
