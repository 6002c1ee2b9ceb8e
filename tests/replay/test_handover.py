"""What of a message goes to the target at all."""

from __future__ import annotations

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message, Role
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
from convotree.replay import ForeignReasoning, RenderPolicy, Request, Unsupported
from tests.replay.samples import answer, call

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
    assert sent(CompactionPart("in short"), "anthropic") == (["compaction", "so"], [])


def test_a_tool_call_that_no_answer_makes_is_left_out() -> None:
    odd = Message(Role.USER, (call("c1"), TextPart("go")))
    made = Request(messages=(odd,)).render("anthropic", model="claude-opus-4-8")
    assert [block["type"] for block in made.body["messages"][0]["content"]] == ["text"]
    assert [(note.place, note.rule) for note in made.notes] == [("messages[0].parts[0]", "X6")]
