"""verify: nothing on a sound tree, each planted damage as its own kind, once, in bounded time."""

from typing import Any

import pytest
from pymongo.asynchronous.database import AsyncDatabase

from convotree import (
    Check,
    ConversationNotFoundError,
    ConversationStore,
    CorruptTreeError,
    GenerationRecord,
    Message,
    Select,
    Tool,
    Violation,
    ViolationKind,
)
from tests.conftest import Database
from tests.store import raw
from tests.store.interloper import Interloper
from tests.store.trees import call, message, plant, plant_comb

Kind = ViolationKind


async def plant_all_shapes(store: ConversationStore) -> None:
    """Roots, forks, calls and results, prompts that changed, an answer under an older prompt."""
    first = await store.create("c", system="First.", tools=[Tool("look")])
    await store.extend("c", [message("q1"), message("a1")], revision_ids=["q1", "a1"])
    await store.update("c", system="Second.", tools=())
    await store.extend(
        "c",
        [message("q2"), call("x", "y"), Message.tool_result("y", "1"), Message.tool_result("x", "2")],
        revision_ids=["q2", "t1", "r1", "r2"],
    )
    await store.regenerate("c", "a1", message("a2"), new_revision_id="a2")
    await store.extend("c", [message("q3"), message("a3"), message("q4")], revision_ids=["q3", "a3", "q4"])
    record = GenerationRecord(prompt_version=first.prompt_version, tool_set=first.tool_set)
    await store.append("c", message("a4"), revision_id="a4", generation=record)
    await store.edit("c", "q1", message("q5"), new_revision_id="q5")
    await store.append("c", message("a5"), revision_id="a5")
    await store.append("c", Message.tool_result("lost"), revision_id="r5", check=Check.RECORD)
    await store.select("c", "a4")


async def violations(store: ConversationStore) -> list[tuple[ViolationKind, str | None]]:
    return [(one.kind, one.revision_id) for one in await store.verify("c")]


async def test_a_sound_tree_has_none(store: ConversationStore) -> None:
    await store.create("c")
    assert await store.verify("c") == []
    await store.create("d", system="Be brief.")
    assert await store.verify("d") == []
    await plant_comb(store, 130, conversation_id="comb")
    assert await store.verify("comb") == []


async def test_a_tree_of_all_shapes_has_none(store: ConversationStore) -> None:
    await plant_all_shapes(store)

    assert await store.verify("c") == []


async def test_a_conversation_must_be_there(store: ConversationStore) -> None:
    await plant(store.for_tenant("other"), "q1")

    with pytest.raises(ConversationNotFoundError):
        await store.verify("c")


async def test_it_reads_in_lists(store: ConversationStore, commands: Interloper) -> None:
    await store.create("c")
    await store.extend("c", [message(f"{'aq'[n % 2]}{n}") for n in range(1100)])
    commands.clear()
    assert await store.verify("c") == []

    assert commands.names[:2] == ["find", "find"]
    assert set(commands.names[2:]) == {"getMore"}
    assert len(commands.names) <= 2 + 3


Damage = tuple[str, dict[str, Any], list[tuple[ViolationKind, str | None]]]

