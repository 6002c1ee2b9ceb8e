"""Who moves the pointer: the four policies, lost races, retries, and conversations that are being erased."""

from typing import Any

import pytest
from pymongo.asynchronous.database import AsyncDatabase

from convotree import (
    Check,
    ConversationStore,
    GoneError,
    Revision,
    Select,
    SelectionMovedError,
    Settings,
)
from convotree.domain.stored import Scope
from convotree.storage.storage import Storage
from convotree.store.appending import prepare
from convotree.store.chains import Place, store_chain
from convotree.store.context import StoreContext
from convotree.store.pointer import settle_pointer
from tests.conftest import Database
from tests.store import raw
from tests.store.interloper import Interloper
from tests.store.trees import ids, message, plant

MOVING = [Select.IF_UNMOVED, Select.ALWAYS, Select.REQUIRED]


async def selected_leaf(store: ConversationStore) -> str | None:
    return (await store.get("c")).selected_leaf_id


def select_elsewhere(revision_id: str) -> Any:
    """Another process that moves the pointer."""

    async def act(database: AsyncDatabase[dict[str, Any]]) -> None:
        await ConversationStore(database).select("c", revision_id)

    return act


# ------------------------------------------------------------ append and extend: from the parent


@pytest.mark.parametrize("select", MOVING)
async def test_append_moves_the_pointer_from_the_parent(store: ConversationStore, select: Select) -> None:
    await plant(store, "q1 a1", selected="a1")

    assert (await store.append("c", message("q2"), revision_id="q2", select=select)).selected
    assert await selected_leaf(store) == "q2"
    assert (await store.append("c", message("a2"), parent_id="q2", revision_id="a2", select=select)).selected
    assert await selected_leaf(store) == "a2"


async def test_never_leaves_it(store: ConversationStore) -> None:
    await plant(store, "q1 a1", selected="a1")

    assert not (await store.append("c", message("q2"), select=Select.NEVER)).selected
    assert not (await store.edit("c", "q1", message("q3"), select=Select.NEVER)).selected
    assert not (await store.regenerate("c", "a1", message("a3"), select=Select.NEVER)).selected
    assert [one.selected for one in await store.extend("c", [message("q4")], select=Select.NEVER)] == [False]
    assert await selected_leaf(store) == "a1"


async def test_append_elsewhere_leaves_it(store: ConversationStore) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a2")

    assert not (await store.append("c", message("q2"), parent_id="a1")).selected
    assert not (await store.extend("c", [message("q3")], parent_id="a1"))[-1].selected
    assert not (await store.append("c", message("q4"), parent_id=None)).selected
    assert await selected_leaf(store) == "a2"


async def test_always_moves_it_from_anywhere(store: ConversationStore) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a2")

    assert (await store.append("c", message("q2"), parent_id="a1", select=Select.ALWAYS)).selected
    made = await store.extend("c", [message("q3"), message("a3")], parent_id=None, select=Select.ALWAYS)
    assert await selected_leaf(store) == made[-1].id


async def test_required_says_that_it_had_moved(store: ConversationStore) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a2")

    with pytest.raises(SelectionMovedError) as caught:
        await store.append("c", message("q2"), parent_id="a1", revision_id="q2", select=Select.REQUIRED)

    stored = caught.value.revision
    assert isinstance(stored, Revision)
    assert (stored.id, stored.parent_id, stored.selected) == ("q2", "a1", False)
    assert caught.value.selected_leaf_id == "a2" == await selected_leaf(store)
    assert (await store.path("c", leaf_id="q2"))[-1] == stored


async def test_required_carries_the_last_of_a_chain(store: ConversationStore) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a2")

    with pytest.raises(SelectionMovedError) as caught:
        await store.extend(
            "c",
            [message("q2"), message("a3")],
            parent_id="a1",
            revision_ids=["q2", "a3"],
            select=Select.REQUIRED,
        )
    assert caught.value.revision is not None
    assert caught.value.revision.id == "a3"


async def test_the_first_root_of_an_empty_conversation_is_selected(store: ConversationStore) -> None:
    for number, select in enumerate(MOVING):
        await store.create(f"c{number}")
        assert (await store.append(f"c{number}", message("q1"), parent_id=None, select=select)).selected


@pytest.mark.parametrize("select", [Select.IF_UNMOVED, Select.REQUIRED])
async def test_append_does_not_take_the_user_away(
    store: ConversationStore, commands: Interloper, select: Select
) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a1")
    commands.once_before("insert", "revisions", select_elsewhere("a2"))

    if select is Select.REQUIRED:
        with pytest.raises(SelectionMovedError) as caught:
            await store.append("c", message("q2"), revision_id="q2", select=select)
        assert caught.value.selected_leaf_id == "a2"
    else:
        assert not (await store.append("c", message("q2"), revision_id="q2", select=select)).selected
    assert await selected_leaf(store) == "a2"
    assert ids(await store.path("c", leaf_id="q2")) == ["q1", "a1", "q2"]


async def test_always_does(store: ConversationStore, commands: Interloper) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a1")
    commands.once_before("insert", "revisions", select_elsewhere("a2"))

    added = await store.append("c", message("q2"), select=Select.ALWAYS)
    assert added.selected
    assert await selected_leaf(store) == added.id


