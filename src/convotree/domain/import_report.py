"""What became of an import."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from convotree.domain.parsed import ImportProblem

__all__ = ["ImportReport", "ImportedConversation"]


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """One conversation: how many revisions were ``stored`` now, how many were ``present`` before, the selected leaf
    after it, and what was repaired, kept aside or refused. ``failed``: why the rest of it was not stored, or None.
    """

    id: str
    stored: int
    present: int
    selected_leaf_id: str | None
    problems: tuple[ImportProblem, ...] = ()
    failed: str | None = None


@dataclass(frozen=True, slots=True)
class ImportReport:
    """All conversations of an import in order, and the problems that belong to none of them."""

    conversations: tuple[ImportedConversation, ...]
    problems: tuple[ImportProblem, ...] = ()

    def __iter__(self) -> Iterator[ImportedConversation]:
        return iter(self.conversations)

    def __len__(self) -> int:
        return len(self.conversations)