DAMAGE: list[Damage] = [
    ("a3", {"depth": 9}, [(Kind.WRONG_DEPTH, "a3")]),
    ("q1", {"depth": 1}, [(Kind.WRONG_DEPTH, "q1")]),
    ("a3", {"lane_id": "q1"}, [(Kind.WRONG_LANE, "a3")]),
    ("a3", {"lane_key": "x" * 24}, [(Kind.WRONG_LANE, "a3")]),
    ("a3", {"segment": "x:0"}, [(Kind.WRONG_SEGMENT, "a3")]),
    ("a2", {"forks": {"tail": []}}, [(Kind.WRONG_FORKS, "a2")]),
    ("a2", {"forks.tail.0.upto": 7}, [(Kind.WRONG_FORKS, "a2")]),
    ("a3", {"forks": {"tail": []}}, [(Kind.WRONG_FORKS, "a3")]),
    ("q1", {"forks.pages": [{"key": "x" * 24, "upto": 1}]}, [(Kind.WRONG_FORKS, "q1")]),
    ("a3", {"parent_key": "x" * 24}, [(Kind.WRONG_KEY, "a3")]),
    ("a3", {"chain": bytes(32)}, [(Kind.WRONG_CHAIN, "a3")]),
    ("a3", {"digest": bytes(32)}, [(Kind.CHANGED_CONTENT, "a3")]),
    ("a3", {"role": "user"}, [(Kind.CHANGED_CONTENT, "a3")]),
    ("a3", {"as_string": False}, [(Kind.CHANGED_CONTENT, "a3")]),
    ("a3", {"parts.0.json": b'{"type":"text","text":"a9"}'}, [(Kind.CHANGED_CONTENT, "a3")]),
    ("a3", {"provider_data": b'{"x":1}'}, [(Kind.CHANGED_CONTENT, "a3")]),
    ("a3", {"prefix": bytes(32)}, [(Kind.WRONG_PREFIX, "a3")]),
    ("a3", {"answered": False}, [(Kind.WRONG_CONTEXT, "a3")]),
    ("q3", {"open_calls": ["x"]}, [(Kind.WRONG_CONTEXT, "q3")]),
    ("t1", {"open_calls": ["x"]}, [(Kind.WRONG_CONTEXT, "t1")]),
    ("q3", {"prompt_key": "x" * 24}, [(Kind.WRONG_CONTEXT, "q3")]),
    ("a3", {"schema": 2}, [(Kind.UNREADABLE, "a3")]),
    ("a3", {"schema": None}, [(Kind.UNREADABLE, "a3")]),
    ("a3", {"parts": "gone"}, [(Kind.UNREADABLE, "a3")]),
    ("a3", {"parts.0.json": b"\xff"}, [(Kind.UNREADABLE, "a3")]),
    ("a3", {"parts.0.json": b"{"}, [(Kind.UNREADABLE, "a3")]),
    ("a3", {"depth": "9"}, [(Kind.UNREADABLE, "a3")]),
    ("a3", {"ordinal": None}, [(Kind.UNREADABLE, "a3")]),
    ("a3", {"parent_id": 7}, [(Kind.UNREADABLE, "a3")]),
    ("a3", {"parent_id": {"$gt": ""}}, [(Kind.UNREADABLE, "a3")]),
    ("a3", {"generation": b'{"unheard of":1}'}, [(Kind.UNREADABLE, "a3")]),
    ("a3", {"digest": "text"}, [(Kind.UNREADABLE, "a3")]),
    ("a3", {"segment": 7}, [(Kind.UNREADABLE, "a3")]),
    ("a2", {"forks": {"tail": [{"lane": 7}]}}, [(Kind.UNREADABLE, "a2")]),
    ("a3", {"parent_id": "nowhere"}, [(Kind.MISSING_PARENT, "a3")]),
]


@pytest.mark.parametrize(("revision_id", "fields", "found"), DAMAGE, ids=str)
@pytest.mark.parametrize("driver", ["pymongo"])
async def test_each_damage_is_found_once(
    store: ConversationStore,
    database: Database,
    revision_id: str,
    fields: dict[str, Any],
    found: list[tuple[ViolationKind, str | None]],
) -> None:
    await plant_all_shapes(store)
    await raw.change_revision(database, revision_id, fields)

    assert await violations(store) == found


async def test_damage_is_found_by_either_driver(store: ConversationStore, database: Database) -> None:
    await plant_all_shapes(store)
    await raw.change_revision(database, "a3", {"depth": 9})
    await raw.change_revision(database, "q4", {"parts.0.json": b"\xff"})
    await raw.change_revision(database, "r1", {"parts.0.status": "changed"})  # for queries, not the record
    found = await store.verify("c")

    assert sorted((one.kind.value, one.revision_id) for one in found) == [
        ("unreadable", "q4"),
        ("wrong_depth", "a3"),
    ]
    assert all(isinstance(one, Violation) and one.detail for one in found)


