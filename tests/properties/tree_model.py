"""A conversation in memory, written from the documented rules alone: what the store must agree with.

Lists and dictionaries, no coordinates: a path is found by walking parents, a leaf by walking children.
"""

from dataclasses import dataclass, field

from convotree import Role, Select

REMEMBERED = 32


@dataclass
class ModelRevision:
    id: str
    parent_id: str | None
    role: Role
    text: str


@dataclass
class TreeModel:
    """``children``: ids in the order of insertion, by parent. ``left``: revisions the pointer left, newest first."""

    revisions: dict[str, ModelRevision] = field(default_factory=dict)
    children: dict[str | None, list[str]] = field(default_factory=dict)
    selected: str | None = None
    left: list[str] = field(default_factory=list)
    version: int = 1
    title: str | None = None

    # ------------------------------------------------------------ writes

    def add_below(self, parent_id: str | None, chain: list[ModelRevision], select: Select) -> bool:
        """``append`` and ``extend``: whether the pointer moved."""
        may_move = self.selected == parent_id
        return self._add(parent_id, chain, select, may_move=may_move)

    def add_beside(self, revision_id: str, new: ModelRevision, select: Select) -> bool:
        """``regenerate`` and ``edit``: nobody else writes, so the pointer stands where the call found it."""
        return self._add(self.revisions[revision_id].parent_id, [new], select, may_move=True)

    def select(self, revision_id: str, *, descend: bool) -> None:
        leaf = self._leaf_for(revision_id) if descend else revision_id
        if leaf != self.selected:
            # ``select`` knows what is remembered and keeps each once; other moves only put another before it.
            self.left = [one for one in self.left if one != self.selected]
            self._move(leaf, leaves=self.selected)

    def _add(
        self, parent_id: str | None, chain: list[ModelRevision], select: Select, *, may_move: bool
    ) -> bool:
        above = parent_id
        for one in chain:
            one.parent_id = above
            self.revisions[one.id] = one
            self.children.setdefault(above, []).append(one.id)
            above = one.id
        if select is Select.NEVER or (select is not Select.ALWAYS and not may_move):
            return False
        self._move(chain[-1].id, leaves=None if self.selected == parent_id else self.selected)
        return True

    def _move(self, target: str, *, leaves: str | None) -> None:
        if leaves is not None:
            self.left = [leaves, *self.left][:REMEMBERED]
        self.selected = target
        self.version += 1

    # ------------------------------------------------------------ reads

    def path(self, revision_id: str | None) -> list[str]:
        found: list[str] = []
        while revision_id is not None:
            found.insert(0, revision_id)
            revision_id = self.revisions[revision_id].parent_id
        return found

    def siblings(self, revision_id: str) -> list[str]:
        return self.children[self.revisions[revision_id].parent_id]

    def leaves(self) -> list[str]:
        return [one for one in self.revisions if one not in self.children]

    def preorder(self) -> list[str]:
        """Parents before children, siblings in order."""
        found: list[str] = []
        waiting = list(reversed(self.children.get(None, [])))
        while waiting:
            one = waiting.pop()
            found.append(one)
            waiting += reversed(self.children.get(one, []))
        return found

    def lane_of(self, revision_id: str) -> str:
        """The first child of a revision goes on in its lane; every other, and every root, starts one."""
        while True:
            parent_id = self.revisions[revision_id].parent_id
            if parent_id is None or self.children[parent_id][0] != revision_id:
                return revision_id
            revision_id = parent_id

    def _leaf_for(self, revision_id: str) -> str:
        """The selected one if it is below, else the one last left below, else by the newest child at each fork."""
        stood_on = [] if self.selected is None else [self.selected]
        below = (one for one in [*stood_on, *self.left] if revision_id in self.path(one))
        leaf = next(below, revision_id)
        while leaf in self.children:
            leaf = self.children[leaf][-1]
        return leaf
