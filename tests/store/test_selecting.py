"""select: which leaf a revision stands for, what the header remembers, and when it conflicts."""

from typing import Any

import pytest
from pymongo.asynchronous.database import AsyncDatabase

from convotree import (
    ConversationNotFoundError,
    ConversationStore,
    InvalidArgumentError,
    RevisionNotFoundError,
    Select,
    UnavailableError,
    VersionConflictError,
)
from convotree.domain.limits import MAX_REMEMBERED_LEAVES
from tests.conftest import Database
from tests.store import raw
from tests.store.interloper import Interloper
from tests.store.trees import message, plant, plant_comb, plant_forks


async def select(store: ConversationStore, revision_id: str) -> str | None:
    return (await store.select("c", revision_id)).selected_leaf_id


async def test_a_leaf_is_selected(store: ConversationStore, commands: Interloper) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a2")
    before = await store.get("c")
    commands.clear()
    after = await store.select("c", "a1")

    assert commands.names == ["aggregate", "update"]
    assert (after.selected_leaf_id, after.version) == ("a1", before.version + 1)
    assert after == await store.get("c")


async def test_selecting_where_it_stands_writes_nothing(
    store: ConversationStore, database: Database, commands: Interloper
) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a2")
    before = await raw.header(database)
    commands.clear()
    assert await select(store, "a2") == "a2"
    assert await select(store, "q1") == "a2"

    assert "update" not in commands.names
    assert await raw.header(database) == before


@pytest.mark.parametrize("descend", [None, 1, "no", []])
async def test_descend_is_true_or_false(store: ConversationStore, descend: Any) -> None:
    await store.create("c")
    with pytest.raises(InvalidArgumentError) as caught:
        await store.select("c", "a", descend=descend)
    assert caught.value.argument == "descend"


async def test_without_memory_it_descends_by_the_highest_ordinal(store: ConversationStore) -> None:
    await plant(store, "q1 a1 q2 a2", "q1 a3 q3 a4", "q3 a5", "q9 a9", selected="a9")

    assert await select(store, "q1") == "a5"
    await store.select("c", "a9")
    assert await select(store, "a1") == "a2"


async def test_with_memory_it_goes_back_to_the_leaf_left_last(store: ConversationStore) -> None:
    await plant(store, "q1 a1 q2 a2", "q1 a3 q3 a4", "q3 a5", "q9 a9", selected="a4")
    await store.select("c", "a2")
    await store.select("c", "a9")

    assert await select(store, "q1") == "a2"
    assert await select(store, "a3") == "a4"
    assert await select(store, "q9") == "a9"
    assert await select(store, "q1") == "a4"


async def test_the_selected_leaf_comes_before_memory(store: ConversationStore) -> None:
    await plant(store, "q1 a1 q2 a2", "q1 a3", selected="a3")
    await store.select("c", "a2")

    assert await select(store, "q1") == "a2"
    assert await select(store, "a1") == "a2"


async def test_writes_remember_too(store: ConversationStore) -> None:
    await plant(store, "q1 a1 q2 a2", selected="a2")
    await store.regenerate("c", "a1", message("a3"), new_revision_id="a3")
    await store.append("c", message("q4"), revision_id="q4")
    await store.edit("c", "q1", message("q5"), new_revision_id="q5")

    assert await select(store, "q1") == "q4"
    assert await select(store, "a1") == "a2"
    assert await select(store, "q5") == "q5"


