"""append, extend, regenerate, edit: where a revision lands, what is refused, what it costs."""

from datetime import UTC, timedelta
from typing import Any

import pytest

from convotree import (
    Check,
    ContentTooLargeError,
    ConversationNotFoundError,
    ConversationStore,
    ExactJson,
    GenerationRecord,
    InvalidArgumentError,
    InvalidIdError,
    InvalidMessageError,
    Message,
    OpaquePart,
    ParentNotFoundError,
    Part,
    ReasoningPart,
    RevisionNotFoundError,
    Select,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UnexpectedToolResultError,
)
from convotree.store.appending import prepare
from tests.conftest import Database
from tests.store import raw
from tests.store.interloper import Interloper
from tests.store.trees import call, drawing, ids, message, plant, plant_comb

# ------------------------------------------------------------ before anything is read


def test_ids_that_are_not_given_are_made() -> None:
    prepared = prepare([message("q"), message("a"), message("q")], [None, "mine", None], None)

    assert prepared[1].revision_id == "mine"
    assert len({one.revision_id for one in prepared}) == 3


@pytest.mark.parametrize("messages", ["text", b"bytes", Message.user("one"), 3, None, iter([])])
def test_messages_are_a_sequence(messages: Any) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        prepare(messages, None, None)

    assert caught.value.argument == "messages"


@pytest.mark.parametrize("one", ["text", {"role": "user"}, None])
def test_each_of_them_is_a_message(one: Any) -> None:
    with pytest.raises(InvalidMessageError):
        prepare([one], None, None)


@pytest.mark.parametrize("given", [[], ["x", "y"], "x", 7])
def test_lists_beside_the_messages_have_their_length(given: Any) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        prepare([message("a")], given, None)
    assert caught.value.argument == "revision_ids"

    with pytest.raises(InvalidArgumentError) as caught:
        prepare([message("a")], None, given)
    assert caught.value.argument == "generations"


def test_an_id_stands_for_one_message() -> None:
    with pytest.raises(InvalidArgumentError, match="twice"):
        prepare([message("q"), message("a")], ["x", "x"], None)


def test_only_answers_are_generated() -> None:
    with pytest.raises(InvalidMessageError) as caught:
        prepare([message("q")], None, [GenerationRecord()])
    assert caught.value.place == "generation"

    bad: Any = {"model": "m"}
    with pytest.raises(InvalidMessageError):
        prepare([message("a")], None, [bad])


def test_a_message_above_the_limit_is_refused() -> None:
    with pytest.raises(ContentTooLargeError) as caught:
        prepare([Message.user("x" * (15 * 1024 * 1024))], None, None)

    assert caught.value.limit == 15 * 1024 * 1024 < caught.value.size


# ------------------------------------------------------------ where a revision lands


async def test_a_conversation_grows_at_the_selected_leaf(store: ConversationStore) -> None:
    await store.create("c")
    first = await store.append("c", message("q1"), revision_id="q1")
    second = await store.append("c", message("a1"), revision_id="a1")
    third = await store.append("c", message("q2"), revision_id="q2")

    assert [(one.parent_id, one.ordinal, one.depth, one.lane_id) for one in (first, second, third)] == [
        (None, 0, 0, "q1"),
        ("q1", 0, 1, "q1"),
        ("a1", 0, 2, "q1"),
    ]
    assert all(one.selected for one in (first, second, third))
    assert (await store.get("c")).selected_leaf_id == "q2"


async def test_what_a_write_returns_is_what_a_read_will(store: ConversationStore) -> None:
    await store.create("c", system="Be brief.")
    written = await store.extend("c", [message("q1"), message("a1"), message("q2")])
    (sibling,) = [await store.edit("c", written[2].id, message("q3"))]

    assert await store.path("c", leaf_id=sibling.id) == [*written[:2], sibling]
    assert sibling.created_at.tzinfo is not None
    assert sibling.created_at.utcoffset() == timedelta(0) == UTC.utcoffset(None)
    assert sibling.created_at.microsecond % 1000 == 0
    assert sibling.conversation_id == "c"
    assert sibling.message == message("q3")


async def test_later_children_start_a_lane_each(store: ConversationStore) -> None:
    await plant(store, "q1 a1")
    made = [await store.append("c", message("a"), parent_id="q1", revision_id=f"a{n}") for n in (2, 3, 4)]
    below = await store.append("c", message("q2"), parent_id="a3")

    assert [(one.parent_id, one.ordinal, one.depth, one.lane_id) for one in (*made, below)] == [
        ("q1", 1, 1, "a2"),
        ("q1", 2, 1, "a3"),
        ("q1", 3, 1, "a4"),
        ("a3", 0, 2, "a3"),
    ]
    assert await store.verify("c") == []


