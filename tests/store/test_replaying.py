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
    PromptChoice,
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
from tests.store.trees import call, message, plant

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
        any(block["type"] == "thinking" for block in one["content"] if isinstance(block, dict))
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


async def test_a_summary_stands_for_what_is_before_it_in_its_own_answer(store: ConversationStore) -> None:
    await store.create("c")
    searched: list[Any] = [TextPart("I look back."), CompactionPart("Bob asked."), TextPart("Hello Bob.")]
    answer = Message.assistant(searched, provider="anthropic", api="messages", model="claude-opus-4-8")
    await store.extend("c", [message("q1"), answer, message("q2")], revision_ids=["q1", "a1", "q2"])
    request = await store.replay("c")
    assert [type(part) for part in request.messages[0].parts] == [CompactionPart, TextPart]
    body = request.render("anthropic", model="claude-opus-4-8").body
    assert body["messages"][0]["content"][0] == {"type": "compaction", "content": "Bob asked."}
    whole = await store.replay("c", compaction=CompactionChoice.NONE)
    assert whole.messages[1] == answer
    assert (await store.path("c"))[1].message == answer


# ------------------------------------------------------------ what an answer was generated from

CALL = Message.assistant(
    [
        ReasoningPart("I look.", signature="c2lnbmVk"),
        ToolCallPart("c1", "look", ExactJson("{}")),
        ToolCallPart("c2", "look", ExactJson("{}")),
    ],
    provider="anthropic",
    api="messages",
    model="claude-opus-4-8",
)


async def test_a_late_result_breaks_the_answers_that_did_not_know_it(store: ConversationStore) -> None:
    await store.create("c")
    chain = [message("q1"), CALL, Message.tool_result("c1", "seen"), message("q2"), THOUGHT]
    await store.extend("c", [*chain, message("q3")])
    assert (await store.replay("c")).prefix_breaks == ()
    late = [Message.tool_result("c2", "late"), THOUGHT, message("q4")]
    await store.extend("c", late, check=Check.RECORD)
    request = await store.replay("c")
    assert request.prefix_breaks == (PrefixBreak(4, (Differs.MESSAGES,)),)
    made = request.render("anthropic", model="claude-opus-4-8")
    # From the break to the end, never one from the middle.
    assert signed(made.body) == [True, False, False]
    assert "late" in made.to_json().decode()


async def test_a_request_that_was_cut_says_so_in_the_record(store: ConversationStore) -> None:
    await store.create("c", system="Be brief.")
    await store.extend("c", [message(one) for one in ("q1", "a1", "q2", "a2", "q3")])
    sent = await store.replay("c", last=3)
    record = GenerationRecord.from_provider("anthropic", {"content": []}, request=sent)
    assert record.first_revision == sent.revision_ids[0]
    await store.append("c", THOUGHT, generation=record)
    await store.append("c", message("q4"))
    whole = await store.replay("c")
    assert whole.prefix_breaks == (PrefixBreak(5, (Differs.MESSAGES,)),)
    assert signed(whole.render("anthropic", model="claude-opus-4-8").body) == [False] * 3
    again = await store.replay("c", last=5)
    assert again.revision_ids[0] == sent.revision_ids[0]
    assert [one.index for one in again.prefix_breaks] == [1]  # only what was made from the whole path
    assert signed(again.render("anthropic", model="claude-opus-4-8").body) == [False, True]
    assert await store.verify("c") == []


async def test_a_prompt_that_changed_while_the_model_answered_is_not_what_it_answered_under(
    store: ConversationStore,
) -> None:
    await store.create("c", system="First.")
    await store.append("c", message("q1"))
    sent = await store.replay("c")
    await store.update("c", system="Second.")
    record = GenerationRecord.from_provider("anthropic", {"content": []}, request=sent)
    await store.append("c", THOUGHT, generation=record)
    assert (await store.replay("c")).prefix_breaks == (PrefixBreak(1, (Differs.SYSTEM,)),)
    await store.update("c", system="First.")
    assert (await store.replay("c")).prefix_breaks == ()


async def test_none_in_a_request_means_that_there_was_no_prompt(store: ConversationStore) -> None:
    await store.create("c")
    await store.append("c", message("q1"))
    sent = await store.replay("c")
    await store.update("c", system="Second.")
    record = GenerationRecord.from_provider("anthropic", {"content": []}, request=sent)
    appended = await store.append("c", THOUGHT, generation=record)
    assert appended.generation is not None
    assert appended.generation.prompt_version is None
    assert (await store.replay("c")).prefix_breaks == (PrefixBreak(1, (Differs.SYSTEM,)),)
    assert await store.verify("c") == []


async def test_an_answer_below_a_summary_was_made_from_it(store: ConversationStore) -> None:
    await store.create("c")
    await store.extend("c", [message("q1"), message("a1"), SUMMARY, THOUGHT, message("q3")])
    assert (await store.replay("c")).prefix_breaks == ()
    whole = await store.replay("c", compaction=CompactionChoice.NONE)
    assert whole.prefix_breaks == (PrefixBreak(3, (Differs.MESSAGES,)),)
    usage = ExactJson('{"input_tokens":10,"output_tokens":1}')
    record = GenerationRecord.from_provider("anthropic", {"content": [], "usage": usage.value}, request=whole)
    await store.append("c", THOUGHT, generation=record)
    assert (await store.replay("c")).estimate_tokens().anchor is None
    assert (await store.replay("c", compaction=CompactionChoice.NONE)).estimate_tokens().anchor == 5


async def test_what_a_provider_summarized_itself_may_stand_or_not(store: ConversationStore) -> None:
    await store.create("c")
    summary = Message.assistant([CompactionPart("so.")], provider="anthropic", api="messages")
    await store.extend("c", [message("q1"), summary, message("q2"), THOUGHT])
    for choice in CompactionChoice:
        assert (await store.replay("c", compaction=choice)).prefix_breaks == ()


