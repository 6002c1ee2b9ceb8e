"""What rendering mends or refuses of a request that Anthropic would reject."""

from __future__ import annotations

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import Base64Source
from convotree.domain.message import Message
from convotree.domain.parts import (
    CompactionPart,
    HostedCallPart,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
)
from convotree.domain.prompt import Tool
from convotree.errors import UnreplayableError
from convotree.replay import LastAnswer, RenderPolicy, Request, Unacceptable
from tests.replay.samples import answer, call, result

NEW, OLD = "claude-opus-4-8", "claude-sonnet-4-5"
ASK = Message.user("go")


def rendered(
    request: Request, model: str = NEW, **params: Any
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    made = request.render("anthropic", model=model, params=params)
    return made.body, [(note.rule, note.place) for note in made.notes]


REFUSED: list[tuple[Request, str, str, str, dict[str, Any]]] = [
    (Request(), NEW, "A1", "messages[0]", {}),
    (Request(messages=(answer(ReasoningPart("x")),)), NEW, "A1", "messages[0]", {}),
    (Request(messages=(ASK, answer(TextPart("so")))), NEW, "A15", "messages[1]", {}),
    (Request(tools=(Tool("look up"),), messages=(ASK,)), NEW, "A12", "tools[0].name", {}),
    (Request(tools=(Tool("look"), Tool("look")), messages=(ASK,)), NEW, "A12", "tools[1].name", {}),
    (
        Request(messages=(Message.user(ImagePart(Base64Source("image/tiff", "QQ=="))),)),
        NEW,
        "A25",
        "messages[0].parts[0].source",
        {},
    ),
    (
        Request(messages=(Message.user(ImagePart(Base64Source("image/png", "no base64"))),)),
        NEW,
        "A25",
        "messages[0].parts[0].source",
        {},
    ),
    (
        Request(messages=(ASK, answer(call("c1")), result("c1"))),
        OLD,
        "A17",
        "messages[1].parts[0]",
        {"thinking": {"type": "enabled", "budget_tokens": 1024}},
    ),
]


@pytest.mark.parametrize(("request_", "model", "rule", "place", "params"), REFUSED)
def test_what_cannot_be_mended_is_refused_unless_the_caller_insists(
    request_: Request, model: str, rule: str, place: str, params: dict[str, Any]
) -> None:
    with pytest.raises(UnreplayableError) as caught:
        rendered(request_, model, **params)
    assert (caught.value.rule, caught.value.place) == (rule, place)
    policy = RenderPolicy(unacceptable=Unacceptable.AS_STORED)
    made = request_.render("anthropic", model=model, params=params, policy=policy)
    assert made.body["model"] == model


@pytest.mark.parametrize(
    ("policy", "roles", "notes"),
    [
        (
            RenderPolicy(last_answer=LastAnswer.LEAVE_OUT),
            ["user"],
            [("A15", "messages[1]"), ("A15", "messages[2]")],
        ),
        (RenderPolicy(last_answer=LastAnswer.AS_STORED), ["user", "assistant", "assistant"], []),
    ],
)
def test_a_begun_answer_where_the_model_takes_none_is_the_callers_choice(
    policy: RenderPolicy, roles: list[str], notes: list[tuple[str, str]]
) -> None:
    begun = Request(messages=(ASK, answer(TextPart("It")), answer(TextPart("is"))))
    made = begun.render("anthropic", model=NEW, policy=policy)
    assert [one["role"] for one in made.body["messages"]] == roles
    assert [(one.rule, one.place) for one in made.notes] == notes
    kept = begun.render("anthropic", model=OLD, policy=policy)
    assert len(kept.body["messages"]) == 3


def test_a_paused_turn_goes_back_whatever_is_chosen() -> None:
    search = HostedCallPart("anthropic", "server_tool_use", "srvtoolu_1", "web_search", ExactJson("{}"))
    tool = Tool(
        "web_search",
        provider="anthropic",
        definition=ExactJson('{"type":"web_search_20250305","name":"web_search"}'),
    )
    paused = Request(tools=(tool,), messages=(ASK, answer(search, provider="anthropic")))
    for choice in LastAnswer:
        made = paused.render("anthropic", model=NEW, policy=RenderPolicy(last_answer=choice))
        assert [one["role"] for one in made.body["messages"]] == ["user", "assistant"]
        assert made.notes == ()


def test_a_container_of_nothing_but_its_id_is_sent_as_that() -> None:
    body, notes = rendered(Request(messages=(ASK,)), container={"id": "c_1"})
    assert body["container"] == "c_1"
    assert notes == [("A26", "tools")]
    skills = {"id": "c_1", "skills": []}
    assert rendered(Request(messages=(ASK,)), container=skills)[0]["container"] == skills


def test_a_begun_answer_where_the_model_takes_one_ends_in_no_white_space() -> None:
    body, notes = rendered(Request(messages=(ASK, Message.assistant("It is \n"))), OLD)
    assert body["messages"][1]["content"] == "It is"
    assert notes == [("A16", "messages[1]")]
    body, notes = rendered(Request(messages=(ASK, answer(TextPart("a "), TextPart("b ")))), OLD)
    assert [block["text"] for block in body["messages"][1]["content"]] == ["a ", "b"]
    assert notes == [("A16", "messages[1].parts[1]")]


def test_names_of_called_tools_are_mended() -> None:
    foreign = answer(ToolCallPart("c1", "files.read all", ExactJson("{}")), provider="google")
    body, notes = rendered(Request(messages=(ASK, foreign, result("c1"))))
    assert body["messages"][1]["content"][0]["name"] == "files_read_all"
    assert notes == [("A12", "messages[1].parts[0].name")]


def test_a_summary_stands_first_or_not_at_all() -> None:
    summary = answer(CompactionPart("in short", signature="c2ln"), provider="anthropic")
    body, notes = rendered(Request(messages=(summary, ASK)))
    assert body["messages"][0]["content"][0]["type"] == "compaction"
    assert notes == []
    body, notes = rendered(Request(messages=(ASK, summary, ASK)))
    assert [one["role"] for one in body["messages"]] == ["user", "user"]
    assert notes == [("A20", "messages[1].parts[0]")]


def test_a_long_marker_after_a_short_one_is_left_out() -> None:
    short, long = ExactJson('{"type":"ephemeral"}'), ExactJson('{"type":"ephemeral","ttl":"1h"}')
    request = Request(
        system=(TextPart("s", cache_marker=short),),
        messages=(Message.user([TextPart("a", cache_marker=long), TextPart("b", cache_marker=short)]),),
    )
    body, notes = rendered(request)
    assert ["cache_control" in block for block in body["messages"][0]["content"]] == [False, True]
    assert notes == [("A23", "messages[0].parts[0]")]
    tools = (Tool("look", cache_marker=long),)
    body, notes = rendered(Request(request.system, tools, (ASK,)))
    assert "cache_control" in body["tools"][0]
    assert notes == []


def test_null_members_that_a_dump_added_are_left_out() -> None:
    block = '{"type":"tool_use","id":"t","name":"f","input":{},"caller":null,"toolset_name":null}'
    message = Message.from_provider("anthropic", f'{{"role":"assistant","content":[{block}]}}')
    body, notes = rendered(Request(messages=(ASK, message, result("t"))))
    assert body["messages"][1]["content"] == [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]
    assert notes == [("A24", "messages[1].parts[0]")] * 2