async def test_none_as_parent_makes_another_root(store: ConversationStore) -> None:
    await plant(store, "q1 a1", selected="a1")
    root = await store.append("c", message("q2"), parent_id=None, revision_id="q2")

    assert (root.parent_id, root.ordinal, root.depth, root.lane_id) == (None, 1, 0, "q2")
    assert [one.id for one in (await store.tree("c")).roots] == ["q1", "q2"]


async def test_an_inner_selected_revision_gets_another_child(store: ConversationStore) -> None:
    await plant(store, "q1 a1", selected="q1")
    added = await store.append("c", message("a2"))

    assert (added.parent_id, added.ordinal, added.lane_id) == ("q1", 1, added.id)
    assert await store.verify("c") == []


async def test_extend_stores_a_chain(store: ConversationStore) -> None:
    await plant(store, "q1 a1")
    made = await store.extend(
        "c", [message("a2"), message("q2"), message("a3")], parent_id="q1", revision_ids=["a2", "q2", "a3"]
    )

    assert [(one.id, one.parent_id, one.ordinal, one.depth, one.lane_id) for one in made] == [
        ("a2", "q1", 1, 1, "a2"),
        ("q2", "a2", 0, 2, "a2"),
        ("a3", "q2", 0, 3, "a2"),
    ]
    assert [one.selected for one in made] == [False, False, False]
    assert ids(await store.path("c", leaf_id="a3")) == ["q1", "a2", "q2", "a3"]


async def test_extend_selects_the_last(store: ConversationStore) -> None:
    await store.create("c")
    made = await store.extend("c", [message("q1"), message("a1")])

    assert [one.selected for one in made] == [False, True]