async def test_damage_names_no_content(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1", selected="q1")
    await store.append("c", Message.assistant("a secret"), revision_id="a1", select=Select.NEVER)
    await raw.change_revision(database, "a1", {"parts.0.json": b'{"type":"text","text":"another secret"}'})

    (one,) = await store.verify("c")
    assert "secret" not in one.detail


async def test_a_missing_parent(store: ConversationStore, database: Database) -> None:
    await plant_all_shapes(store)
    await raw.remove_revision(database, "q3")

    assert await violations(store) == [(Kind.MISSING_PARENT, "a3")]


async def test_a_missing_lane_start(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1 q2", "q1 a2 q3 a3", "q3 a4 q5", selected="q1")
    await raw.remove_revision(database, "a2")

    assert await violations(store) == [(Kind.MISSING_PARENT, "q3")]


async def test_a_missing_root(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1 q2", "q1 a2", selected="a2")
    await raw.remove_revision(database, "q1")

    assert sorted(await violations(store), key=str) == [
        (Kind.MISSING_PARENT, "a1"),
        (Kind.MISSING_PARENT, "a2"),
    ]


@pytest.mark.parametrize(
    ("links", "named"),
    [
        ({"q1": "a2"}, "a1"),  # the whole conversation
        ({"q2": "a2"}, "a2"),
        ({"q2": "q2"}, "q2"),
        ({"a1": "q2"}, "a1"),
    ],
    ids=str,
)
async def test_a_cycle_is_one_violation(
    store: ConversationStore, database: Database, links: dict[str, str], named: str
) -> None:
    await plant(store, "q1 a1 q2 a2", "a2 q3", selected="q3")
    for one, parent_id in links.items():
        await raw.change_revision(database, one, {"parent_id": parent_id, "ordinal": 7})

    assert await violations(store) == [(Kind.CYCLE, named)]


async def test_two_cycles_are_two(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1 q2 a2 q3 a3", selected="q1")
    await raw.change_revision(database, "a1", {"parent_id": "q2", "ordinal": 7})
    await raw.change_revision(database, "a2", {"parent_id": "q3", "ordinal": 7})

    assert sorted(await violations(store), key=str) == [(Kind.CYCLE, "a1"), (Kind.CYCLE, "a2")]


async def test_a_dangling_selected_leaf(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1", selected="a1")
    await raw.remove_revision(database, "a1")

    assert await violations(store) == [(Kind.DANGLING_SELECTED_LEAF, None)]


@pytest.mark.parametrize(
    "fields",
    [
        {"selected.depth": 7},
        {"selected.chain": bytes(32)},
        {"selected.lane_id": "x"},
        {"selected.open_calls": ["x"]},
        {"selected.key": "x" * 24},
    ],
    ids=str,
)
@pytest.mark.parametrize("driver", ["pymongo"])
async def test_a_selected_leaf_with_other_coordinates(
    store: ConversationStore, database: Database, fields: dict[str, Any]
) -> None:
    await plant(store, "q1 a1", selected="a1")
    await raw.change_header(database, fields)

    assert await violations(store) == [(Kind.WRONG_SELECTED_LEAF, None)]


async def test_a_number_taken_twice(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="q1")
    await database["convotree_revisions"].drop_index("tenant_id_1_conversation_id_1_parent_id_1_ordinal_1")
    await store.append("c", message("a3"), parent_id="q1", revision_id="a3", select=Select.NEVER)
    await raw.change_revision(database, "a3", {"ordinal": 1})

    assert await violations(store) == [(Kind.DUPLICATE_ORDINAL, "a3")]


async def test_an_id_taken_twice(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1 q2 a2", selected="q1")
    copy = await raw.revision(database, "q2")
    await database["convotree_revisions"].insert_one(
        copy | {"_id": "x" * 24, "parent_id": "q2", "ordinal": 7}
    )

    assert (Kind.WRONG_KEY, "q2") in await violations(store)
    for attempt in (store.tree("c"), store.path("c", leaf_id="q2")):
        with pytest.raises(CorruptTreeError):
            await attempt


@pytest.mark.parametrize("collection", ["prompts", "tool_sets"])
@pytest.mark.parametrize("fields", [None, {"json": b'"Other."'}, {"json": "text"}, {"schema": 2}], ids=str)
async def test_a_missing_or_changed_prompt(
    store: ConversationStore, database: Database, collection: str, fields: dict[str, Any] | None
) -> None:
    await plant_all_shapes(store)
    first = (await store.path("c", leaf_id="a1"))[1].generation
    assert first is not None
    named = first.prompt_version if collection == "prompts" else first.tool_set
    field = "prompt_version" if collection == "prompts" else "tool_set"
    if fields is None:
        await database[f"convotree_{collection}"].delete_one({field: named})
    else:
        await database[f"convotree_{collection}"].update_one({field: named}, {"$set": fields})
    found = await store.verify("c")

    assert [one.kind for one in found] == [Kind.MISSING_PROMPT]
    assert found[0].revision_id in ("a1", "a4")
    assert named is not None
    assert named in found[0].detail


async def test_the_conversations_own_prompt_is_the_headers(
    store: ConversationStore, database: Database
) -> None:
    await store.create("c", system="Be brief.")
    await database["convotree_prompts"].delete_many({})

    assert await violations(store) == [(Kind.MISSING_PROMPT, None)]


async def test_damage_in_one_conversation_is_none_of_another(
    store: ConversationStore, database: Database
) -> None:
    await plant(store, "q1 a1")
    await plant(store, "q8 a8", conversation_id="other")
    await plant(store.for_tenant("other"), "q9 a9")
    await raw.change_revision(database, "a8", {"depth": 9})
    await raw.change_revision(database, "a9", {"depth": 9})

    assert await store.verify("c") == []


async def test_everything_damaged_ends_too(store: ConversationStore, database: Database) -> None:
    await plant_all_shapes(store)
    await database["convotree_revisions"].update_many(
        {}, {"$set": {"depth": 3, "lane_key": "x" * 24, "segment": "x:0", "chain": bytes(32)}}
    )

    found = await violations(store)
    assert {Kind.WRONG_DEPTH, Kind.WRONG_LANE, Kind.WRONG_SEGMENT, Kind.WRONG_CHAIN} <= {
        kind for kind, _ in found
    }
    assert len(found) == len(set(found))


# ------------------------------------------------------------ while others write


async def test_a_child_that_comes_before_its_parent_is_no_orphan(
    store: ConversationStore, database: Database, commands: Interloper
) -> None:
    await plant(store, "q1 a1 q2", selected="q2")
    parent = await raw.revision(database, "a1")

    async def take_away(database: AsyncDatabase[dict[str, Any]]) -> None:
        await database["convotree_revisions"].delete_one({"revision_id": "a1"})

    async def put_back(database: AsyncDatabase[dict[str, Any]]) -> None:
        await database["convotree_revisions"].insert_one(parent)

    # As if the parent were inserted behind the cursor: not in the list, but there when it is looked up.
    commands.once_before("find", "revisions", take_away)
    commands.once_before("find", "revisions", put_back)
    assert await store.verify("c") == []


async def test_a_leaf_selected_meanwhile_is_not_dangling(
    store: ConversationStore, commands: Interloper
) -> None:
    await plant(store, "q1 a1", selected="a1")

    async def go_on(database: AsyncDatabase[dict[str, Any]]) -> None:
        await ConversationStore(database).append("c", message("q2"))

    commands.once_before("find", "conversations", go_on)
    assert await store.verify("c") == []
    commands.once_before("find", "revisions", go_on)
    assert await store.verify("c") == []


@pytest.mark.parametrize("field", ["tenant_id", "conversation_id"])
async def test_a_revision_that_says_it_is_of_another_is_missed(
    store: ConversationStore, database: Database, field: str
) -> None:
    await plant(store, "q1 a1 q2", selected="q2")
    await database["convotree_revisions"].update_one({"revision_id": "a1"}, {"$set": {field: "x"}})

    assert [(one.kind, one.revision_id) for one in await store.verify("c")] == [(Kind.MISSING_PARENT, "q2")]
    for read in (store.path("c"), store.siblings("c", "a1"), store.replay("c")):
        with pytest.raises(CorruptTreeError, match=r"a1|q2"):
            await read
