"""Storing a chain: retries by hand, what an earlier try left, ordinals that are taken, deep forks."""

import contextlib
from typing import Any

import pytest
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import DuplicateKeyError

from convotree import (
    Check,
    ConversationStore,
    CorruptTreeError,
    ExactJson,
    GenerationRecord,
    Message,
    RevisionMismatchError,
    Select,
    TextPart,
    TooManyForksError,
    UnavailableError,
    UnexpectedToolResultError,
)
from convotree.domain.lanes import PAGE
from tests.conftest import Database
from tests.store import raw
from tests.store.interloper import Interloper
from tests.store.trees import call, drawing, ids, message, plant, plant_comb, plant_forks

# ------------------------------------------------------------ retries


async def test_append_again_stores_nothing_twice(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1", selected="a1")
    first = await store.append("c", message("q2"), revision_id="q2")

    assert await store.append("c", message("q2"), revision_id="q2") == first
    assert await store.append("c", message("q2"), parent_id="a1", revision_id="q2") == first
    assert await raw.count(database, "revisions") == 3


async def test_append_again_after_others_went_on(store: ConversationStore) -> None:
    await plant(store, "q1 a1", selected="a1")
    first = await store.append("c", message("q2"), parent_id="q1", revision_id="q2")
    await store.extend("c", [message("a2"), message("q3")], parent_id="q2")
    await store.append("c", message("a4"), parent_id="q1")
    await store.append("c", message("q5"), parent_id=None)

    # Ordinal, lane and time are what they were.
    assert await store.append("c", message("q2"), parent_id="q1", revision_id="q2") == first
    assert await store.append("c", message("q2"), revision_id="q2") == first
    assert await store.verify("c") == []


async def test_a_result_again_is_no_second_result(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1", selected="q1")
    await store.append("c", call("t1"), revision_id="calls")
    first = await store.append("c", Message.tool_result("t1", "x"), revision_id="r1")

    assert await store.append("c", Message.tool_result("t1", "x"), revision_id="r1") == first
    assert (
        await store.append("c", Message.tool_result("t1", "x"), parent_id="calls", revision_id="r1") == first
    )
    await store.append("c", message("a2"), revision_id="a2")
    assert (await store.append("c", Message.tool_result("t1", "x"), revision_id="r1")).parent_id == "calls"
    with pytest.raises(UnexpectedToolResultError):
        await store.append("c", Message.tool_result("t1", "x"), revision_id="r2")
    assert await raw.count(database, "revisions") == 4


async def test_a_root_again_is_the_same_root(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1", selected="q1")
    first = await store.append("c", message("q2"), parent_id=None, revision_id="q2", select=Select.ALWAYS)

    assert await store.append("c", message("q2"), parent_id=None, revision_id="q2") == first
    assert await raw.count(database, "revisions") == 2


async def test_siblings_again_are_the_same(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1 q2", selected="q2")
    answer = await store.regenerate("c", "a1", message("a2"), new_revision_id="a2")
    question = await store.edit("c", "q2", message("q3"), new_revision_id="q3")

    assert (await store.regenerate("c", "a1", message("a2"), new_revision_id="a2")).ordinal == answer.ordinal
    assert await store.edit("c", "q2", message("q3"), new_revision_id="q3") == question
    # Named by another revision of the same parent, it is the same place.
    assert (await store.regenerate("c", "a2", message("a2"), new_revision_id="a2")).id == "a2"
    assert await raw.count(database, "revisions") == 5
    assert await store.verify("c") == []


@pytest.mark.parametrize("stored", range(6))
async def test_extend_goes_on_where_it_stopped(
    store: ConversationStore, database: Database, stored: int
) -> None:
    names = ["a1", "q2", "t3", "r4", "a5"]
    messages = [message("a1"), message("q2"), call("x"), Message.tool_result("x", "done"), message("a5")]
    await plant(store, "q1", selected="q1")
    await store.extend("c", messages[:stored], revision_ids=names[:stored], select=Select.NEVER)

    made = await store.extend("c", messages, revision_ids=names)
    assert ids(made) == names
    assert made[-1].selected
    assert await store.path("c") == [(await store.path("c"))[0], *made]
    assert await raw.count(database, "revisions") == 6
    assert await store.extend("c", messages, revision_ids=names) == made
    assert await raw.count(database, "revisions") == 6
    assert await store.verify("c") == []


async def test_extend_goes_on_below_a_named_parent(store: ConversationStore) -> None:
    await plant(store, "q1 a1", "q9", selected="q9")
    first = await store.extend("c", [message("a2")], parent_id="q1", revision_ids=["a2"])
    await store.append("c", message("q7"), parent_id="a2", revision_id="q7")  # ordinal 0 is another's
    made = await store.extend(
        "c", [message("a2"), message("q3"), message("a4")], parent_id="q1", revision_ids=["a2", "q3", "a4"]
    )

    assert made[0] == first[0]
    assert [(one.parent_id, one.ordinal) for one in made] == [("q1", 1), ("a2", 1), ("q3", 0)]
    assert await store.verify("c") == []


async def test_what_a_retry_adds_is_written_against_the_pointer_of_the_first_try(
    store: ConversationStore, database: Database
) -> None:
    await plant(store, "q1", "q9", selected="q1")
    await store.extend("c", [message("a1")], revision_ids=["a1"], select=Select.NEVER)
    await store.select("c", "q9")
    made = await store.extend("c", [message("a1"), message("q2")], parent_id="q1", revision_ids=["a1", "q2"])

    assert [one.selected for one in made] == [False, False]
    first, added = await raw.revision(database, "a1"), await raw.revision(database, "q2")
    assert added["moves_seen"] == first["moves_seen"] < (await raw.header(database))["moves"]
    # A retry that names the added one alone takes nobody away either.
    again = await store.append("c", message("q2"), revision_id="q2", select=Select.ALWAYS)
    assert not again.selected


async def test_extend_stops_half_way_for_a_document_that_is_there(store: ConversationStore) -> None:
    await plant(store, "q1", selected="q1")
    await store.append("c", message("a9"), revision_id="a9", select=Select.NEVER)

    with pytest.raises(RevisionMismatchError) as caught:
        await store.extend("c", [message("a2"), message("a9")], revision_ids=["a2", "a9"])
    assert (caught.value.revision_id, caught.value.difference) == ("a9", "parent")
    assert await store.verify("c") == []


# ------------------------------------------------------------ the same id for something else


@pytest.mark.parametrize(
    "other",
    [
        Message.user("q2 "),
        Message.user([TextPart("q2")]),  # the same text, given as parts
        Message.developer("q2"),
        Message.user([TextPart("q2", cache_marker=ExactJson('{"type":"ephemeral"}'))]),
    ],
)
async def test_another_message_under_the_id_is_refused(
    store: ConversationStore, database: Database, other: Message
) -> None:
    await plant(store, "q1 a1", selected="a1")
    await store.append("c", message("q2"), revision_id="q2")

    with pytest.raises(RevisionMismatchError) as caught:
        await store.append("c", other, revision_id="q2")
    assert (caught.value.conversation_id, caught.value.revision_id) == ("c", "q2")
    assert caught.value.difference == "message"
    assert await raw.count(database, "revisions") == 3


async def test_where_an_answer_came_from_is_part_of_it(store: ConversationStore) -> None:
    await plant(store, "q1", selected="q1")
    await store.append("c", Message.assistant("x", model="one"), revision_id="a1")

    with pytest.raises(RevisionMismatchError):
        await store.append("c", Message.assistant("x", model="two"), revision_id="a1")
    # Not the message's: the facts of the call.
    again = GenerationRecord(model="other")
    stored = await store.append("c", Message.assistant("x", model="one"), revision_id="a1", generation=again)
    assert stored.generation == GenerationRecord()


async def test_another_parent_is_refused_if_it_was_given(store: ConversationStore) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a1")
    await store.append("c", message("q2"), revision_id="q2", parent_id="a1")

    for attempt in (
        store.append("c", message("q2"), revision_id="q2", parent_id="a2"),
        store.append("c", message("q2"), revision_id="q2", parent_id=None),
        store.edit("c", "q1", message("q2"), new_revision_id="q2"),
    ):
        with pytest.raises(RevisionMismatchError) as caught:
            await attempt
        assert caught.value.difference == "parent"
    await store.select("c", "a2")
    assert (await store.append("c", message("q2"), revision_id="q2")).parent_id == "a1"
    assert await store.verify("c") == []


async def test_an_id_of_its_own_model_is_another_parent(store: ConversationStore) -> None:
    await plant(store, "q1 a1")

    regenerated = await store.regenerate("c", "a1", message("a1"), new_revision_id="a1")
    assert regenerated.ordinal == 0  # that very revision: nothing was added
    with pytest.raises(RevisionMismatchError):
        await store.append("c", message("a1"), revision_id="a1", parent_id="a1")


# ------------------------------------------------------------ ordinals


async def test_a_counter_that_lags_is_put_right(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1")
    for name in ("a2", "a3", "a4"):
        await store.append("c", message(name), parent_id="q1", revision_id=name)
    await database["convotree_counters"].delete_many({})  # as after a restore without this collection

    added = await store.append("c", message("a5"), parent_id="q1", revision_id="a5")
    sibling = await store.regenerate("c", "a1", message("a6"), new_revision_id="a6")
    assert [added.ordinal, sibling.ordinal] == [4, 5]
    assert await store.verify("c") == []


async def test_a_hole_stays_a_hole(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1", "q1 a2")
    await database["convotree_counters"].update_one({}, {"$inc": {"next": 3}})
    added = await store.append("c", message("a3"), parent_id="q1")

    assert added.ordinal == 5
    assert await store.verify("c") == []


async def test_who_comes_second_takes_the_next_ordinal(
    store: ConversationStore, commands: Interloper
) -> None:
    await plant(store, "q1 a1", selected="a1")

    async def extend(database: AsyncDatabase[dict[str, Any]]) -> None:
        other = ConversationStore(database)
        await other.extend(
            "c",
            [message("q8"), message("a8")],
            parent_id="a1",
            revision_ids=["q8", "a8"],
            select=Select.NEVER,
        )

    commands.once_before("insert", "revisions", extend)
    made = await store.extend("c", [message("q2"), message("a2")], revision_ids=["q2", "a2"])

    assert drawing(await store.tree("c")) == [
        ("q1", None, 0),
        ("a1", "q1", 0),
        ("q8", "a1", 0),
        ("a8", "q8", 0),
        ("q2", "a1", 1),
        ("a2", "q2", 0),
    ]
    assert [one.selected for one in made] == [False, True]
    assert await store.verify("c") == []


async def test_the_same_call_at_once_is_one_revision(store: ConversationStore, commands: Interloper) -> None:
    await plant(store, "q1 a1", selected="a1")

    async def same(database: AsyncDatabase[dict[str, Any]]) -> None:
        await ConversationStore(database).append("c", message("q2"), revision_id="q2")

    commands.once_before("insert", "revisions", same)
    made = await store.append("c", message("q2"), revision_id="q2")

    assert (made.id, made.ordinal, made.selected) == ("q2", 0, True)
    assert len(await store.tree("c")) == 3


async def test_a_place_that_is_never_free_is_said_to_be_so(
    store: ConversationStore, commands: Interloper
) -> None:
    await plant(store, "q1 a1", "q1 a2")

    async def take(database: AsyncDatabase[dict[str, Any]]) -> None:
        # The number that was just given is taken by another, every time.
        counter = await database["convotree_counters"].find_one({})
        one = await database["convotree_revisions"].find_one({"revision_id": "a2"})
        assert counter is not None
        assert one is not None
        number = counter["next"] - 1
        with contextlib.suppress(DuplicateKeyError):  # the first try needs no number
            await database["convotree_revisions"].insert_one(
                one | {"_id": f"x{number}", "revision_id": f"x{number}", "ordinal": number}
            )

    for _ in range(16):
        commands.once_before("insert", "revisions", take)
    with pytest.raises(UnavailableError):
        await store.append("c", message("a3"), parent_id="q1")


async def test_a_lane_without_its_start_is_no_place_for_a_fork(
    store: ConversationStore, database: Database
) -> None:
    await plant(store, "q1 a1", "q1 a2 q2 a3")
    await raw.remove_revision(database, "a2")

    with pytest.raises(CorruptTreeError) as caught:
        await store.append("c", message("a4"), parent_id="q2", check=Check.STRICT)
    assert caught.value.revision_id == "q2"


# ------------------------------------------------------------ many forks


async def test_more_forks_than_a_page(store: ConversationStore) -> None:
    path = await plant_comb(store, 70)

    assert ids(await store.path("c")) == path
    assert len({one.lane_id for one in await store.path("c")}) == len(path)
    assert await store.verify("c") == []


async def test_more_forks_than_a_path_can_hold(store: ConversationStore, database: Database) -> None:
    path = await plant_forks(database, 2)
    last = await raw.revision(database, path[-1])
    pointer = {"key": last["_id"], "upto": 1}
    full = {
        "tail": [{"lane": last["_id"], "from": 0, "upto": 1}] * PAGE,
        "pages": [pointer] * (PAGE - 1),
        "books": [pointer] * (PAGE - 1),
    }
    await raw.change_revision(database, path[-1], {"forks": full})
    await store.append("c", message("q1"), parent_id=path[-1])
    before = await raw.count(database, "revisions")

    with pytest.raises(TooManyForksError) as caught:
        await store.append("c", message("q2"), parent_id=path[-1])
    assert (caught.value.conversation_id, caught.value.limit) == ("c", PAGE**3)
    assert await raw.count(database, "revisions") == before


@pytest.mark.parametrize("driver", ["pymongo"])  # the same documents and pipelines on the other one
async def test_more_forks_than_a_book(
    store: ConversationStore, database: Database, commands: Interloper
) -> None:
    path = await plant_forks(database, PAGE * PAGE + PAGE + 20)
    leaf = path[-1]

    assert ids(await store.path("c", leaf_id=leaf)) == path
    commands.clear()
    for upto in (1, PAGE, PAGE + 1, PAGE * PAGE - 1, PAGE * PAGE, PAGE * PAGE + 1, PAGE * PAGE + PAGE + 1):
        assert ids(await store.path("c", leaf_id=path[upto], last=70)) == path[: upto + 1][-70:]
    assert ids(await store.path("c", before=leaf, last=3)) == path[-4:-1]
    assert ids(await store.path("c", before=path[PAGE + 1])) == path[: PAGE + 1]
    assert commands.names == ["aggregate"] * 9

    commands.clear()
    added = await store.append("c", message("q1"), parent_id=leaf, revision_id="q1", select=Select.ALWAYS)
    assert commands.names == ["aggregate", "insert", "update"]
    commands.clear()
    other = await store.regenerate("c", leaf, message("a"), new_revision_id="other")
    assert len(commands.names) <= 6
    assert (other.parent_id, other.depth) == (path[-2], len(path) - 1)
    assert added.lane_id == leaf
    assert ids(await store.path("c", last=200)) == [*path[:-1], "other"][-200:]
    commands.clear()
    assert [one.id for one in await store.siblings("c", "other")] == [leaf, "other"]
    assert commands.names == ["aggregate"]
    assert await store.verify("c") == []
