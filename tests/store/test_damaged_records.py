"""Damage outside the tree: headers, prompts, counters, planted documents. Found, and never read in silence."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from convotree import (
    ConversationStore,
    CorruptTreeError,
    Message,
    Select,
    Tool,
    ViolationKind,
)
from convotree.domain.stored import Scope
from tests.conftest import Database
from tests.store.trees import message, plant

HEADERS, REVISIONS = "convotree_conversations", "convotree_revisions"

Use = Callable[[ConversationStore], Awaitable[object]]

EVERYTHING: dict[str, Use] = {
    "get": lambda store: store.get("c"),
    "update": lambda store: store.update("c", metadata={"b": 1}),
    "append": lambda store: store.append("c", Message.user("x")),
    "append below": lambda store: store.append("c", Message.user("x"), parent_id="q1"),
    "regenerate": lambda store: store.regenerate("c", "a1", Message.assistant("x")),
    "select": lambda store: store.select("c", "q1"),
    "path": lambda store: store.path("c"),
    "siblings": lambda store: store.siblings("c", "a1"),
    "replay": lambda store: store.replay("c"),
    "tree": lambda store: store.tree("c"),
    "verify": lambda store: store.verify("c"),
}


@pytest.mark.parametrize("name", EVERYTHING)
@pytest.mark.parametrize("change", [{"conversation_id": "other"}, {"tenant_id": "other"}], ids=str)
async def test_a_header_that_says_it_is_of_another_is_never_used(
    store: ConversationStore, database: Database, name: str, change: dict[str, Any]
) -> None:
    await plant(store, "q1 a1", selected="a1")
    await plant(store, "q1 a1", selected="a1", conversation_id="other")
    await database[HEADERS].update_one({"conversation_id": "c"}, {"$set": change})
    with pytest.raises(CorruptTreeError, match="says that it is of another"):
        await EVERYTHING[name](store)
    assert await database[REVISIONS].count_documents({}) == 4
    assert await store.verify("other") == []


@pytest.mark.parametrize(
    "change",
    [
        {"created_key": None},
        {"created_key": 7},
        {"conversation_id": "other"},
        {"title": 7},
        {"metadata": b"zz"},
    ],
    ids=str,
)
async def test_a_listing_never_shows_a_damaged_header_as_something_else(
    store: ConversationStore, database: Database, change: dict[str, Any]
) -> None:
    await store.create("c")
    await database[HEADERS].update_one({"conversation_id": "c"}, {"$set": change})
    try:
        page = await store.list()
    except CorruptTreeError:
        return
    # A key of another type sorts outside of what a page asks for.
    assert [one.id for one in page] == []


@pytest.mark.parametrize(
    "change",
    [{"title": 7}, {"metadata": b"zz"}, {"prompt_version": 7}, {"tool_set": {}}, {"schema": 0}],
    ids=str,
)
async def test_a_header_is_not_half_read(
    store: ConversationStore, database: Database, change: dict[str, Any]
) -> None:
    await store.create("c")
    await database[HEADERS].update_one({"conversation_id": "c"}, {"$set": change})
    with pytest.raises(CorruptTreeError):
        await store.get("c")


async def test_a_request_is_never_built_from_another_prompt(
    store: ConversationStore, database: Database
) -> None:
    await store.create("c", system="Mine.", tools=[Tool("mine")])
    await store.create("d", system="Theirs.", tools=[Tool("theirs")])
    other = await database[HEADERS].find_one({"conversation_id": "d"})
    assert other is not None
    for key in ("prompt_key", "tool_set_key"):
        before = await database[HEADERS].find_one({"conversation_id": "c"})
        assert before is not None
        for value in (other[key], None, "x"):
            await database[HEADERS].update_one({"conversation_id": "c"}, {"$set": {key: value}})
            with pytest.raises(CorruptTreeError):
                await store.replay("c")
            assert ViolationKind.WRONG_KEY in [one.kind for one in await store.verify("c")]
        await database[HEADERS].update_one({"conversation_id": "c"}, {"$set": {key: before[key]}})
    assert await store.verify("c") == []
    for name in ("prompts", "tool_sets"):
        await database[f"convotree_{name}"].update_many({}, {"$set": {"json": b'"changed"'}})
        with pytest.raises(CorruptTreeError, match="not what"):
            await store.replay("c")


async def test_a_pointer_that_names_one_and_leads_to_another_is_refused(
    store: ConversationStore, database: Database
) -> None:
    await plant(store, "q1 a1 q2", selected="q2")
    key = Scope("default", "c").revision_key("a1")
    await database[HEADERS].update_one({}, {"$set": {"selected.key": key}})
    for read in (store.path("c"), store.replay("c")):
        with pytest.raises(CorruptTreeError, match="leads to 'a1'"):
            await read
    assert ViolationKind.WRONG_SELECTED_LEAF in [one.kind for one in await store.verify("c")]


@pytest.mark.parametrize(
    "change", [{"next": "x"}, {"next": 2**62}, {"tokens": None}, {"tokens": "x"}], ids=str
)
async def test_a_counter_that_cannot_be_used_is_found_and_called_by_its_name(
    store: ConversationStore, database: Database, change: dict[str, Any]
) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a1")
    await database["convotree_counters"].update_many({}, {"$set": change})
    found = [(one.kind, one.revision_id) for one in await store.verify("c")]
    assert found == [(ViolationKind.WRONG_COUNTER, "q1")]
    with pytest.raises(CorruptTreeError):
        await store.regenerate("c", "a1", message("a3"))


async def test_planted_documents_are_passed_over(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1 q2", "q1 a2", selected="q2")
    found = await database[REVISIONS].find_one({"revision_id": "a1"})
    assert found is not None
    planted = {**found, "_id": "planted", "tenant_id": "someone", "revision_id": "ghost", "ordinal": 9}
    await database[REVISIONS].insert_one(planted)
    assert [one.id for one in await store.path("c")] == ["q1", "a1", "q2"]
    assert [one.id for one in await store.siblings("c", "a1")] == ["a1", "a2"]
    assert len((await store.replay("c")).messages) == 3
    assert await store.verify("c") == []


async def test_a_depth_beyond_all_reason_is_answered_in_bounded_time(
    store: ConversationStore, database: Database
) -> None:
    await plant(store, "q1 a1", selected="a1")
    for where in (REVISIONS, HEADERS):
        field = "depth" if where == REVISIONS else "selected.depth"
        query = {"revision_id": "a1"} if where == REVISIONS else {}
        await database[where].update_one(query, {"$set": {field: 30_000_000}})
    with pytest.raises(CorruptTreeError):
        await store.path("c")


async def test_nothing_is_stored_below_a_lane_whose_way_is_damaged(
    store: ConversationStore, database: Database
) -> None:
    await plant(store, "q1 a1 q2", "q1 a2 q3", selected="q3")
    await database[REVISIONS].update_one({"revision_id": "a2"}, {"$set": {"forks.tail.0.upto": 7}})
    with pytest.raises(CorruptTreeError, match="a2"):
        await store.append("c", message("q4"), parent_id="a2", select=Select.NEVER)


async def test_inner_revisions_are_selected_in_few_round_trips_however_many_leaves_are_remembered(
    store: ConversationStore, commands: Any
) -> None:
    await plant(store, "q1 a1")
    for branch in range(12):
        parent = "a1"
        for number in range(70):
            name = f"{'qa'[number % 2]}-{branch}-{number}"
            await store.append("c", message(name), parent_id=parent, revision_id=name, select=Select.NEVER)
            twin = f"{'qa'[number % 2]}-{branch}-{number}-twin"
            await store.append("c", message(twin), parent_id=parent, revision_id=twin, select=Select.NEVER)
            parent = twin
        await store.select("c", parent)
    commands.clear()
    await store.select("c", "q-0-0-twin")
    assert len(commands.names) <= 6
