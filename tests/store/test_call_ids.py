"""Ids of tool calls: none twice on one path, shared by siblings; results that stand on another path are named."""

import pytest
from bson import BSON

from convotree import (
    Check,
    ConversationStore,
    ExactJson,
    InvalidMessageError,
    Message,
    Outcome,
    Select,
    ToolCallPart,
    UnexpectedToolResultError,
    ViolationKind,
)
from tests.conftest import Database
from tests.store.interloper import Interloper
from tests.store.trees import call, message, plant, plant_comb


async def answered(store: ConversationStore, call_id: str = "t1") -> None:
    """q1, a call, its result, an answer."""
    await plant(store, "q1", selected="q1")
    await store.extend(
        "c",
        [call(call_id), Message.tool_result(call_id, "seen"), message("a1")],
        revision_ids=["call", "result", "a1"],
    )


async def test_an_id_that_was_used_above_is_refused_with_its_place(store: ConversationStore) -> None:
    await answered(store)
    await store.append("c", message("q2"), revision_id="q2")
    before = await store.get("c")
    for attempt in (
        store.append("c", call("t2", "t1")),
        store.append("c", call("t1"), parent_id="a1"),
        store.extend("c", [call("t2"), Message.tool_result("t2", "x"), call("t1")]),
    ):
        with pytest.raises(InvalidMessageError, match="'call'") as caught:
            await attempt
        assert caught.value.place.endswith("tool_call_id")
    assert await store.get("c") == before
    assert len(await store.tree("c")) == 5


async def test_what_really_happened_can_be_recorded(store: ConversationStore) -> None:
    await answered(store)
    await store.append("c", message("q2"))
    await store.append("c", call("t1"), check=Check.RECORD)
    assert await store.verify("c") == []


async def test_an_id_twice_in_one_chain_is_refused(store: ConversationStore) -> None:
    await plant(store, "q1", selected="q1")
    chain = [call("t1"), Message.tool_result("t1", "x"), call("t1")]
    with pytest.raises(InvalidMessageError) as caught:
        await store.extend("c", chain)
    assert caught.value.place == "messages[2].parts[0].tool_call_id"
    assert len(await store.tree("c")) == 1


async def test_siblings_share_ids_and_so_do_conversations_and_tenants(store: ConversationStore) -> None:
    await answered(store)
    again = await store.regenerate("c", "call", call("t1"))
    await store.append("c", Message.tool_result("t1", "seen again"), parent_id=again.id)
    deeper = await store.append("c", message("q2"), parent_id="q1")
    await store.append("c", call("t1"), parent_id=deeper.id)
    await plant(store, "q1", selected="q1", conversation_id="other")
    await store.append("other", call("t1"))
    other = store.for_tenant("someone")
    await plant(other, "q1", selected="q1")
    await other.append("c", call("t1"))
    assert await store.verify("c") == await store.verify("other") == await other.verify("c") == []


async def test_the_same_call_again_with_its_id_is_a_retry(store: ConversationStore) -> None:
    await plant(store, "q1", selected="q1")
    first = await store.append("c", call("t1"), revision_id="a1", parent_id="q1")
    again = await store.append("c", call("t1"), revision_id="a1", parent_id="q1")
    assert again.id == first.id
    assert len(await store.tree("c")) == 2


async def test_far_above_through_many_forks(store: ConversationStore) -> None:
    await plant(store, "q1", selected="q1")
    await store.extend(
        "c", [call("t1"), Message.tool_result("t1", "x"), message("a1")], revision_ids=["k", "r", "a1"]
    )
    parent = "a1"
    for number in range(70):
        for turn in ("q", "a"):
            await store.append("c", message(f"{turn}-first-{number}"), parent_id=parent, select=Select.NEVER)
            fork = await store.append("c", message(f"{turn}-fork-{number}"), parent_id=parent)
            parent = fork.id
    with pytest.raises(InvalidMessageError, match="'k'"):
        await store.append("c", call("t1"), parent_id=parent)
    beside = await store.append("c", message("q-new"), parent_id="q1")
    await store.append("c", call("t1"), parent_id=beside.id)


async def test_it_costs_one_round_trip_and_only_where_there_are_calls(
    store: ConversationStore, commands: Interloper
) -> None:
    await plant_comb(store, 40)
    leaf = (await store.path("c"))[-1]
    commands.clear()
    await store.regenerate("c", leaf.id, call("t1"))
    assert len(commands.names) <= 6
    commands.clear()
    await store.append("c", Message.tool_result("t1", "x"))
    assert commands.names == ["find", "insert", "update"]


