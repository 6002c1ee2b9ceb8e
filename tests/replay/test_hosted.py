"""Hosted calls and results that the provider would not take back."""

from __future__ import annotations

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message, Role
from convotree.domain.parts import HostedCallPart, HostedResultPart, Part, TextPart, ToolResultPart
from convotree.errors import UnreplayableError
from convotree.replay import HostedOrphans, RenderPolicy, Request
from convotree.replay.hosted import hosted_orphans
from tests.replay.samples import answer, call, result

ARGUMENTS = ExactJson("{}")


def hosted(one: str, provider: str = "anthropic") -> Part:
    return HostedCallPart(provider, "server_tool_use", one, "web_search", ARGUMENTS)


def returned(one: str, provider: str = "anthropic") -> Part:
    return HostedResultPart(provider, "web_search_tool_result", one, ExactJson("[]"))


MIXED = Message(Role.USER, (ToolResultPart("c1"), TextPart("and")))


@pytest.mark.parametrize(
    ("messages", "orphans"),
    [
        ([answer(hosted("s1"), returned("s1"))], set()),
        ([answer(hosted("s1")), answer(returned("s1"))], set()),
        ([answer(hosted("s1"))], set()),
        ([answer(hosted("s1"), call("c1")), result("c1")], set()),
        ([answer(hosted("s1"), call("c1")), result("c1"), answer(returned("s1"))], set()),
        ([answer(hosted("s1")), Message.user("next")], {(0, 0)}),
        ([answer(hosted("s1")), Message(Role.USER, ())], {(0, 0)}),
        ([answer(hosted("s1")), Message.developer("next")], {(0, 0)}),
        ([answer(hosted("s1"), call("c1")), MIXED], {(0, 0)}),
        ([answer(hosted("s1")), Message.user("x"), answer(returned("s1"))], {(0, 0), (2, 0)}),
        ([answer(returned("s1"), hosted("s1")), Message.user("x")], {(0, 0), (0, 1)}),
        ([answer(hosted("s1"), hosted("s1"), returned("s1"))], {(0, 0)}),
        ([answer(hosted("s1", "google")), Message.user("x")], set()),
    ],
)
def test_orphans(messages: list[Message], orphans: set[tuple[int, int]]) -> None:
    assert hosted_orphans(messages, "anthropic").keys() == orphans


def test_they_are_left_out_refused_or_sent() -> None:
    request = Request(messages=(Message.user("go"), answer(TextPart("a"), hosted("s1")), Message.user("on")))
    made = request.render("anthropic", model="claude-opus-4-8")
    assert made.body["messages"][1]["content"] == [{"type": "text", "text": "a"}]
    assert [(note.place, note.rule) for note in made.notes] == [("messages[1].parts[1]", "A9")]
    with pytest.raises(UnreplayableError):
        request.render(
            "anthropic", model="claude-opus-4-8", policy=RenderPolicy(hosted_orphans=HostedOrphans.REFUSE)
        )
    kept = request.render(
        "anthropic", model="claude-opus-4-8", policy=RenderPolicy(hosted_orphans=HostedOrphans.AS_STORED)
    )
    assert len(kept.body["messages"][1]["content"]) == 2
