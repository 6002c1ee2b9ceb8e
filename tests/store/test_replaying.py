"""replay: summaries, budgets, and what reasoning was signed over, through the server."""

from typing import Any

import pytest

from convotree import (
    BudgetTooSmallError,
    Check,
    CompactionChoice,
    CompactionPart,
    ConversationStore,
    Differs,
    ExactJson,
    GenerationRecord,
    InvalidArgumentError,
    Message,
    Outcome,
    PrefixBreak,
    ReasoningPart,
    RenderPolicy,
    Select,
    StaleReasoning,
    TextPart,
    Tool,
    ToolCallPart,
    UnreplayableError,
)
from tests.store.interloper import Interloper
from tests.store.trees import message, plant

SUMMARY = Message.user([CompactionPart("They agreed on four."), TextPart("Go on.")])


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [one.text for one in messages]


# ------------------------------------------------------------ summaries


async def test_a_replay_starts_at_the_newest_summary_and_reads_nothing_above_it(
    store: ConversationStore, commands: Interloper
) -> None:
    await plant(store, "q1 a1 q2 a2", selected="a2")
    await store.append("c", SUMMARY, revision_id="s1")
    await store.extend("c", [message("a3"), message("q4")], revision_ids=["a3", "q4"])
    commands.clear()
    request = await store.replay("c")

    assert commands.names == ["aggregate"]
    assert request.revision_ids == ("s1", "a3", "q4")
    assert [note.rule for note in request.notes] == ["X8"]
    assert request.prefix_breaks == ()
    assert [one.id for one in await store.path("c")] == ["q1", "a1", "q2", "a2", "s1", "a3", "q4"]
    whole = await store.replay("c", compaction=CompactionChoice.NONE)
    assert whole.revision_ids[0] == "q1"
    assert await store.verify("c") == []


@pytest.mark.parametrize(
    ("arguments", "first", "last"),
    [
        ({"before": "a3"}, "s1", "s1"),
        ({"before": "s1"}, "q1", "a2"),
        ({"leaf_id": "s1"}, "s1", "s1"),
        ({"leaf_id": "a2"}, "q1", "a2"),
        ({"leaf_id": "a9"}, "q1", "a9"),
        ({"last": 2}, "a3", "q4"),
        ({"last": 5}, "s1", "q4"),
    ],
)
async def test_a_summary_holds_for_what_stands_below_it_only(
    store: ConversationStore, arguments: dict[str, Any], first: str, last: str
) -> None:
    await plant(store, "q1 a1 q2 a2", "q1 a9", selected="a2")
    await store.append("c", SUMMARY, revision_id="s1")
    await store.extend("c", [message("a3"), message("q4")], revision_ids=["a3", "q4"])
    ids = (await store.replay("c", **arguments)).revision_ids
    assert (ids[0], ids[-1]) == (first, last)


async def test_of_two_summaries_the_newer_counts_and_a_sibling_does_not_see_it(
    store: ConversationStore,
) -> None:
    await plant(store, "q1 a1", selected="a1")
    await store.append("c", SUMMARY, revision_id="s1")
    await store.append("c", message("a2"), revision_id="a2")
    await store.append("c", SUMMARY, revision_id="s2")
    assert (await store.replay("c")).revision_ids == ("s2",)
    sibling = await store.append("c", message("q3"), parent_id="a2", select=Select.ALWAYS)
    assert (await store.replay("c")).revision_ids == ("s1", "a2", sibling.id)
    assert await store.verify("c") == []


async def test_a_summary_that_failed_is_none(store: ConversationStore) -> None:
    await plant(store, "q1 a1", selected="a1")
    await store.append("c", Message.assistant([CompactionPart(None)]), revision_id="s1")
    assert (await store.replay("c")).revision_ids == ("q1", "a1", "s1")


async def test_a_choice_of_compaction_is_no_string(store: ConversationStore) -> None:
    await plant(store, "q1", selected="q1")
    bad: Any = "newest"
    with pytest.raises(InvalidArgumentError):
        await store.replay("c", compaction=bad)


# ------------------------------------------------------------ budgets


