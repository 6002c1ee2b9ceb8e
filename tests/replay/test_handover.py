"""What of a message goes to the target at all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message, Role
from convotree.domain.outcome import Outcome
from convotree.domain.parts import (
    CompactionPart,
    HostedCallPart,
    HostedResultPart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
)
from convotree.errors import UnreplayableError
from convotree.replay import (
    Differs,
    FailedTurns,
    ForeignReasoning,
    PrefixBreak,
    RenderPolicy,
    Request,
    StaleReasoning,
    Unsupported,
)
from tests.replay.samples import MODELS, answer, call, result

EMPTY = ExactJson("{}")
FOREIGN: list[Part] = [
    HostedCallPart("google", "toolCall", "h1", "search", EMPTY),
    HostedResultPart("google", "toolResponse", "h1", EMPTY),
    OpaquePart("google", "odd", EMPTY),
    CompactionPart(None, encrypted="x"),
]


def sent(
    part: Part, provider: str | None = "google", policy: RenderPolicy | None = None
) -> tuple[list[str], list[str]]:
    path = (Message.user("go"), answer(part, TextPart("so"), provider=provider), Message.user("on"))
    made = Request(messages=path).render("anthropic", model="claude-opus-4-8", policy=policy)
    texts = [block.get("text", block["type"]) for block in made.body["messages"][1]["content"]]
    return texts, [note.rule for note in made.notes]


@pytest.mark.parametrize("part", FOREIGN, ids=lambda part: type(part).__name__)
def test_what_only_another_provider_understands_is_left_out_or_refused(part: Part) -> None:
    assert sent(part) == (["so"], ["X3"])
    with pytest.raises(UnreplayableError) as caught:
        sent(part, policy=RenderPolicy(unsupported=Unsupported.REFUSE))
    assert caught.value.place == "messages[1].parts[0]"


@pytest.mark.parametrize(
    ("thought", "provider"),
    [
        (ReasoningPart("hm", signature="c2ln"), "google"),
        (ReasoningPart("hm", encrypted="x"), "openai"),
        (ReasoningPart("hm"), "anthropic"),
        (ReasoningPart("hm"), None),
    ],
)
def test_reasoning_the_target_cannot_verify(thought: Part, provider: str | None) -> None:
    assert sent(thought, provider) == (["so"], ["A18"])
    as_text = RenderPolicy(foreign_reasoning=ForeignReasoning.AS_TEXT)
    assert sent(thought, provider, as_text) == (["hm", "so"], ["A18"])
    with pytest.raises(UnreplayableError):
        sent(thought, provider, RenderPolicy(foreign_reasoning=ForeignReasoning.REFUSE))


def test_reasoning_without_text_becomes_none() -> None:
    as_text = RenderPolicy(foreign_reasoning=ForeignReasoning.AS_TEXT)
    assert sent(ReasoningPart("", encrypted="x"), "openai", as_text) == (["so"], ["A18"])


@pytest.mark.parametrize("provider", ["anthropic", None])
def test_reasoning_of_the_target_or_of_nobody_said_stays(provider: str | None) -> None:
    assert sent(ReasoningPart("hm", signature="c2ln"), provider) == (["thinking", "so"], [])


def test_a_summary_of_another_provider_becomes_text() -> None:
    assert sent(CompactionPart("in short")) == (["in short", "so"], ["X3"])
    own = (answer(CompactionPart("in short"), provider="anthropic"), Message.user("on"))
    body = Request(messages=own).render("anthropic", model="claude-opus-4-8").body
    assert body["messages"][0]["content"] == [{"type": "compaction", "content": "in short"}]
    # Below what it stands for, the provider would reject it, and it says nothing new.
    assert sent(CompactionPart("in short"), "anthropic") == (["so"], ["A20"])


def test_a_tool_call_that_no_answer_makes_is_left_out() -> None:
    odd = Message(Role.USER, (call("c1"), TextPart("go")))
    made = Request(messages=(odd,)).render("anthropic", model="claude-opus-4-8")
    assert [block["type"] for block in made.body["messages"][0]["content"]] == ["text"]
    assert [(note.place, note.rule) for note in made.notes] == [("messages[0].parts[0]", "X6")]


SIGNED = ReasoningPart("hm", signature="c2ln")


def kinds_sent(
    breaks: tuple[PrefixBreak, ...], policy: RenderPolicy | None = None
) -> tuple[list[str], list[str]]:
    messages = tuple(
        message
        for number in range(3)
        for message in (Message.user("go"), answer(SIGNED, TextPart(f"so {number}"), provider="anthropic"))
    )
    request = Request(messages=(*messages, Message.user("on")), prefix_breaks=breaks)
    made = request.render("anthropic", model="claude-opus-4-8", policy=policy)
    answers = [message["content"] for message in made.body["messages"] if message["role"] == "assistant"]
    return [content[0]["type"] for content in answers], [
        f"{note.place} {note.rule}" for note in made.notes if note.rule == "A19"
    ]


def test_reasoning_goes_from_the_first_broken_prefix_to_the_end() -> None:
    assert kinds_sent(()) == (["thinking"] * 3, [])
    assert kinds_sent((PrefixBreak(3, (Differs.SYSTEM,)),)) == (
        ["thinking", "text", "text"],
        ["messages[3].parts[0] A19", "messages[5].parts[0] A19"],
    )
    assert kinds_sent((PrefixBreak(1, (Differs.TOOLS,)), PrefixBreak(5, (Differs.TOOLS,))))[0] == ["text"] * 3


def test_a_broken_prefix_can_be_refused_or_left_to_the_provider() -> None:
    breaks = (PrefixBreak(3, (Differs.MESSAGES,)),)
    with pytest.raises(UnreplayableError) as caught:
        kinds_sent(breaks, RenderPolicy(stale_reasoning=StaleReasoning.REFUSE))
    assert (caught.value.place, caught.value.rule) == ("messages[3].parts[0]", "A19")
    kept = kinds_sent(breaks, RenderPolicy(stale_reasoning=StaleReasoning.AS_STORED))
    assert kept == (["thinking"] * 3, [])


def test_a_broken_prefix_of_an_answer_without_signed_reasoning_breaks_nothing_below() -> None:
    messages = (
        Message.user("go"),
        answer(TextPart("so"), provider="anthropic"),
        Message.user("on"),
        answer(SIGNED, TextPart("then"), provider="anthropic"),
        Message.user("on"),
    )
    request = Request(messages=messages, prefix_breaks=(PrefixBreak(1, (Differs.SYSTEM,)),))
    body = request.render("anthropic", model="claude-opus-4-8").body
    assert body["messages"][3]["content"][0]["type"] == "thinking"


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.ABORTED])
class TestFailedTurns:
    """Guards against sending what a broken answer began: calls nobody meant, reasoning without its end."""

    def rendered(
        self, outcome: Outcome, policy: RenderPolicy | None = None, provider: str = "anthropic"
    ) -> tuple[list[str], list[str]]:
        failed = replace(answer(SIGNED, TextPart("I will"), TextPart(" "), call("c1")), outcome=outcome)
        path = (Message.user("go"), failed, result("c1"), Message.user("again"))
        made = Request(messages=path).render(provider, model=MODELS[provider], policy=policy)
        return [
            message["content"] if isinstance(message["content"], str) else message["content"][0]["type"]
            for message in made.body["messages"]
        ], [f"{note.place} {note.rule}" for note in made.notes]

    def test_the_text_stays_and_the_results_of_its_calls_go(self, outcome: Outcome) -> None:
        sent, notes = self.rendered(outcome)
        assert sent == ["go", "text", "again"]
        assert notes == ["messages[1] X7", "messages[2].parts[0] A6"]

    def test_all_of_it_can_go(self, outcome: Outcome) -> None:
        sent, notes = self.rendered(outcome, RenderPolicy(failed_turns=FailedTurns.LEAVE_OUT))
        assert sent == ["go", "again"]
        assert notes[0] == "messages[1] X7"

    def test_all_of_it_can_stay(self, outcome: Outcome) -> None:
        sent, notes = self.rendered(outcome, RenderPolicy(failed_turns=FailedTurns.AS_STORED))
        assert sent == ["go", "thinking", "tool_result", "again"]
        assert not any("X7" in note for note in notes)


def test_an_answer_that_failed_without_a_word_leaves_nothing() -> None:
    failed = replace(answer(SIGNED), outcome=Outcome.FAILED)
    made = Request(messages=(Message.user("go"), failed)).render("anthropic", model="claude-opus-4-8")
    assert [message["role"] for message in made.body["messages"]] == ["user"]
    assert [note.rule for note in made.notes] == ["X7"]


@pytest.mark.parametrize("provider", sorted(MODELS))
def test_a_system_prompt_takes_along_what_its_own_provider_understands_only(provider: str) -> None:
    system = (TextPart("Be brief."), OpaquePart("nobody", "odd", ExactJson('{"type":"odd"}')))
    made = Request(system=system, messages=(Message.user("go"),)).render(provider, model=MODELS[provider])
    assert "odd" not in made.to_json().decode()
    assert [note.place for note in made.notes] == ["system[1]"]