# ------------------------------------------------------------ results on other paths


async def test_a_result_on_a_sibling_branch_is_named(store: ConversationStore, commands: Interloper) -> None:
    await plant(store, "q1", selected="q1")
    await store.append("c", call("t1", "t2", "t3"), revision_id="call")
    for number in (1, 2, 3):
        await store.append(
            "c",
            Message.tool_result(f"t{number}", f"r{number}"),
            parent_id="call",
            revision_id=f"result{number}",
        )
    await store.select("c", "result2")
    commands.clear()
    request = await store.replay("c")

    assert commands.names == ["aggregate", "find"]
    assert [(note.place, note.rule, note.revision_id) for note in request.notes] == [
        ("messages[1].parts[0]", "X10", "call"),
        ("messages[1].parts[2]", "X10", "call"),
    ]
    assert "'result1'" in request.notes[0].reason
    assert "'result3'" in request.notes[1].reason
    body = request.render("anthropic", model="claude-opus-4-8").body
    assert [block["tool_use_id"] for block in body["messages"][2]["content"]] == ["t1", "t2", "t3"]


async def test_results_in_any_legal_shape_all_go_back_once(store: ConversationStore) -> None:
    """Fault scenario B36: of several parallel results only the last survived."""
    await plant(store, "q1", selected="q1")
    await store.extend(
        "c",
        [
            call("t1", "t2", "t3"),
            Message.tool_result("t3", "r3"),
            Message.tool_result("t1", "r1"),
            Message.tool_result("t2", "r2"),
        ],
    )
    request = await store.replay("c")
    assert not [note for note in request.notes if note.rule == "X10"]
    body = request.render("anthropic", model="claude-opus-4-8").body
    (results,) = [one["content"] for one in body["messages"][2:]]
    assert [(one["tool_use_id"], one["content"]) for one in results] == [
        ("t1", "r1"),
        ("t2", "r2"),
        ("t3", "r3"),
    ]


async def test_calls_of_a_failed_answer_are_not_looked_for(
    store: ConversationStore, commands: Interloper
) -> None:
    await plant(store, "q1", selected="q1")
    broken = Message.assistant([ToolCallPart("t1", "look", ExactJson("{}"))], outcome=Outcome.FAILED)
    await store.append("c", broken)
    commands.clear()
    assert (await store.replay("c")).notes == ()
    assert commands.names == ["aggregate"]


async def test_damaged_keys_of_calls_are_found(store: ConversationStore, database: Database) -> None:
    await answered(store)
    revisions = database["convotree_revisions"]
    for change in ({"$set": {"call_keys": ["x"]}}, {"$unset": {"call_keys": 1}}):
        await revisions.update_one({"revision_id": "call"}, change)
        assert [(one.kind, one.revision_id) for one in await store.verify("c")] == [
            (ViolationKind.WRONG_KEY, "call")
        ]


async def test_any_number_of_calls_can_be_answered_in_any_order_and_each_once(
    store: ConversationStore,
) -> None:
    await plant(store, "q1", selected="q1")
    ids = [f"t{number}" for number in range(150)]
    await store.append("c", call(*ids), revision_id="call")
    for one in (ids[0], ids[149], ids[70], ids[1]):
        await store.append("c", Message.tool_result(one, "x"))
    for again in (ids[0], ids[149], "t-unknown"):
        with pytest.raises(UnexpectedToolResultError):
            await store.append("c", Message.tool_result(again, "x"))
    # On another branch below the call all of them are open still.
    await store.append("c", Message.tool_result(ids[0], "elsewhere"), parent_id="call")
    left = [one for one in ids if one not in (ids[0], ids[149], ids[70], ids[1])]
    await store.select("c", "call")
    leaf = max(await store.tree("c"), key=lambda one: one.depth)
    await store.extend("c", [Message.tool_result(one, "x") for one in left], parent_id=leaf.id)
    assert await store.verify("c") == []


async def test_what_a_revision_stores_beside_its_content_is_bounded(
    store: ConversationStore, database: Database
) -> None:
    await plant(store, "q1", selected="q1")
    ids = [f"t{number:0>60}" for number in range(500)]
    await store.extend("c", [call(*ids), *(Message.tool_result(one, "x") for one in ids)])
    found = await database["convotree_revisions"].find({"role": "tool"}).to_list(None)
    assert len(found) == 500
    assert max(len(BSON.encode(one)) for one in found) < 6_000
    assert await store.verify("c") == []
