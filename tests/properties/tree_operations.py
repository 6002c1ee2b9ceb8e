"""Operations that Hypothesis may choose, each done to a store and to the model; positions are taken modulo the size."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hypothesis import strategies as st

from convotree import (
    SELECTED_LEAF,
    ConversationStore,
    Message,
    Revision,
    Role,
    Select,
    SelectionMovedError,
)
from tests.properties.tree_model import ModelRevision, TreeModel

SELECTS = st.sampled_from(Select)
POSITIONS = st.integers(0, 30)
ROLES = st.sampled_from([Role.USER, Role.ASSISTANT, Role.DEVELOPER])


@dataclass
class Play:
    """One conversation in the store and in the model, and the writes so far, so that each can be repeated."""

    store: ConversationStore
    conversation_id: str
    model: TreeModel = field(default_factory=TreeModel)
    done: "list[Write]" = field(default_factory=list)

    def pick(self, position: int, role: Role | None = None) -> str | None:
        fitting = [one.id for one in self.model.revisions.values() if role is None or one.role is role]
        return fitting[position % len(fitting)] if fitting else None

    def fresh(self, role: Role) -> ModelRevision:
        number = len(self.model.revisions)
        # Ids sort against the order of insertion: nothing may compare them.
        return ModelRevision(f"{999 - number:03d}", None, role, f"text {number}")


class Operation(Protocol):
    async def run(self, play: Play) -> None: ...


@dataclass
class Write:
    """A write with ids of its own, as it was sent. ``beside``: the sibling it was to stand beside, if any."""

    revisions: list[ModelRevision]
    parent_id: str | None
    by_default: bool
    beside: str | None
    select: Select

    async def send(self, play: Play) -> list[Revision]:
        """Send it; where the pointer was required to move and did not, give what was stored all the same."""
        store, conversation_id = play.store, play.conversation_id
        messages = [_message(one) for one in self.revisions]
        first = self.revisions[0]
        try:
            if self.beside is not None and first.role is Role.ASSISTANT:
                stored = await store.regenerate(
                    conversation_id, self.beside, messages[0], new_revision_id=first.id, select=self.select
                )
                return [stored]
            if self.beside is not None:
                stored = await store.edit(
                    conversation_id, self.beside, messages[0], new_revision_id=first.id, select=self.select
                )
                return [stored]
            parent = SELECTED_LEAF if self.by_default else self.parent_id
            if len(messages) == 1:
                stored = await store.append(
                    conversation_id, messages[0], parent_id=parent, revision_id=first.id, select=self.select
                )
                return [stored]
            return await store.extend(
                conversation_id,
                messages,
                parent_id=parent,
                revision_ids=[one.id for one in self.revisions],
                select=self.select,
            )
        except SelectionMovedError as error:
            moved = error
        assert self.select is Select.REQUIRED
        assert moved.selected_leaf_id == play.model.selected
        assert moved.revision is not None
        return [moved.revision]

    async def first_time(self, play: Play) -> None:
        """Send it, and again at once."""
        stored = await self.send(play)
        model = play.model
        if self.beside is None:
            moved = model.add_below(self.parent_id, self.revisions, self.select)
        else:
            moved = model.add_beside(self.beside, self.revisions[0], self.select)
        _check_given(play, stored, self.revisions, moved=moved)
        _check_given(play, await self.send(play), self.revisions, moved=moved)
        play.done.append(self)


@dataclass
class Add:
    """``append`` one message or ``extend`` by several. ``at``: below which revision; None: the selected leaf."""

    roles: Sequence[Role]
    at: int | None
    select: Select

    async def run(self, play: Play) -> None:
        parent_id = play.model.selected if self.at is None else play.pick(self.at)
        revisions = []
        for role in self.roles:
            revisions.append(play.fresh(role))
            play.model.revisions[revisions[-1].id] = revisions[-1]  # so that the next one gets another id
        for one in revisions:
            del play.model.revisions[one.id]
        await Write(revisions, parent_id, self.at is None, None, self.select).first_time(play)


@dataclass
class AddRoot:
    role: Role
    select: Select

    async def run(self, play: Play) -> None:
        await Write([play.fresh(self.role)], None, False, None, self.select).first_time(play)


@dataclass
class AddBeside:
    """``regenerate`` an answer, or ``edit`` a question."""

    role: Role
    at: int
    select: Select

    async def run(self, play: Play) -> None:
        beside = play.pick(self.at, self.role)
        if beside is not None:
            await Write([play.fresh(self.role)], None, False, beside, self.select).first_time(play)


@dataclass
class Repeat:
    """Send an earlier write again, 0 being the last: nothing may change."""

    at: int

    async def run(self, play: Play) -> None:
        if play.done:
            write = play.done[-1 - self.at % len(play.done)]
            stored = await write.send(play)
            moved = play.model.selected == write.revisions[-1].id
            _check_given(play, stored, write.revisions, moved=moved)


@dataclass
class Wander:
    """``select`` one revision after the other: what a move remembers shows only at a later one."""

    steps: Sequence[tuple[int, bool]]
    """Each revision, and whether to ask for the leaf it stands for."""

    async def run(self, play: Play) -> None:
        for at, descend in self.steps:
            target = play.pick(at)
            if target is None:
                return
            play.model.select(target, descend=descend)
            conversation = await play.store.select(play.conversation_id, target, descend=descend)
            assert conversation.selected_leaf_id == play.model.selected
            assert conversation.version == play.model.version


@dataclass
class Rename:
    """``update``: the tree and the pointer must not notice."""

    title: str

    async def run(self, play: Play) -> None:
        conversation = await play.store.update(play.conversation_id, title=self.title)
        play.model.title = self.title
        play.model.version += 1
        assert conversation.version == play.model.version


OPERATIONS: st.SearchStrategy[Operation] = st.one_of(
    st.builds(Add, st.lists(ROLES, min_size=1, max_size=3), st.none() | POSITIONS, SELECTS),
    st.builds(AddRoot, ROLES, SELECTS),
    st.builds(AddBeside, st.sampled_from([Role.USER, Role.ASSISTANT]), POSITIONS, SELECTS),
    st.builds(Wander, st.lists(st.tuples(POSITIONS, st.booleans() | st.just(True)), min_size=1, max_size=6)),
    st.builds(Repeat, POSITIONS),
    st.builds(Rename, st.text("ab", max_size=3)),
)


def _message(revision: ModelRevision) -> Message:
    makers = {
        Role.USER: Message.user,
        Role.ASSISTANT: Message.assistant,
        Role.DEVELOPER: Message.developer,
    }
    return makers[revision.role](revision.text)


def _check_given(
    play: Play, stored: Sequence[Revision], expected: Sequence[ModelRevision], *, moved: bool
) -> None:
    """What a write gives back: places and content of what it stored, and whether the last is selected."""
    if len(stored) == len(expected):
        assert [one.id for one in stored] == [one.id for one in expected]
    for one in stored:
        wanted = play.model.revisions[one.id]
        assert one.parent_id == wanted.parent_id
        assert one.message == _message(wanted)
        assert one.depth == len(play.model.path(one.id)) - 1
    assert [one.selected for one in stored] == [False] * (len(stored) - 1) + [moved]