async def test_extending_by_nothing_changes_nothing(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1", selected="q1")
    before = await raw.header(database)

    assert await store.extend("c", []) == []
    assert await raw.header(database) == before
    with pytest.raises(ConversationNotFoundError):
        await store.extend("unknown", [])


async def test_regenerate_and_edit_make_siblings(store: ConversationStore) -> None:
    await plant(store, "q1 a1 q2 a2", selected="a2")
    answer = await store.regenerate("c", "a1", message("a3"), new_revision_id="a3")
    question = await store.edit("c", "q2", message("q3"), new_revision_id="q3")

    assert (answer.parent_id, answer.ordinal, answer.selected) == ("q1", 1, True)
    assert (question.parent_id, question.ordinal, question.selected) == ("a1", 1, True)
    assert drawing(await store.tree("c")) == [
        ("q1", None, 0),
        ("a1", "q1", 0),
        ("q2", "a1", 0),
        ("a2", "q2", 0),
        ("q3", "a1", 1),
        ("a3", "q1", 1),
    ]


async def test_beside_a_root_they_make_roots(store: ConversationStore) -> None:
    await plant(store, "q1", "a1")
    question = await store.edit("c", "q1", message("q2"))
    answer = await store.regenerate("c", "a1", message("a2"))

    assert [(one.parent_id, one.depth, one.ordinal) for one in (question, answer)] == [
        (None, 0, 2),
        (None, 0, 3),
    ]
    assert await store.verify("c") == []


# ------------------------------------------------------------ round trips


@pytest.mark.parametrize("added", [message("a9"), Message.user([TextPart("x")]), message("d9")])
async def test_extending_a_leaf_is_three_commands(
    store: ConversationStore, commands: Interloper, added: Message
) -> None:
    await plant(store, "q1 a1 q2", selected="q2")

    commands.clear()
    await store.append("c", added)
    assert commands.names == ["find", "insert", "update"]

    commands.clear()
    await store.append("c", added, parent_id=(await store.get("c")).selected_leaf_id)
    assert commands.names == ["find", "aggregate", "insert", "update"]  # the first is the get above


async def test_a_chain_costs_what_one_message_costs(store: ConversationStore, commands: Interloper) -> None:
    await plant(store, "q1", selected="q1")
    commands.clear()
    await store.extend("c", [message(f"{'aq'[n % 2]}{n}") for n in range(20)])

    assert commands.names == ["find", "insert", "update"]


async def test_results_cost_no_more_and_calls_one_more(
    store: ConversationStore, commands: Interloper
) -> None:
    await plant(store, "q1", selected="q1")
    commands.clear()
    await store.append("c", call("t1"))
    await store.append("c", Message.tool_result("t1", "sunny"))

    assert commands.names == ["find", "find", "insert", "update", "find", "insert", "update"]


async def test_a_sibling_is_at_most_six_commands(store: ConversationStore, commands: Interloper) -> None:
    path = await plant_comb(store, 70)
    await plant(store, "q1 a1 q2 a2", conversation_id="d")
    commands.clear()
    for conversation_id, answer_id in (("c", path[-1]), ("c", path[1]), ("c", path[0]), ("d", "a1")):
        for number in range(3):
            commands.clear()
            await store.regenerate(conversation_id, answer_id, message(f"a-{answer_id}-{number}"))
            assert len(commands.names) <= 6
    for question_id in ("q1", "q2"):
        for number in range(3):
            commands.clear()
            await store.edit("d", question_id, message(f"q-{question_id}-{number}"))
            assert len(commands.names) <= 6
    assert await store.verify("c") == await store.verify("d") == []


async def test_below_a_parent_with_children_it_is_a_few_more(
    store: ConversationStore, commands: Interloper
) -> None:
    await plant(store, "q1 a1", selected="q1")
    commands.clear()
    await store.append("c", message("a2"), parent_id="q1")
    assert len(commands.names) <= 7  # the counter of this parent is made
    commands.clear()
    await store.append("c", message("a3"), parent_id="q1")
    assert len(commands.names) <= 6


# ------------------------------------------------------------ what must be there


async def test_a_parent_must_be_in_the_conversation(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1", conversation_id="c")
    await plant(store, "q2 a2", conversation_id="other")
    await plant(store.for_tenant("someone"), "q3 a3", conversation_id="c")
    before = await raw.count(database, "revisions")

    for parent_id in ("nowhere", "a2", "a3"):
        with pytest.raises(ParentNotFoundError) as caught:
            await store.append("c", message("q9"), parent_id=parent_id)
        assert (caught.value.conversation_id, caught.value.parent_id) == ("c", parent_id)
        with pytest.raises(ParentNotFoundError):
            await store.extend("c", [message("q9")], parent_id=parent_id)
    for revision_id in ("nowhere", "a2", "a3"):
        with pytest.raises(RevisionNotFoundError):
            await store.regenerate("c", revision_id, message("a9"))
        with pytest.raises(RevisionNotFoundError):
            await store.edit("c", revision_id, message("q9"))

    assert await raw.count(database, "revisions") == before


async def test_a_conversation_must_be_the_tenants(store: ConversationStore) -> None:
    await plant(store.for_tenant("someone"), "q1 a1")

    for attempt in (
        store.append("c", message("q2")),
        store.append("c", message("q2"), parent_id="a1"),
        store.append("c", message("q2"), parent_id=None),
        store.extend("c", [message("q2")]),
        store.regenerate("c", "a1", message("a2")),
        store.edit("c", "q1", message("q2")),
    ):
        with pytest.raises(ConversationNotFoundError) as caught:
            await attempt
        assert caught.value.conversation_id == "c"


async def test_a_sibling_has_the_role_of_its_model(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1")

    for attempt in (
        store.regenerate("c", "q1", message("a2")),
        store.regenerate("c", "a1", message("q2")),
        store.edit("c", "a1", message("q2")),
        store.edit("c", "q1", message("a2")),
        store.edit("c", "q1", message("d2")),
    ):
        with pytest.raises(InvalidMessageError) as caught:
            await attempt
        assert caught.value.place == "role"
    assert await raw.count(database, "revisions") == 2


async def test_policies_are_no_strings(store: ConversationStore) -> None:
    await plant(store, "q1 a1")
    bad: Any = "always"

    for attempt in (
        store.append("c", message("q2"), select=bad),
        store.append("c", message("q2"), check=bad),
        store.extend("c", [message("q2")], select=bad),
        store.regenerate("c", "a1", message("a2"), select=bad),
        store.edit("c", "q1", message("q2"), check=bad),
    ):
        with pytest.raises(InvalidArgumentError):
            await attempt


# ------------------------------------------------------------ checks


async def test_a_result_answers_an_open_call(store: ConversationStore) -> None:
    await plant(store, "q1", selected="q1")
    await store.append("c", call("t1", "t2"))
    await store.append("c", Message.tool_result("t2", "second"))
    await store.append("c", Message.tool_result("t1", "first"))

    assert len(await store.path("c")) == 4
    assert await store.verify("c") == []


async def test_results_of_parallel_calls_may_come_in_one_message(store: ConversationStore) -> None:
    await plant(store, "q1", selected="q1")
    await store.append("c", call("t1", "t2"))
    parts: list[Part] = [
        ToolResultPart("t1", (TextPart("one"),)),
        ToolResultPart("t2", (TextPart("two"),)),
        TextPart("go on"),
    ]
    await store.append("c", Message.user(parts))

    with pytest.raises(UnexpectedToolResultError):
        await store.append("c", Message.tool_result("t1", "again"))


async def test_a_result_without_an_open_call_is_refused(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1", selected="a1")
    await store.append("c", call("t1"), revision_id="calls", parent_id="a1")
    await store.append("c", Message.tool_result("t1", "x"), revision_id="answered", parent_id="calls")
    await store.append("c", message("a2"), revision_id="beside", parent_id="a1")
    before = await raw.count(database, "revisions")

    for parent_id, call_id, open_calls in (
        ("q1", "t1", ()),  # above the call
        ("beside", "t1", ()),  # on another branch than the call
        ("answered", "t1", ()),  # answered already
        ("calls", "t2", ("t1",)),
    ):
        with pytest.raises(UnexpectedToolResultError) as caught:
            await store.append("c", Message.tool_result(call_id, "x"), parent_id=parent_id)
        assert caught.value.tool_call_id == call_id
        assert caught.value.open_tool_call_ids == open_calls
    twice = Message.user([ToolResultPart("t1"), ToolResultPart("t1")])
    with pytest.raises(UnexpectedToolResultError):
        await store.append("c", twice, parent_id="calls")

    assert await raw.count(database, "revisions") == before


async def test_each_branch_answers_the_call_for_itself(store: ConversationStore) -> None:
    await plant(store, "q1", selected="q1")
    await store.append("c", call("t1"), revision_id="calls")
    for text in ("one", "another"):
        await store.append("c", Message.tool_result("t1", text), parent_id="calls")

    assert [one.ordinal for one in (await store.tree("c")).children("calls")] == [0, 1]


async def test_a_chain_is_checked_as_a_whole_before_it_is_written(
    store: ConversationStore, database: Database
) -> None:
    await plant(store, "q1", selected="q1")
    good = [call("t1"), Message.tool_result("t1", "x"), message("a1")]
    assert len(await store.extend("c", good)) == 3
    before = await raw.count(database, "revisions")

    with pytest.raises(UnexpectedToolResultError):
        await store.extend("c", [call("t2"), Message.tool_result("t2", "x"), Message.tool_result("t2", "x")])
    assert await raw.count(database, "revisions") == before


@pytest.mark.parametrize(
    "odd",
    [
        Message.user([ReasoningPart("hm")]),
        Message.user([ToolCallPart("t", "look", ExactJson("{}"))]),
        Message.assistant([ToolResultPart("t")]),
        Message.developer([ToolResultPart("t")]),
        Message.assistant([ToolCallPart("", "look", ExactJson("{}"))]),
        Message.assistant([ToolCallPart("t", "look", ExactJson("{}"))] * 2),
    ],
)
async def test_strict_refuses_what_record_stores(
    store: ConversationStore, database: Database, odd: Message
) -> None:
    await plant(store, "q1 a1", selected="a1")

    with pytest.raises(InvalidMessageError) as caught:
        await store.append("c", odd)
    assert caught.value.place.startswith("parts[")
    assert await raw.count(database, "revisions") == 2

    stored = await store.append("c", odd, check=Check.RECORD)
    assert (await store.path("c"))[-1].message == odd == stored.message
    assert await store.verify("c") == []


async def test_record_stores_a_result_without_a_call(store: ConversationStore) -> None:
    await plant(store, "q1", selected="q1")
    result = Message.tool_result("lost", "x")
    await store.append("c", result, check=Check.RECORD)

    assert (await store.path("c"))[-1].message == result


async def test_a_call_stays_open_across_a_long_path(store: ConversationStore) -> None:
    await plant(store, "q1", selected="q1")
    await store.append("c", call("t1"))
    await store.extend("c", [Message.assistant([OpaquePart("p", "k", ExactJson("1"))]) for _ in range(200)])
    await store.append("c", Message.tool_result("t1", "late"))

    assert await store.verify("c") == []


@pytest.mark.parametrize("call_id", ["\ud800", "\x00", "x" * 5000, '{"$gt": 1}'])
async def test_any_id_of_a_call_is_kept(store: ConversationStore, call_id: str) -> None:
    await plant(store, "q1", selected="q1")
    written = await store.extend("c", [call(call_id), Message.tool_result(call_id, "x")])

    assert (await store.path("c"))[1:] == written
    assert await store.verify("c") == []
    with pytest.raises(UnexpectedToolResultError):
        await store.append("c", Message.tool_result(call_id, "x"))


# ------------------------------------------------------------ generation records


async def test_an_answer_records_what_it_was_generated_under(store: ConversationStore) -> None:
    convo = await store.create("c", system="First.", tools=[{"name": "look"}])
    question = await store.append("c", message("q1"))
    answer = await store.append("c", message("a1"))
    later = await store.update("c", system="Second.", tools=())
    other = await store.regenerate("c", answer.id, message("a2"))

    assert question.generation is None
    assert answer.generation == GenerationRecord(prompt_version=convo.prompt_version, tool_set=convo.tool_set)
    assert other.generation == GenerationRecord(prompt_version=later.prompt_version)


async def test_a_caller_may_say_what_it_was(store: ConversationStore) -> None:
    first = await store.create("c", system="First.", tools=[{"name": "look"}])
    await store.update("c", system="Second.", tools=())
    await store.append("c", message("q1"))
    record = GenerationRecord(
        prompt_version=first.prompt_version,
        tool_set=first.tool_set,
        provider="anthropic",
        model="m",
        usage=ExactJson('{"input_tokens": 1.10}'),
    )
    answer = await store.append("c", message("a1"), generation=record)
    (chained,) = await store.extend("c", [message("a2")], generations=[record])
    again = await store.regenerate("c", answer.id, message("a3"), generation=record)

    assert answer.generation == chained.generation == again.generation == record
    assert [one.generation for one in await store.path("c", leaf_id=answer.id)] == [None, record]
    assert await store.verify("c") == []


@pytest.mark.parametrize("name", ["sha256:" + "0" * 64, "", "\ud800", "\x00"])
async def test_a_prompt_that_is_not_stored_is_refused(
    store: ConversationStore, database: Database, name: str
) -> None:
    await plant(store, "q1 a1", selected="q1")

    for field, record in (
        ("prompt_version", GenerationRecord(prompt_version=name)),
        ("tool_set", GenerationRecord(tool_set=name)),
    ):
        for attempt in (
            store.append("c", message("a2"), generation=record),
            store.extend("c", [message("a2")], generations=[record]),
            store.regenerate("c", "a1", message("a2"), generation=record),
        ):
            with pytest.raises(InvalidMessageError) as caught:
                await attempt
            assert caught.value.place == f"generation.{field}"
    assert await raw.count(database, "revisions") == 2


async def test_a_prompt_of_another_tenant_is_not_stored_here(store: ConversationStore) -> None:
    theirs = await store.for_tenant("someone").create("c", system="Secret.")
    await plant(store, "q1", selected="q1")

    with pytest.raises(InvalidMessageError):
        await store.append(
            "c", message("a1"), generation=GenerationRecord(prompt_version=theirs.prompt_version)
        )


async def test_an_id_is_known_within_its_conversation_only(store: ConversationStore) -> None:
    await plant(store, "q1 a1", conversation_id="c")
    await plant(store, "q1 a1 q2", conversation_id="d")
    await plant(store.for_tenant("someone"), "q1", conversation_id="c")

    assert len(await store.tree("c")) == 2
    assert len(await store.tree("d")) == 3
    assert len(await store.for_tenant("someone").tree("c")) == 1


async def test_a_bad_id_is_refused_before_anything_is_sent(
    store: ConversationStore, commands: Interloper
) -> None:
    await plant(store, "q1 a1")
    commands.clear()
    for attempt in (
        store.append("c", message("q2"), revision_id=""),
        store.extend("c", [message("q2")], revision_ids=["x" * 513]),
        store.regenerate("c", "a1", message("a2"), new_revision_id="\x00"),
        store.edit("c", "q1", message("q2"), new_revision_id="\ud800", select=Select.NEVER),
    ):
        with pytest.raises(InvalidIdError):
            await attempt
    assert commands.names == []
