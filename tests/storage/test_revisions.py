"""Revisions in the database: in and out unchanged, each read one command, and none of them a scan."""

from collections.abc import Awaitable, Callable

import pytest

from convotree.domain.message import Message
from convotree.domain.stored import AppendPoint, Scope
from convotree.domain.verification import check_tree
from convotree.errors import CorruptTreeError
from convotree.identity import Key
from convotree.storage.pipelines import PathQuery
from convotree.storage.revisions import RevisionStorage
from convotree.storage.storage import Storage
from tests.command_log import CommandLog
from tests.conftest import Database
from tests.domain.stored_values import SCOPE, Grove, facts_of


@pytest.fixture
def grove() -> Grove:
    one = Grove()
    one.add("q", None)
    one.add("a", "q", Message.assistant("a"))
    one.add("b", "q", Message.assistant("b"))
    one.add("c", "b")
    one.add("z", None)
    return one


@pytest.fixture
async def revisions(storage: Storage, grove: Grove) -> RevisionStorage:
    await storage.conversations.insert(grove.header("c"))
    assert await storage.revisions.insert_many(list(grove.revisions.values())) == 5
    return storage.revisions


def key(name: str) -> Key:
    return SCOPE.revision_key(name)


async def test_a_revision_comes_back_as_it_was_stored(revisions: RevisionStorage, grove: Grove) -> None:
    for name, stored in grove.revisions.items():
        assert await revisions.find(SCOPE, key(name)) == stored
        assert await revisions.find_point(SCOPE, key(name)) == stored.point
    assert await revisions.find(SCOPE, key("nowhere")) is None
    assert await revisions.find_point(SCOPE, key("nowhere")) is None
    assert await revisions.find_many(SCOPE, [key("a"), key("nowhere")]) == {key("a"): grove.revisions["a"]}
    assert await revisions.existing_keys(SCOPE, [key("a"), key("nowhere")]) == {key("a")}
    assert await revisions.lane_starts(SCOPE, [key("b")]) == {key("b"): grove.starts[key("b")]}


async def test_an_id_or_a_place_that_is_taken_is_reported(revisions: RevisionStorage, grove: Grove) -> None:
    other = Grove()
    other.add("q", None)

    assert not await revisions.insert(grove.revisions["a"])
    assert not await revisions.insert(other.add("x", "q"))  # ordinal 0 below q is taken
    assert await revisions.insert_many([grove.add("d", "c"), grove.revisions["a"], grove.add("e", "d")]) == 1
    assert await revisions.existing_keys(SCOPE, [key("d"), key("e")]) == {key("d")}


READS: list[tuple[str, Callable[[RevisionStorage, Scope], Awaitable[object]]]] = [
    ("path", lambda one, scope: one.path(scope, PathQuery(key("c")))),
    ("siblings", lambda one, scope: one.siblings(scope, key("a"), after_ordinal=None, limit=None)),
    ("below", lambda one, scope: one.below(scope, key("b"))),
    ("beside", lambda one, scope: one.beside(scope, key("b"))),
    ("selection", lambda one, scope: one.selection(scope, key("b"))),
]


@pytest.mark.parametrize(("name", "read"), READS)
async def test_a_read_is_one_command_and_none_of_an_unknown_conversation(
    revisions: RevisionStorage,
    commands: CommandLog,
    name: str,
    read: Callable[[RevisionStorage, Scope], Awaitable[object]],
) -> None:
    commands.clear()

    assert await read(revisions, SCOPE) is not None
    assert commands.names == ["aggregate"]
    assert await read(revisions, Scope("tenant", "unknown")) is None
    assert await read(revisions, Scope("other", "conversation")) is None


async def test_what_a_place_tells(revisions: RevisionStorage, grove: Grove) -> None:
    below = await revisions.below(SCOPE, None)
    beside = await revisions.beside(SCOPE, key("b"))
    root = await revisions.beside(SCOPE, key("z"))

    assert below is not None
    assert below.target is not None
    assert (below.target.point, below.start) == (grove.revisions["c"].point, grove.starts[key("b")])
    assert beside is not None
    assert beside.target is not None
    assert beside.parent is not None
    assert (beside.target.role, beside.target.ordinal) == ("assistant", 1)
    assert (beside.parent.point, beside.start) == (grove.revisions["q"].point, grove.starts[key("q")])
    assert root is not None
    assert (root.parent, root.start) == (None, None)


async def test_the_skeleton_has_every_place(revisions: RevisionStorage) -> None:
    found = {
        (one.id, one.parent_id, one.ordinal, one.depth, one.lane_id)
        for one in await revisions.skeleton(SCOPE)
    }

    assert found == {
        ("q", None, 0, 0, "q"),
        ("a", "q", 0, 1, "q"),
        ("b", "q", 1, 1, "b"),
        ("c", "b", 0, 2, "b"),
        ("z", None, 1, 0, "z"),
    }


async def test_facts_are_streamed_and_what_cannot_be_read_says_why(
    revisions: RevisionStorage, grove: Grove, database: Database
) -> None:
    await database["convotree_revisions"].update_one({"revision_id": "z"}, {"$set": {"depth": "0"}})

    found = [one async for batch in revisions.stream_facts(SCOPE) for one in batch]

    damaged = [one for one in found if isinstance(one, CorruptTreeError)]
    assert [one.revision_id for one in damaged] == ["z"]
    facts = [one for one in found if not isinstance(one, CorruptTreeError)]
    assert {one.point.id: one for one in facts} == {
        name: facts_of(one) for name, one in grove.revisions.items() if name != "z"
    }
    assert check_tree(grove.header("c"), facts) == []


async def test_a_withdrawn_revision_is_gone(revisions: RevisionStorage) -> None:
    await revisions.delete(SCOPE, key("c"))

    assert await revisions.find(SCOPE, key("c")) is None


async def test_a_selection_tells_leaves_children_and_lane_starts(
    storage: Storage, revisions: RevisionStorage, grove: Grove, database: Database
) -> None:
    left: list[AppendPoint] = [grove.revisions[name].point for name in ("a", "b")]
    memory = [{"key": one.key, "lane_key": one.lane_key, "depth": one.depth} for one in left]
    await database["convotree_conversations"].update_one({}, {"$set": {"memory": memory}})

    inner = await revisions.selection(SCOPE, key("q"))
    leaf = await revisions.selection(SCOPE, key("z"))

    assert inner is not None
    assert not inner.target_is_leaf
    assert inner.leaves == {one.key: one for one in left}
    assert inner.inner == {key("b")}
    assert inner.starts == {key("q"): grove.starts[key("q")], key("b"): grove.starts[key("b")]}
    assert leaf is not None
    assert leaf.target_is_leaf