async def long_talk(store: ConversationStore, turns: int) -> None:
    """Each message is one token, system prompt and tools none."""
    await store.create("c")
    chain = [
        message for number in range(turns) for message in (Message.user("ask?"), Message.assistant("said"))
    ]
    await store.extend("c", chain, revision_ids=[f"m{number}" for number in range(2 * turns)])


@pytest.mark.parametrize("budget", [1999, 2000, 2001])
@pytest.mark.parametrize("turns", [1000])
async def test_the_whole_path_where_it_fits(store: ConversationStore, turns: int, budget: int) -> None:
    await long_talk(store, turns)
    request = await store.replay("c", budget=budget)
    left_out = 0 if budget >= 2000 else 2
    assert len(request.messages) == 2000 - left_out
    assert [note.rule for note in request.notes] == (["X9"] if left_out else [])
    if left_out:
        assert request.notes[0].revision_id == "m2"
        assert "2 messages" in request.notes[0].reason


@pytest.mark.parametrize(
    ("budget", "messages", "round_trips"),
    [(2, 2, 1), (3, 2, 1), (62, 62, 1), (64, 64, 2), (100, 100, 2), (500, 500, 4)],
)
async def test_no_more_is_read_than_about_twice_what_fits(
    store: ConversationStore, commands: Interloper, budget: int, messages: int, round_trips: int
) -> None:
    await long_talk(store, 1000)
    commands.clear()
    request = await store.replay("c", budget=budget)
    assert (len(request.messages), len(commands.names)) == (messages, round_trips)
    assert request.revision_ids[-1] == "m1999"


async def test_a_budget_holds_system_prompt_and_tools(store: ConversationStore) -> None:
    await long_talk(store, 10)
    await store.update("c", system="s" * 40, tools=[Tool("look")])
    needed = (await store.replay("c", last=2)).estimate_tokens().tokens
    assert len((await store.replay("c", budget=needed)).messages) == 2
    with pytest.raises(BudgetTooSmallError) as caught:
        await store.replay("c", budget=needed - 1)
    assert (caught.value.budget, caught.value.needed) == (needed - 1, needed)


async def test_a_call_is_not_parted_from_its_result(store: ConversationStore) -> None:
    await store.create("c")
    call = Message.assistant([ToolCallPart("c1", "look", ExactJson("{}"))])
    chain = [Message.user("ask?"), call, Message.tool_result("c1", "seen"), Message.assistant("said")]
    await store.extend("c", [*chain, *chain[:0], Message.user("and?"), Message.assistant("yes.")])
    assert texts((await store.replay("c", budget=4)).messages) == ["and?", "yes."]
    assert len((await store.replay("c", budget=9)).messages) == 6


async def test_a_budget_stops_at_a_summary_and_at_last(store: ConversationStore) -> None:
    await long_talk(store, 100)
    assert len((await store.replay("c", budget=50, last=10)).messages) == 10
    await store.append("c", Message.user([CompactionPart("so.")]), revision_id="s")
    await store.append("c", Message.assistant("yes."))
    request = await store.replay("c", budget=50)
    assert request.revision_ids[0] == "s"
    assert [note.rule for note in request.notes] == ["X8"]


async def test_tokens_are_counted_as_the_caller_says(store: ConversationStore) -> None:
    await long_talk(store, 10)
    request = await store.replay("c", budget=40, count=lambda text: 10)
    assert len(request.messages) == 4


@pytest.mark.parametrize("budget", [0, -1, True, 1.5, "100"])
async def test_a_budget_is_a_number_of_tokens(store: ConversationStore, budget: Any) -> None:
    await long_talk(store, 1)
    with pytest.raises(InvalidArgumentError):
        await store.replay("c", budget=budget)


async def test_an_empty_path_fits(store: ConversationStore) -> None:
    await store.create("c")
    assert (await store.replay("c", budget=1)).messages == ()


# ------------------------------------------------------------ what reasoning was signed over

THOUGHT = Message.assistant(
    [ReasoningPart("Two and two.", signature="c2lnbmVk"), TextPart("4")],
    provider="anthropic",
    api="messages",
    model="claude-opus-4-8",
)