async def test_appends_that_meet_are_both_stored_and_one_is_selected(
    store: ConversationStore, commands: Interloper
) -> None:
    await plant(store, "q1 a1", selected="a1")

    async def append(database: AsyncDatabase[dict[str, Any]]) -> None:
        await ConversationStore(database).append("c", message("q2"), revision_id="theirs")

    commands.once_before("insert", "revisions", append)
    mine = await store.append("c", message("q2"), revision_id="mine")

    assert (mine.parent_id, mine.ordinal, mine.selected) == ("a1", 1, False)
    assert await selected_leaf(store) == "theirs"
    assert await store.verify("c") == []


# ------------------------------------------------------------ regenerate and edit: from where the call found it


@pytest.mark.parametrize("select", MOVING)
@pytest.mark.parametrize("selected", ["a1", "q2", "q3"])
async def test_a_sibling_is_selected_wherever_the_pointer_stood(
    store: ConversationStore, select: Select, selected: str
) -> None:
    await plant(store, "q1 a1 q2", "q3", selected=selected)

    assert (await store.regenerate("c", "a1", message("a2"), new_revision_id="a2", select=select)).selected
    assert await selected_leaf(store) == "a2"
    assert (await store.edit("c", "q2", message("q4"), new_revision_id="q4", select=select)).selected
    assert await selected_leaf(store) == "q4"


async def test_a_sibling_does_not_take_away_who_moved_meanwhile(
    store: ConversationStore, commands: Interloper
) -> None:
    await plant(store, "q1 a1 q2", "q3", selected="q2")

    commands.once_before("insert", "revisions", select_elsewhere("q3"))
    assert not (await store.regenerate("c", "a1", message("a2"))).selected
    assert await selected_leaf(store) == "q3"

    commands.once_before("insert", "revisions", select_elsewhere("q2"))
    with pytest.raises(SelectionMovedError) as caught:
        await store.edit("c", "q1", message("q5"), new_revision_id="q5", select=Select.REQUIRED)
    assert caught.value.revision is not None
    assert (caught.value.revision.id, caught.value.selected_leaf_id) == ("q5", "q2")

    commands.once_before("insert", "revisions", select_elsewhere("q3"))
    assert (await store.edit("c", "q1", message("q6"), select=Select.ALWAYS)).selected


async def test_there_and_back_is_a_move(store: ConversationStore, commands: Interloper) -> None:
    await plant(store, "q1 a1", "q3", selected="a1")

    async def away_and_back(database: AsyncDatabase[dict[str, Any]]) -> None:
        other = ConversationStore(database)
        await other.select("c", "q3")
        await other.select("c", "a1")

    commands.once_before("insert", "revisions", away_and_back)
    assert not (await store.regenerate("c", "a1", message("a2"))).selected
    commands.once_before("insert", "revisions", away_and_back)
    assert (await store.append("c", message("q2"))).selected  # it stands on the parent


async def test_renaming_deselects_nothing(store: ConversationStore, commands: Interloper) -> None:
    await plant(store, "q1 a1", selected="a1")

    async def rename(database: AsyncDatabase[dict[str, Any]]) -> None:
        await ConversationStore(database).update("c", title="Another", metadata={"seen": 1})

    for write in (
        store.append("c", message("q2"), parent_id="a1"),
        store.regenerate("c", "a1", message("a2"), select=Select.REQUIRED),
        store.edit("c", "q1", message("q3")),
    ):
        version = (await store.get("c")).version
        commands.once_before("insert", "revisions", rename)
        assert (await write).selected
        assert (await store.get("c")).version == version + 2