async def test_after_another_prompt_new_reasoning_stays(store: ConversationStore) -> None:
    await store.create("c", system="First.")
    await store.extend("c", [message("q1"), THOUGHT, message("q2")])
    await store.update("c", system="Second.")
    await store.append("c", THOUGHT)
    await store.append("c", message("q3"))
    for prompt in PromptChoice:
        request = await store.replay("c", prompt=prompt)
        assert [one.index for one in request.prefix_breaks] == [1]
        assert signed(request.render("anthropic", model="claude-opus-4-8").body) == [False, True]


async def test_manual_thinking_keeps_what_a_tool_loop_needs(store: ConversationStore) -> None:
    model = "claude-sonnet-4-5"
    await store.create("c", system="It is Monday.")
    await store.extend("c", [message("q1"), THOUGHT])
    await store.update("c", system="It is Tuesday.")
    await store.append("c", message("q2"))
    await store.append("c", CALL)
    await store.update("c", system="It is Wednesday.")
    await store.extend("c", [Message.tool_result("c1", "seen"), Message.tool_result("c2", "seen")])
    request = await store.replay("c")
    assert [one.index for one in request.prefix_breaks] == [1, 3]
    thinking = {"max_tokens": 4096, "thinking": {"type": "enabled", "budget_tokens": 1024}}
    made = request.render("anthropic", model=model, params=thinking)
    assert signed(made.body) == [False, True]
    assert [note.place for note in made.notes if "another prefix" in note.reason] == [
        "messages[1].parts[0]",
        "messages[3].parts[0]",
    ]
    assert signed(request.render("anthropic", model=model).body) == [False, False]


async def test_reasoning_that_was_never_sent_breaks_nothing(store: ConversationStore) -> None:
    await store.create("c", system="First.")
    await store.append("c", message("q1"))
    sent = await store.replay("c")
    await store.update("c", system="Second.")
    broken = Message.assistant(
        THOUGHT.parts, provider="anthropic", api="messages", model="claude-opus-4-8", outcome=Outcome.ABORTED
    )
    record = GenerationRecord.from_provider("anthropic", {"content": []}, request=sent)
    await store.append("c", broken, generation=record)
    await store.extend("c", [message("q2"), THOUGHT, message("q3")])
    request = await store.replay("c")
    assert [one.index for one in request.prefix_breaks] == [1]
    assert signed(request.render("anthropic", model="claude-opus-4-8").body) == [False, True]
    assert [one for one in request.check("anthropic", model="claude-opus-5-5") if one.rule == "A19"] == []


# ------------------------------------------------------------ budgets and odd results


async def test_results_of_no_call_forbid_no_start(store: ConversationStore, commands: Interloper) -> None:
    await long_talk(store, 100)
    await store.append("c", Message.tool_result("nobody", "asked"), check=Check.RECORD)
    await store.extend("c", [Message.user("on"), Message.assistant("said")])
    commands.clear()
    request = await store.replay("c", budget=100)
    assert len(request.messages) == 99  # the result is 2 tokens
    assert commands.names == ["aggregate", "aggregate", "find"]


async def test_a_call_far_above_is_not_parted_from_its_result(store: ConversationStore) -> None:
    await store.create("c")
    await store.extend("c", [Message.user("ask?"), call("c1")])
    talk = [one for _ in range(100) for one in (Message.user("ask?"), Message.assistant("said"))]
    await store.extend("c", [*talk, Message.tool_result("c1", "late"), Message.user("so?")])
    # The result is what the call has: whoever starts between the two would part them.
    assert [one.text for one in (await store.replay("c", budget=50)).messages] == ["so?"]
    assert len((await store.replay("c", budget=10_000)).messages) == 204


async def test_a_repeated_result_forbids_no_start(store: ConversationStore) -> None:
    await store.create("c")
    await store.extend("c", [Message.user("ask?"), call("c1"), Message.tool_result("c1", "seen")])
    talk = [one for _ in range(100) for one in (Message.user("ask?"), Message.assistant("said"))]
    await store.extend(
        "c", [*talk, Message.tool_result("c1", "seen"), Message.user("so?")], check=Check.RECORD
    )
    assert len((await store.replay("c", budget=10_000)).messages) == 205
    assert len((await store.replay("c", budget=205)).messages) == 202


async def test_a_window_begins_where_it_begins_with_a_budget_too(store: ConversationStore) -> None:
    await long_talk(store, 10)
    request = await store.replay("c", last=1, budget=1000)
    assert (len(request.messages), request.notes) == (1, ())
    request = await store.replay("c", last=3, budget=1000)
    assert (len(request.messages), request.notes) == (3, ())
    request = await store.replay("c", last=5, budget=4)
    assert [note.reason for note in request.notes] == [
        "the request starts here; 1 messages above it are left out, for 4 tokens"
    ]


@pytest.mark.parametrize("given", [-1, None, 1.5, "3", True, float("nan")], ids=str)
async def test_a_counter_gives_numbers_of_tokens(store: ConversationStore, given: Any) -> None:
    await long_talk(store, 1)
    with pytest.raises(InvalidArgumentError, match="count"):
        await store.replay("c", budget=10, count=lambda text: given)
    with pytest.raises(InvalidArgumentError, match="count"):
        (await store.replay("c")).estimate_tokens(lambda text: given)


async def test_a_counter_is_a_function(store: ConversationStore) -> None:
    await long_talk(store, 1)
    bad: Any = 3
    with pytest.raises(InvalidArgumentError, match="count"):
        await store.replay("c", budget=10, count=bad)