async def thoughtful(store: ConversationStore) -> None:
    await store.create("c", system="First.", tools=[Tool("look")])
    await store.extend("c", [message("q1"), THOUGHT, message("q2"), THOUGHT, message("q3")])


def signed(body: dict[str, Any]) -> list[bool]:
    return [
        any(block["type"] == "thinking" for block in one["content"])
        for one in body["messages"]
        if one["role"] == "assistant"
    ]


async def test_reasoning_goes_back_as_long_as_its_prefix_is_what_it_was(store: ConversationStore) -> None:
    await thoughtful(store)
    request = await store.replay("c")
    assert request.prefix_breaks == ()
    assert signed(request.render("anthropic", model="claude-opus-4-8").body) == [True, True]


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        ({"system": "Second."}, (Differs.SYSTEM,)),
        ({"tools": [Tool("ask")]}, (Differs.TOOLS,)),
        ({"system": None, "tools": ()}, (Differs.SYSTEM, Differs.TOOLS)),
    ],
)
async def test_under_other_instructions_it_is_dropped_and_the_caller_can_know_before(
    store: ConversationStore, change: dict[str, Any], differs: tuple[Differs, ...]
) -> None:
    await thoughtful(store)
    await store.update("c", **change)
    request = await store.replay("c")
    assert request.prefix_breaks == (PrefixBreak(1, differs), PrefixBreak(3, differs))
    made = request.render("anthropic", model="claude-opus-4-8")
    assert signed(made.body) == [False, False]
    assert [note.place for note in made.notes if note.rule == "A19"] == [
        "messages[1].parts[0]",
        "messages[3].parts[0]",
    ]
    with pytest.raises(UnreplayableError):
        request.render(
            "anthropic",
            model="claude-opus-4-8",
            policy=RenderPolicy(stale_reasoning=StaleReasoning.REFUSE),
        )


async def test_in_a_window_it_is_dropped(store: ConversationStore) -> None:
    await thoughtful(store)
    request = await store.replay("c", last=3)
    assert request.prefix_breaks == (PrefixBreak(1, (Differs.MESSAGES,)),)
    assert signed(request.render("anthropic", model="claude-opus-4-8").body) == [False]


async def test_under_an_edited_question_it_stays_with_the_path_it_was_made_for(
    store: ConversationStore,
) -> None:
    await thoughtful(store)
    path = await store.path("c")
    edited = await store.edit("c", path[2].id, Message.user("q2 in other words"))
    await store.append("c", THOUGHT, parent_id=edited.id)
    await store.append("c", message("q4"))
    request = await store.replay("c")
    assert signed(request.render("anthropic", model="claude-opus-4-8").body) == [True, True]


async def test_an_answer_comes_back_with_how_it_ended_and_what_was_known_of_it(
    store: ConversationStore,
) -> None:
    await store.create("c")
    record = GenerationRecord(
        provider="anthropic",
        api="messages",
        model="claude-opus-4-8",
        model_answered="claude-opus-4-8-20260801",
        response_id="msg_1",
        request_id="req_1",
        stop_reason="end_turn",
        params=ExactJson('{"temperature":1.0}'),
        usage=ExactJson('{"input_tokens":10,"output_tokens":1}'),
        timings=ExactJson('{"ms":3}'),
        deployment=ExactJson('{"release":"r7"}'),
    )
    broken = Message.assistant("I wi", outcome=Outcome.ABORTED)
    await store.extend(
        "c",
        [Message.user("q"), broken, Message.user("again"), Message.assistant("4")],
        generations=[None, None, None, record],
    )
    for revision in await store.path("c", last=1):
        assert revision.generation is not None
        assert revision.generation == record
        assert revision.prefix is not None
    request = await store.replay("c")
    assert [one.outcome for one in request.messages][1] is Outcome.ABORTED
    assert request.generations[3] == record
    assert request.estimate_tokens().anchor == 3
    assert await store.verify("c") == []


async def test_a_summary_fits_users_developers_and_assistants(store: ConversationStore) -> None:
    await store.create("c")
    part = CompactionPart("so.")
    for one in (Message.user([part]), Message.developer([part]), Message.assistant([part])):
        await store.append("c", one, check=Check.STRICT)
    assert len((await store.replay("c")).messages) == 1