async def test_going_on_from_a_leaf_remembers_nothing(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1", selected="a1")
    await store.append("c", message("q2"))
    await store.extend("c", [message("a2"), message("q3")])

    assert (await raw.header(database))["memory"] == []


async def test_an_inner_revision_may_be_pointed_at(store: ConversationStore) -> None:
    await plant(store, "q1 a1 q2 a2", selected="a2")

    assert (await store.select("c", "a1", descend=False)).selected_leaf_id == "a1"
    assert [one.id for one in await store.path("c")] == ["q1", "a1"]
    # What stands on an inner revision is left at the leaf below it.
    assert await select(store, "q1") == "a2"


async def test_a_remembered_leaf_that_grew_leads_to_its_newest_leaf(store: ConversationStore) -> None:
    await plant(store, "q1 a1 q2 a2", "q9 a9", selected="a2")
    await store.select("c", "a9")
    await store.append("c", message("q3"), parent_id="a2", revision_id="q3")
    await store.append("c", message("q4"), parent_id="a2", revision_id="q4")
    await store.append("c", message("q5"), parent_id="a1", revision_id="q5")

    assert await select(store, "a1") == "q4"


async def test_memory_is_bounded(store: ConversationStore, database: Database) -> None:
    names = [f"a{number}" for number in range(MAX_REMEMBERED_LEAVES + 5)]
    await plant(store, "q1", *(f"q1 {name} q{name}" for name in names), "q9", selected=f"q{names[0]}")
    for name in names[1:]:
        await store.select("c", f"q{name}")
    await store.select("c", "q9")

    memory = (await raw.header(database))["memory"]
    assert len(memory) == MAX_REMEMBERED_LEAVES
    assert await select(store, "q1") == f"q{names[-1]}"
    # Writes that move the pointer keep the bound too.
    for number in range(3):
        await store.edit("c", "q9", message(f"q{number}"))
    assert len((await raw.header(database))["memory"]) == MAX_REMEMBERED_LEAVES


async def test_a_leaf_is_remembered_once(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a1")
    for name in ("a2", "a1", "a2", "a1"):
        await store.select("c", name)

    memory = (await raw.header(database))["memory"]
    assert len(memory) == len({one["key"] for one in memory}) == 2


async def test_losing_the_memory_loses_nothing(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1 q2 a2", "q1 a3", "q9", selected="a2")
    await store.select("c", "q9")
    await raw.change_header(database, {"memory": []})

    assert await select(store, "q1") == "a3"
    assert await store.verify("c") == []


async def test_a_memory_that_leads_nowhere_is_no_hint(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1 q2 a2", "q1 a3", "q9", selected="a2")
    await store.select("c", "q9")
    (leaf,) = (await raw.header(database))["memory"]
    nowhere = [leaf | {"key": "x" * 24}, leaf | {"key": "y" * 24, "lane_key": "z" * 24}]
    await raw.change_header(database, {"memory": [*nowhere, leaf]})

    assert await select(store, "q1") == "a2"


async def test_below_many_forks_it_finds_the_leaf_left(
    store: ConversationStore, commands: Interloper
) -> None:
    path = await plant_comb(store, 150)
    await store.append("c", message("a-new"), parent_id=path[3], revision_id="a-new")
    await store.append("c", message("q-root"), parent_id=None, revision_id="q-root")
    await store.select("c", "q-root")
    commands.clear()

    assert await select(store, path[3]) == path[-1]
    assert len(commands.names) <= 4
    await store.select("c", "q-root")
    assert await select(store, path[149]) == path[-1]
    await store.select("c", "a35-other")
    assert await select(store, path[100]) == path[-1]
    assert await select(store, "a-new") == "a-new"


@pytest.mark.parametrize("driver", ["pymongo"])
async def test_below_very_many_forks_too(
    store: ConversationStore, database: Database, commands: Interloper
) -> None:
    path = await plant_forks(database, 64 * 64 + 70)
    await store.append("c", message("a-new"), parent_id=path[3], revision_id="a-new")
    await store.select("c", path[-1])
    await store.select("c", "a-new")
    commands.clear()

    assert await select(store, path[2]) == "a-new"  # the selected leaf is below it
    assert await select(store, path[4]) == path[-1]
    assert set(commands.names) <= {"aggregate", "find", "update"}
    assert len(commands.names) <= 10


async def test_what_is_not_there_is_named(store: ConversationStore) -> None:
    await plant(store, "q1 a1", selected="a1")
    await plant(store, "q2", conversation_id="other")
    await plant(store.for_tenant("someone"), "q3", conversation_id="theirs")

    for revision_id in ("nowhere", "q2", "q3"):
        with pytest.raises(RevisionNotFoundError) as caught:
            await store.select("c", revision_id)
        assert caught.value.revision_id == revision_id
    for conversation_id in ("nowhere", "theirs"):
        with pytest.raises(ConversationNotFoundError):
            await store.select(conversation_id, "q3")


# ------------------------------------------------------------ versions and races


async def test_a_version_is_compared(store: ConversationStore) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a1")
    version = (await store.get("c")).version
    await store.update("c", title="Renamed")

    with pytest.raises(VersionConflictError) as caught:
        await store.select("c", "a2", expected_version=version)
    assert (caught.value.expected, caught.value.actual) == (version, version + 1)
    assert (await store.select("c", "a2", expected_version=version + 1)).version == version + 2


async def test_an_effect_that_stands_needs_no_version(store: ConversationStore) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a1")
    version = (await store.get("c")).version
    first = await store.select("c", "a2", expected_version=version)

    assert await store.select("c", "a2", expected_version=version) == first


async def test_a_version_is_a_number(store: ConversationStore) -> None:
    await plant(store, "q1", selected="q1")

    wrong: list[Any] = [0, -1, True, "1", 1.0, {"$gt": 0}]
    for version in wrong:
        with pytest.raises(InvalidArgumentError) as caught:
            await store.select("c", "q1", expected_version=version)
        assert caught.value.argument == "expected_version"


async def test_a_lost_race_is_run_again(store: ConversationStore, commands: Interloper) -> None:
    await plant(store, "q1 a1", "q1 a2", "q1 a3", selected="a1")

    async def select_another(database: AsyncDatabase[dict[str, Any]]) -> None:
        await ConversationStore(database).select("c", "a3")

    commands.once_before("update", "conversations", select_another)
    assert await select(store, "a2") == "a2"
    assert await select(store, "q1") == "a2"
    # The leaf that the other one went to is remembered as left.
    await store.regenerate("c", "a1", message("a4"), new_revision_id="a4", select=Select.NEVER)
    assert (await store.get("c")).selected_leaf_id == "a2"


async def test_a_race_is_lost_to_a_version(store: ConversationStore, commands: Interloper) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a1")
    version = (await store.get("c")).version

    async def rename(database: AsyncDatabase[dict[str, Any]]) -> None:
        await ConversationStore(database).update("c", title="Renamed")

    commands.once_before("update", "conversations", rename)
    with pytest.raises(VersionConflictError):
        await store.select("c", "a2", expected_version=version)


async def test_renaming_meanwhile_hinders_nothing(store: ConversationStore, commands: Interloper) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a1")

    async def rename(database: AsyncDatabase[dict[str, Any]]) -> None:
        await ConversationStore(database).update("c", title="Renamed")

    commands.clear()
    commands.once_before("update", "conversations", rename)
    moved = await store.select("c", "a2")
    assert moved == await store.get("c")
    assert (moved.selected_leaf_id, moved.title) == ("a2", "Renamed")
    assert commands.names == ["aggregate", "update", "aggregate", "update", "find"]
    assert (await store.get("c")).title == "Renamed"


async def test_a_conversation_that_is_changed_without_end_is_said_to_be_so(
    store: ConversationStore, commands: Interloper
) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a1")

    async def begin_erasure(database: AsyncDatabase[dict[str, Any]]) -> None:
        await database["convotree_conversations"].update_one({}, {"$inc": {"epoch": 1}})

    for _ in range(8):
        commands.once_before("update", "conversations", begin_erasure)
    with pytest.raises(UnavailableError):
        await store.select("c", "a2")


async def test_a_gone_conversation_is_not_found(store: ConversationStore, commands: Interloper) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a1")

    async def remove(database: AsyncDatabase[dict[str, Any]]) -> None:
        await database["convotree_conversations"].delete_one({})

    commands.once_before("update", "conversations", remove)
    with pytest.raises(ConversationNotFoundError):
        await store.select("c", "a2")


async def test_forks_that_point_at_themselves_hang_nobody(
    store: ConversationStore, database: Database
) -> None:
    path = await plant_comb(store, 3)
    await store.append("c", message("q-root"), parent_id=None, revision_id="q-root", select=Select.ALWAYS)
    last = await raw.revision(database, path[-1])
    await raw.change_revision(
        database, path[-1], {"forks": {"tail": [], "pages": [{"key": last["_id"], "upto": 9}]}}
    )

    assert await select(store, path[0]) == path[-1]  # by the tree, since the hint leads nowhere
    with pytest.raises(Exception, match="verify"):
        await store.path("c")
