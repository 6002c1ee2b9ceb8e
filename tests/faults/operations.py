"""Every public write and read, each on a small tree, with ids of its own so that it can be sent again.

The tree: ``q1`` - ``a1`` - ``q2`` - ``a2``, another answer ``b1`` beside ``a1``, and ``c2`` beside ``q2``; the pointer
on ``a2``.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from convotree import (
    Conversation,
    ConversationNotFoundError,
    ConversationStore,
    ExactJson,
    GenerationRecord,
    Message,
    ParsedConversation,
    ParsedRevision,
    PromptChoice,
    Select,
    Tool,
)

Send = Callable[[ConversationStore, str], Awaitable[Any]]


@dataclass(frozen=True)
class Operation:
    """``send`` does it to the store and the conversation of this id; again and again with the same effect.

    ``makes_another``: what it writes is a conversation of its own, beside the one of this id.
    """

    name: str
    send: Send
    makes_another: bool = False

    def target(self, conversation_id: str) -> str:
        """The conversation to look at."""
        return f"{conversation_id} new" if self.makes_another else conversation_id

    def __str__(self) -> str:
        return self.name


def tree_of(conversation_id: str) -> ParsedConversation:
    """The small tree, ready to be imported."""
    links = [("q1", None), ("a1", "q1"), ("b1", "q1"), ("q2", "a1"), ("c2", "a1"), ("a2", "q2")]
    return ParsedConversation(
        id=conversation_id,
        revisions=tuple(ParsedRevision(name, parent, _message(name), None) for name, parent in links),
        selected_leaf_id="a2",
        title="before",
        system="Be brief.",
        tools=(Tool("look", input_schema=ExactJson("{}")),),
        metadata=ExactJson('{"kept":1}'),
    )


def _message(name: str) -> Message:
    return Message.assistant(name) if name[0] in "ab" else Message.user(name)


def _chain(count: int) -> list[Message]:
    return [Message.user("new") if at % 2 == 0 else Message.assistant("new") for at in range(count)]


def _extend(parent_id: str | None = None) -> Send:
    ids = ["n1", "n2", "n3"]
    if parent_id is None:
        return lambda store, at: store.extend(at, _chain(3), revision_ids=ids)
    return lambda store, at: store.extend(
        at, _chain(3), revision_ids=ids, parent_id=parent_id, select=Select.ALWAYS
    )


async def _create(store: ConversationStore, conversation_id: str) -> Conversation:
    return await store.create(
        f"{conversation_id} new",
        system="Another.",
        tools=[{"name": "new", "input_schema": {"type": "object"}}],
        title="new",
        metadata={"a": 1},
    )


async def _import(store: ConversationStore, conversation_id: str) -> None:
    report = await store.import_([tree_of(f"{conversation_id} new")])
    assert [one.failed for one in report] == [None]


WRITES = [
    Operation("create", _create, makes_another=True),
    Operation("append", lambda store, at: store.append(at, Message.user("new"), revision_id="n1")),
    Operation(
        "append beside a child",
        lambda store, at: store.append(
            at, Message.user("new"), parent_id="a1", revision_id="n1", select=Select.ALWAYS
        ),
    ),
    Operation(
        "append where the pointer is not",
        lambda store, at: store.append(at, Message.user("new"), parent_id="b1", revision_id="n1"),
    ),
    Operation(
        "append a root",
        lambda store, at: store.append(
            at, Message.user("new"), parent_id=None, revision_id="n1", select=Select.ALWAYS
        ),
    ),
    Operation("extend", _extend()),
    Operation("extend beside a child", _extend("a1")),
    Operation(
        "regenerate",
        lambda store, at: store.regenerate(
            at,
            "a1",
            Message.assistant("new"),
            new_revision_id="n1",
            generation=GenerationRecord(model="m", params=ExactJson('{"t":1.10}')),
        ),
    ),
    Operation("edit", lambda store, at: store.edit(at, "q2", Message.user("new"), new_revision_id="n1")),
    Operation(
        "edit a root", lambda store, at: store.edit(at, "q1", Message.user("new"), new_revision_id="n1")
    ),
    Operation("select a leaf", lambda store, at: store.select(at, "b1")),
    Operation("select an inner one", lambda store, at: store.select(at, "a1", descend=False)),
    Operation("update the title", lambda store, at: store.update(at, title="after")),
    Operation(
        "update all",
        lambda store, at: store.update(
            at,
            title="after",
            metadata={"a": 2},
            remove_metadata=["kept"],
            system="New.",
            tools=[{"name": "t"}],
        ),
    ),
    Operation("import", _import, makes_another=True),
]

READS = [
    Operation("get", lambda store, at: store.get(at)),
    Operation("list", lambda store, at: store.list()),
    Operation("path", lambda store, at: store.path(at)),
    Operation("window", lambda store, at: store.path(at, before="a2", last=2)),
    Operation("siblings", lambda store, at: store.siblings(at, "a1")),
    Operation("tree", lambda store, at: store.tree(at)),
    Operation("replay", lambda store, at: store.replay(at, prompt=PromptChoice.GENERATED)),
    Operation("verify", lambda store, at: store.verify(at)),
]


@dataclass(frozen=True)
class Snapshot:
    """What a caller can see of a conversation, but for its version and times; ``links`` in the order of the tree."""

    selected_leaf_id: str | None
    title: str | None
    metadata: str
    system: Any
    tools: Any
    path: tuple[str, ...]
    links: tuple[tuple[str, str | None], ...]


async def snapshot(store: ConversationStore, conversation_id: str) -> Snapshot | None:
    """What there is; None if there is no such conversation."""
    try:
        conversation = await store.get(conversation_id)
    except ConversationNotFoundError:
        return None
    tree = await store.tree(conversation_id)
    request = await store.replay(conversation_id)
    return Snapshot(
        conversation.selected_leaf_id,
        conversation.title,
        conversation.metadata_json.text,
        request.system,
        request.tools,
        request.revision_ids,
        tuple((one.id, one.parent_id) for one in tree),
    )


async def assert_valid(store: ConversationStore, conversation_id: str) -> None:
    """It verifies and every leaf replays, if it is there."""
    try:
        tree = await store.tree(conversation_id)
    except ConversationNotFoundError:
        return
    assert await store.verify(conversation_id) == []
    for leaf in tree.leaves:
        request = await store.replay(conversation_id, leaf_id=leaf.id)
        assert request.revision_ids == tuple(one.id for one in tree.path_to(leaf.id))