async def test_version_counts_moves_and_changes(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1", selected="a1")
    before = await raw.header(database)
    await store.append("c", message("q2"))
    await store.update("c", title="x")
    await store.append("c", message("q3"), select=Select.NEVER)
    after = await raw.header(database)

    assert (after["version"] - before["version"], after["moves"] - before["moves"]) == (2, 1)


# ------------------------------------------------------------ retries


@pytest.mark.parametrize("select", MOVING)
async def test_a_retry_finds_its_revision_selected(store: ConversationStore, select: Select) -> None:
    await plant(store, "q1 a1", selected="a1")
    first = await store.append("c", message("q2"), revision_id="q2", select=select)
    version = (await store.get("c")).version
    again = await store.append("c", message("q2"), revision_id="q2", select=select)

    assert again == first
    assert (await store.get("c")).version == version


@pytest.mark.parametrize("select", MOVING)
async def test_a_retry_moves_a_pointer_that_was_not_moved(store: ConversationStore, select: Select) -> None:
    await plant(store, "q1 a1", selected="a1")
    await store.append("c", message("q2"), revision_id="q2", select=Select.NEVER)  # as if it stopped half-way
    await store.regenerate("c", "a1", message("a2"), new_revision_id="a2", select=Select.NEVER)

    assert (await store.append("c", message("q2"), parent_id="a1", revision_id="q2", select=select)).selected
    assert await selected_leaf(store) == "q2"


@pytest.mark.parametrize("select", MOVING)
async def test_a_retry_of_a_sibling_moves_it_too(store: ConversationStore, select: Select) -> None:
    await plant(store, "q1 a1", "q3", selected="q3")
    await store.regenerate("c", "a1", message("a2"), new_revision_id="a2", select=Select.NEVER)

    assert (await store.regenerate("c", "a1", message("a2"), new_revision_id="a2", select=select)).selected
    assert await selected_leaf(store) == "a2"


@pytest.mark.parametrize("select", [Select.IF_UNMOVED, Select.ALWAYS])
async def test_a_retry_does_not_move_it_back(store: ConversationStore, select: Select) -> None:
    await plant(store, "q1 a1", "q3", selected="a1")
    await store.append("c", message("q2"), revision_id="q2", select=select)
    await store.regenerate("c", "a1", message("a2"), new_revision_id="a2", select=select)
    await store.select("c", "q3")

    for retry in (
        store.append("c", message("q2"), revision_id="q2", select=select),
        store.append("c", message("q2"), parent_id="a1", revision_id="q2", select=select),
        store.regenerate("c", "a1", message("a2"), new_revision_id="a2", select=select),
    ):
        assert not (await retry).selected
    assert await selected_leaf(store) == "q3"


async def test_a_retry_does_not_move_what_the_first_try_did_not(store: ConversationStore) -> None:
    await plant(store, "q1 a1", "q3", selected="q3")
    for _ in range(2):
        assert not (await store.append("c", message("q2"), parent_id="a1", revision_id="q2")).selected
        assert not (await store.extend("c", [message("q4")], parent_id="a1", revision_ids=["q4"]))[0].selected
    with pytest.raises(SelectionMovedError):
        await store.append("c", message("q2"), parent_id="a1", revision_id="q2", select=Select.REQUIRED)

    assert await selected_leaf(store) == "q3"


async def test_a_retry_that_requires_says_that_it_moved_on(store: ConversationStore) -> None:
    await plant(store, "q1 a1", "q3", selected="a1")
    await store.append("c", message("q2"), revision_id="q2", select=Select.REQUIRED)
    await store.select("c", "q3")

    with pytest.raises(SelectionMovedError) as caught:
        await store.append("c", message("q2"), revision_id="q2", select=Select.REQUIRED)
    assert caught.value.revision is not None
    assert caught.value.revision.id == "q2"


# ------------------------------------------------------------ gone meanwhile


async def begin_erasure(database: AsyncDatabase[dict[str, Any]]) -> None:
    await database["convotree_conversations"].update_one({}, {"$inc": {"epoch": 1}})


async def remove_header(database: AsyncDatabase[dict[str, Any]]) -> None:
    await database["convotree_conversations"].delete_one({})


@pytest.mark.parametrize("select", list(Select))
@pytest.mark.parametrize("end", [begin_erasure, remove_header])
async def test_what_was_stored_meanwhile_is_withdrawn(
    store: ConversationStore, database: Database, commands: Interloper, select: Select, end: Any
) -> None:
    await plant(store, "q1 a1", selected="a1")
    commands.once_before("insert", "revisions", end)

    with pytest.raises(GoneError) as caught:
        await store.extend("c", [message("q2"), message("a2")], revision_ids=["q2", "a2"], select=select)
    assert (caught.value.conversation_id, caught.value.revision_id) == ("c", "a2")
    assert await raw.count(database, "revisions") == 2


async def test_a_sibling_is_withdrawn_too(
    store: ConversationStore, database: Database, commands: Interloper
) -> None:
    await plant(store, "q1 a1", selected="a1")
    commands.once_before("insert", "revisions", begin_erasure)

    with pytest.raises(GoneError):
        await store.regenerate("c", "a1", message("a2"))
    assert await raw.count(database, "revisions") == 2


async def test_a_retry_withdraws_nothing_that_it_did_not_store(
    store: ConversationStore, database: Database, commands: Interloper
) -> None:
    await plant(store, "q1 a1", selected="a1")
    await store.append("c", message("q2"), revision_id="q2", select=Select.NEVER)
    commands.once_before("insert", "revisions", begin_erasure)

    with pytest.raises(GoneError):
        await store.append("c", message("q2"), revision_id="q2")
    assert await raw.count(database, "revisions") == 3


async def test_the_epoch_is_asked_after_the_insert(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1", selected="a1")
    context = StoreContext("default", Storage.of(database, Settings()))
    scope = Scope("default", "c")
    header = await context.storage.conversations.find_lean(scope)
    assert header is not None
    place = Place(
        header, header.selected, None, parent_given=False, has_children=False, moves_seen=header.moves
    )
    stored, fresh = await store_chain(context, place, prepare([message("q2")], None, None), Check.STRICT)
    assert fresh
    await raw.change_header(database, {"epoch": 1})

    with pytest.raises(GoneError):
        await settle_pointer(
            context, stored, header=header, select=Select.ALWAYS, fresh=fresh, expects_parent=True
        )
    assert await raw.count(database, "revisions") == 2
    await raw.change_header(database, {"epoch": 0})
    assert await store.verify("c") == []
