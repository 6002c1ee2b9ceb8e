"""The skeleton of a conversation: every revision's place, no content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from convotree.domain.message import Role
from convotree.errors import CorruptTreeError, RevisionNotFoundError

__all__ = ["ConversationTree", "TreeRevision"]


@dataclass(frozen=True, slots=True)
class TreeRevision:
    """A revision without its content."""

    id: str
    parent_id: str | None
    ordinal: int
    depth: int
    lane_id: str
    role: Role


@dataclass(frozen=True)
class ConversationTree:
    """The whole tree of a conversation at one moment, in memory; no method does I/O.

    ``revisions``: parents before children, siblings by ordinal. ``selected_leaf_id``: None in an empty conversation.
    """

    conversation_id: str
    selected_leaf_id: str | None
    revisions: tuple[TreeRevision, ...]

    @classmethod
    def of(
        cls, conversation_id: str, selected_leaf_id: str | None, revisions: Iterable[TreeRevision]
    ) -> ConversationTree:
        """The tree of ``revisions``, which may come in any order. Iterative: any depth.

        Raises:
            CorruptTreeError: if a parent is missing, links form a cycle or an id is there twice, naming one revision
                concerned.
        """
        children: dict[str | None, list[TreeRevision]] = {}
        known: set[str] = set()
        count = 0
        for one in revisions:
            if one.id in known:
                raise CorruptTreeError(
                    problem="another revision of this id is stored too",
                    conversation_id=conversation_id,
                    revision_id=one.id,
                )
            children.setdefault(one.parent_id, []).append(one)
            known.add(one.id)
            count += 1
        for siblings in children.values():
            siblings.sort(key=lambda one: (one.ordinal, one.id))
        ordered: list[TreeRevision] = []
        waiting = list(reversed(children.get(None, [])))
        while waiting:
            one = waiting.pop()
            ordered.append(one)
            waiting.extend(reversed(children.get(one.id, ())))
        if len(ordered) != count:
            reached = {one.id for one in ordered}
            lost = [one for group in children.values() for one in group if one.id not in reached]
            # What hangs below an orphan is lost too, but the orphan is what to repair.
            orphan = next((one for one in lost if one.parent_id not in known), None)
            raise CorruptTreeError(
                problem="no root leads to it: links form a cycle"
                if orphan is None
                else "its parent is missing",
                conversation_id=conversation_id,
                revision_id=lost[0].id if orphan is None else orphan.id,
            )
        return cls(conversation_id, selected_leaf_id, tuple(ordered))

    def __iter__(self) -> Iterator[TreeRevision]:
        return iter(self.revisions)

    def __len__(self) -> int:
        return len(self.revisions)

    @cached_property
    def _by_id(self) -> Mapping[str, TreeRevision]:
        return {one.id: one for one in self.revisions}

    @cached_property
    def _children(self) -> Mapping[str | None, tuple[TreeRevision, ...]]:
        children: dict[str | None, list[TreeRevision]] = {}
        for one in self.revisions:
            children.setdefault(one.parent_id, []).append(one)
        return {
            parent: tuple(sorted(group, key=lambda one: one.ordinal)) for parent, group in children.items()
        }

    @property
    def roots(self) -> tuple[TreeRevision, ...]:
        """The roots, by ordinal."""
        return self._children.get(None, ())

    @property
    def leaves(self) -> tuple[TreeRevision, ...]:
        """The revisions without children, in the order of ``revisions``."""
        return tuple(one for one in self.revisions if one.id not in self._children)

    def get(self, revision_id: str) -> TreeRevision:
        """One revision.

        Raises:
            RevisionNotFoundError: if the tree has none of this id.
        """
        found = self._by_id.get(revision_id)
        if found is None:
            raise RevisionNotFoundError(conversation_id=self.conversation_id, revision_id=revision_id)
        return found

    def children(self, revision_id: str) -> tuple[TreeRevision, ...]:
        """The children of a revision, by ordinal.

        Raises:
            RevisionNotFoundError: if the tree has none of this id.
        """
        return self._children.get(self.get(revision_id).id, ())

    def siblings(self, revision_id: str) -> tuple[TreeRevision, ...]:
        """A revision and its siblings, by ordinal.

        Raises:
            RevisionNotFoundError: if the tree has none of this id.
        """
        return self._children[self.get(revision_id).parent_id]

    def path_to(self, revision_id: str) -> tuple[TreeRevision, ...]:
        """The revisions from a root to this one.

        Raises:
            RevisionNotFoundError: if the tree has none of this id.
        """
        path = [self.get(revision_id)]
        while path[-1].parent_id is not None:
            path.append(self._by_id[path[-1].parent_id])
        return tuple(reversed(path))

    def newest_leaf_below(self, revision_id: str) -> TreeRevision:
        """The leaf reached from a revision by the highest ordinal at each fork (itself if it is a leaf).

        Raises:
            RevisionNotFoundError: if the tree has none of this id.
        """
        one = self.get(revision_id)
        while below := self._children.get(one.id):
            one = below[-1]
        return one
