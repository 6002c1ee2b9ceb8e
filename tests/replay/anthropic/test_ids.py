"""Ids of tool calls on their way to Anthropic: any alphabet but its own is mapped, of any length, without collision."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message
from convotree.domain.parts import HostedCallPart, HostedResultPart, Part, TextPart
from convotree.replay import Request
from tests.replay.samples import answer, call, errors, result

MODEL = "claude-opus-4-8"

_odd = st.sampled_from(
    ["c1", "c_1", "c|1", "c:1", "call_1|fc_1", "toolu_é", "", " ", "x" * 10_000, "x" * 9_999 + "|", "toolu_1"]
)
_ids = st.lists(st.one_of(_odd, st.text(min_size=0, max_size=12)), min_size=1, max_size=6, unique=True)
_providers = st.sampled_from([None, "anthropic", "openai", "google"])


def sent(request: Request) -> tuple[list[Any], list[list[str]], list[list[str]]]:
    made = request.render("anthropic", model=MODEL)
    again = Request.from_provider("anthropic", made.to_json())
    assert errors(again.check("anthropic", model=MODEL)) == []
    messages: list[Any] = made.body["messages"]
    calls = [ids(one["content"], "tool_use", "id") for one in messages if one["role"] == "assistant"]
    results = [
        ids(one["content"], "tool_result", "tool_use_id")
        for one in messages
        if one["role"] == "user" and not isinstance(one["content"], str)
    ]
    return messages, calls, results


def ids(content: list[Any], kind: str, name: str) -> list[str]:
    return [block[name] for block in content if block["type"] == kind]


@given(turns=st.lists(st.tuples(_providers, _ids), min_size=1, max_size=4))
def test_calls_and_results_keep_together_and_apart_from_others(
    turns: list[tuple[str | None, list[str]]],
) -> None:
    path: list[Message] = [Message.user("go")]
    for provider, some in turns:
        path += [answer(*(call(one) for one in some), provider=provider), result(*some)]
    _, calls, results = sent(Request(messages=(*path, Message.user("on"))))
    assert calls == results
    mapped: dict[str, str] = {}
    for (_, some), used in zip(turns, calls, strict=True):
        for one, new in zip(some, used, strict=True):
            # The same id is always the same, an id of Anthropic's alphabet is itself, and no two become one.
            assert mapped.setdefault(one, new) == new
            if re.fullmatch(r"[a-zA-Z0-9_-]+", one):
                assert new == one
    assert len(set(mapped.values())) == len(mapped)


def test_an_id_of_any_length_stays() -> None:
    long = "toolu_" + "x" * 10_000
    _, calls, _ = sent(Request(messages=(Message.user("go"), answer(call(long)), result(long))))
    assert calls == [[long]]


@given(some=_ids)
def test_ids_of_hosted_calls_stay(some: list[str]) -> None:
    hosted: list[Part] = [
        HostedCallPart("anthropic", "server_tool_use", "srvtoolu_1", "web_search", ExactJson("{}")),
        HostedResultPart("anthropic", "web_search_tool_result", "srvtoolu_1", ExactJson("[]")),
    ]
    path = (
        Message.user("go"),
        answer(*hosted, *(call(one) for one in some), provider="anthropic"),
        result(*some),
        answer(TextPart("so"), provider="anthropic"),
        Message.user("on"),
    )
    messages, _, _ = sent(Request(messages=path))
    assert [messages[1]["content"][0]["id"], messages[1]["content"][1]["tool_use_id"]] == ["srvtoolu_1"] * 2
