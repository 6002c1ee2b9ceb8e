"""Bodies of the Messages API: what came from there goes back as it was; what did not, as it can."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.domain.exact_json import ExactJson, parse_value
from convotree.domain.message import Message, Role
from convotree.domain.parts import ReasoningPart, TextPart, ToolResultPart
from convotree.domain.prompt import Tool
from convotree.errors import InvalidArgumentError, UnreplayableError
from convotree.replay import (
    BlankText,
    CacheMarkers,
    DeveloperMessages,
    RenderPolicy,
    Request,
    ToolArguments,
    Turns,
    Unsupported,
)
from tests.replay.samples import PNG, answer, anthropic_body, call, chat_body, errors, result

MODEL = "claude-opus-4-8"

_numbers = st.one_of(
    st.integers(-(2**70), 2**70).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(["-0", "1.10", "1e400", "-1E-999", "18446744073709551616", "1e5000", "9" * 5000]),
)
_keys = st.sampled_from(["a", "$where", "a.b", "", "\x00", "é", "\ud800", "😀"])
_strings = st.one_of(_keys, st.text(st.characters(codec=None, exclude_categories=()), max_size=4))
_values = st.recursive(
    st.one_of(_numbers, _strings.map(json.dumps), st.sampled_from(["null", "true", "false"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{','.join(items)}]"),
        st.dictionaries(_keys, inner, max_size=3).map(
            lambda members: "{" + ",".join(f"{json.dumps(key)}:{one}" for key, one in members.items()) + "}"
        ),
    ),
    max_leaves=8,
)
exact_objects: st.SearchStrategy[str] = st.dictionaries(_keys, _values, max_size=4).map(
    lambda members: "{" + ",".join(f"{json.dumps(key)}:{one}" for key, one in members.items()) + "}"
)
"""Texts of JSON objects with every spelling of numbers and odd keys."""


def back(body: Any) -> Any:
    request = Request.from_provider("anthropic", json.dumps(body))
    made = request.render("anthropic", model=body["model"], params=request.params)
    assert json.loads(made.to_json()) == made.body
    return made.body, [(note.rule, note.place) for note in made.notes]


def notes(*messages: Message, **options: Any) -> list[tuple[str, str]]:
    made = Request(messages=messages).render("anthropic", model=MODEL, **options)
    return [(note.place, note.rule) for note in made.notes]


def sent(*messages: Message, **options: Any) -> list[Any]:
    body: list[Any] = Request(messages=messages).render("anthropic", model=MODEL, **options).body["messages"]
    return body


class TestRoundTrip:
    """Guards against a recorded request that comes back in another form than it was accepted in."""

    def test_a_body_comes_back_as_it_was(self) -> None:
        assert back(anthropic_body()) == (anthropic_body(), [])

    def test_recorded_bodies_come_back_as_they_were(self, cases: Path) -> None:
        files = sorted((cases / "provider-requests").glob("anthropic_*.json"))
        assert files
        for file in files:
            body = json.loads(file.read_text(encoding="utf-8"))
            assert back(body) == (body, []), file.name

    def test_recorded_exchanges_go_on_as_they_did(self, cases: Path) -> None:
        for file in sorted((cases / "provider-exchanges").glob("anthropic_*.json")):
            exchange = json.loads(file.read_text(encoding="utf-8"))
            asked = Request.from_provider("anthropic", json.dumps(exchange["request"]))
            given = Message.from_provider("anthropic", json.dumps(exchange["response"]))
            following = Request.from_provider("anthropic", json.dumps(exchange["next_request"]))
            messages = (*asked.messages, given, *following.messages[len(asked.messages) + 1 :])
            made = Request(following.system, following.tools, messages).render(
                "anthropic", model=exchange["next_request"]["model"], params=following.params
            )
            assert made.notes == ()
            answer = made.body["messages"][len(asked.messages)]
            assert answer == {"role": "assistant", "content": exchange["response"]["content"]}, file.name
            assert _bare(made.body) == _bare(exchange["next_request"]), file.name

    def test_a_stored_form_is_the_same(self) -> None:
        request = Request.from_provider("anthropic", json.dumps(anthropic_body()))
        again = Request.from_json(request.to_json())
        assert again == request
        assert (
            again.render("anthropic", model=MODEL).to_json()
            == request.render("anthropic", model=MODEL).to_json()
        )


def _bare(value: Any) -> Any:
    """Without what the clients of the recordings dropped, added or moved: citations and cache markers."""
    if isinstance(value, list):
        return [_bare(one) for one in value]
    if isinstance(value, dict):
        return {key: _bare(one) for key, one in value.items() if key not in ("citations", "cache_control")}
    return value


class TestExactNumbers:
    """Guards against ids of 19 digits that are rounded, and floats that become ints."""

    @given(text=exact_objects)
    def test_arguments_are_sent_as_they_are_spelled(self, text: str) -> None:
        kept = ExactJson.parse(text).text
        path = (Message.user("go"), answer(call("c1", text)), result("c1"))
        made = Request(messages=path).render("anthropic", model=MODEL)
        assert f'"input":{kept}}}' in made.to_json().decode()
        again = Request.from_provider("anthropic", made.to_json())
        # Escapes such as \u00e9 come in as the characters they stand for; everything else is as it was.
        assert parse_value(again.render("anthropic", model=MODEL).text) == parse_value(made.text)

    def test_schemas_settings_and_unknown_members_too(self) -> None:
        text = (
            '{"model":"m","temperature":1.0,"messages":[{"role":"user","content":[{"type":"text","text":"x",'
            '"weight":0.10}]}],"tools":[{"name":"t","input_schema":{"type":"object","max":1e2},"odd":2.0}]}'
        )
        request = Request.from_provider("anthropic", text)
        sent = request.render("anthropic", model="m", params=request.params).to_json().decode()
        for spelled in ('"temperature":1.0', '"weight":0.10', '"max":1e2', '"odd":2.0'):
            assert spelled in sent

    def test_what_an_sdk_cannot_carry_is_noted(self) -> None:
        path = (Message.user("go"), answer(call("c1", '{"a":1e400,"b":1.10}')), result("c1"))
        made = Request(messages=path).render("anthropic", model=MODEL)
        assert made.body["messages"][1]["content"][0]["input"] == {"a": 1.7976931348623157e308, "b": 1.1}
        assert [(note.place, note.rule) for note in made.notes] == [
            ("body.messages[1].content[0].input.a", "X1")
        ]


class TestReasoning:
    """Guards against reasoning that loses a byte, and against sending what cannot be verified."""

    THOUGHTS = (
        ReasoningPart("hm", signature="c2ln"),
        ReasoningPart("", signature="c2lnMg=="),
        ReasoningPart(encrypted="ZGF0YQ=="),
        ReasoningPart("cut before its sig"),
    )

    def test_what_is_complete_goes_back_byte_for_byte(self) -> None:
        path = (
            Message.user("go"),
            answer(*self.THOUGHTS, TextPart("so"), provider="anthropic"),
            Message.user("?"),
        )
        assert sent(*path)[1]["content"] == [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "thinking", "thinking": "", "signature": "c2lnMg=="},
            {"type": "redacted_thinking", "data": "ZGF0YQ=="},
            {"type": "text", "text": "so"},
        ]
        assert notes(*path) == [("messages[1].parts[3]", "A18")]

    def test_another_model_of_the_provider_is_said(self) -> None:
        def path(model: str) -> tuple[Message, ...]:
            return (
                Message.user("go"),
                answer(self.THOUGHTS[0], provider="anthropic", model=model),
                Message.user("?"),
            )

        assert notes(*path("claude-sonnet-5")) == [("messages[1].parts[0]", "A19")]
        assert notes(*path("claude-opus-4-8-20260101")) == []
        assert sent(*path("claude-sonnet-5"))[1] == sent(*path(MODEL))[1]

    def test_another_providers_is_left_out(self) -> None:
        path = (
            Message.user("go"),
            answer(self.THOUGHTS[0], TextPart("so"), provider="openai"),
            Message.user("?"),
        )
        assert sent(*path)[1]["content"] == [{"type": "text", "text": "so"}]


class TestBlank:
    """Guards against an empty answer that makes every later request fail."""

    @pytest.mark.parametrize(
        "blank",
        [
            Message.assistant(""),
            Message.assistant(" \n"),
            Message(Role.ASSISTANT, ()),
            answer(ReasoningPart("unsigned")),
            answer(TextPart(" "), TextPart("")),
        ],
    )
    def test_it_is_left_out_and_noted(self, blank: Message) -> None:
        path = (Message.user("one"), blank, Message.user("two"))
        assert [one["content"] for one in sent(*path)] == ["one", "two"]
        assert ("messages[1]", "A14") in notes(*path)
        with pytest.raises(UnreplayableError):
            sent(*path, policy=RenderPolicy(blank_text=BlankText.REFUSE))

    def test_a_signed_blank_thought_stays(self) -> None:
        path = (Message.user("one"), answer(ReasoningPart("", signature="c2ln")), Message.user("two"))
        assert len(sent(*path)) == 3


class TestDeveloperMessages:
    """Guards against instructions in a place or role that the API rejects."""

    PATH = (Message.user("a"), Message.developer("in French"), Message.assistant("b"), Message.user("c"))

    def test_they_are_the_users_by_default(self) -> None:
        assert sent(*self.PATH)[1] == {"role": "user", "content": "in French"}
        assert notes(*self.PATH) == [("messages[1]", "A21")]

    def test_they_are_system_messages_by_choice_where_that_is_legal(self) -> None:
        policy = RenderPolicy(developer_messages=DeveloperMessages.AS_SYSTEM)
        assert sent(*self.PATH, policy=policy)[1] == {"role": "system", "content": "in French"}
        illegal = (Message.developer("first"), *self.PATH, Message.developer("x"), Message.user("d"))
        assert [one["role"] for one in sent(*illegal, policy=policy)] == [
            "user",
            "user",
            "system",
            "assistant",
            "user",
            "user",
            "user",
        ]
        assert notes(*illegal, policy=policy) == [("messages[0]", "A21"), ("messages[5]", "A21")]


class TestCacheMarkers:
    """Guards against a fifth marker, which the API rejects."""

    MARKER = ExactJson('{"type":"ephemeral"}')

    def test_the_oldest_of_the_messages_go(self) -> None:
        marked = [
            Message(Role.USER, (TextPart(str(number), cache_marker=self.MARKER),)) for number in range(5)
        ]
        request = Request(system=(TextPart("s", cache_marker=self.MARKER),), messages=tuple(marked))
        made = request.render("anthropic", model=MODEL)
        assert ["cache_control" in one["content"][0] for one in made.body["messages"]] == [
            False,
            False,
            True,
            True,
            True,
        ]
        assert [(note.place, note.rule) for note in made.notes] == [
            ("messages[0].parts[0]", "A22"),
            ("messages[1].parts[0]", "A22"),
        ]
        kept = request.render(
            "anthropic", model=MODEL, policy=RenderPolicy(cache_markers=CacheMarkers.AS_STORED)
        )
        assert kept.notes == ()

    def test_an_automatic_one_counts(self) -> None:
        marked = [
            Message(Role.USER, (TextPart(str(number), cache_marker=self.MARKER),)) for number in range(4)
        ]
        made = Request(messages=tuple(marked)).render(
            "anthropic", model=MODEL, params={"cache_control": {"type": "ephemeral"}}
        )
        assert [note.place for note in made.notes] == ["messages[0].parts[0]"]


def test_consecutive_messages_can_be_merged() -> None:
    path = (
        Message.user("a"),
        Message.user("b"),
        Message.assistant("c"),
        answer(TextPart("d")),
        Message.user("e"),
    )
    merged = sent(*path, policy=RenderPolicy(turns=Turns.MERGED))
    assert [(one["role"], len(one["content"])) for one in merged] == [
        ("user", 2),
        ("assistant", 2),
        ("user", 1),
    ]


def test_settings_are_merged_in() -> None:
    made = Request(system="s", messages=(Message.user("a"),)).render(
        "anthropic", model=MODEL, params={"max_tokens": 5, "model": MODEL}
    )
    assert made.body == {
        "model": MODEL,
        "max_tokens": 5,
        "system": "s",
        "messages": [{"role": "user", "content": "a"}],
    }


@pytest.mark.parametrize("key", ["messages", "system", "tools"])
def test_settings_do_not_overwrite_the_request(key: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        sent(Message.user("a"), params={key: []})
    assert caught.value.argument == f"params.{key}"


def test_a_tool_without_schema_takes_no_arguments() -> None:
    made = Request(tools=(Tool("t"),), messages=(Message.user("a"),)).render("anthropic", model=MODEL)
    assert made.body["tools"] == [{"name": "t", "input_schema": {"type": "object"}}]


def test_a_tool_of_another_provider_is_left_out_or_refused() -> None:
    tool = Tool("sql", provider="openai-chat", definition=ExactJson('{"type":"custom"}'))
    request = Request(tools=(tool,), messages=(Message.user("a"),))
    made = request.render("anthropic", model=MODEL)
    assert "tools" not in made.body
    assert [(note.place, note.rule) for note in made.notes] == [("tools[0]", "X3")]
    with pytest.raises(UnreplayableError):
        request.render("anthropic", model=MODEL, policy=RenderPolicy(unsupported=Unsupported.REFUSE))


def test_what_chat_completions_said_is_handed_over() -> None:
    request = Request.from_provider("openai-chat", chat_body())
    made = request.render("anthropic", model=MODEL, params={"max_tokens": 10})
    handed_over = Request.from_provider("anthropic", made.to_json())
    assert errors(handed_over.check("anthropic", model=MODEL, sdk=True)) == []
    assert made.body["system"] == "Be brief."
    assert made.body["messages"][1]["content"] == [
        {"type": "text", "text": "I look it up."},
        {"type": "tool_use", "id": "call_1", "name": "look", "input": {"path": ".env", "n": 1.1}},
        {"type": "tool_use", "id": "call_2", "name": "sql", "input": {"value": "select 1"}},
    ]
    assert [(note.place, note.rule) for note in made.notes] == [
        ("tools[0]", "X5"),
        ("tools[1]", "X3"),
        ("messages[0].parts[3]", "X4"),
        ("messages[1].parts[2].arguments", "A24"),
        ("messages[4]", "A21"),
    ]


class TestMisplacedBlocks:
    """Rule A24: what may not stand in a system prompt, or in a tool result."""

    def test_a_system_prompt_holds_text_only(self) -> None:
        image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
        called = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
        body = {
            "model": MODEL,
            "system": [{"type": "text", "text": "Be brief."}, image, called, {"type": "new", "x": 1}],
            "messages": [{"role": "user", "content": "go"}],
        }
        request = Request.from_provider("anthropic", body)
        assert errors(request.check("anthropic", model=MODEL)) == [("system[1]", "A24"), ("system[2]", "A24")]
        made = request.render("anthropic", model=MODEL)
        assert [block["type"] for block in made.body["system"]] == ["text", "new"]
        assert [(note.place, note.rule) for note in made.notes] == [("system[1]", "X4"), ("system[2]", "X4")]
        with pytest.raises(UnreplayableError):
            request.render("anthropic", model=MODEL, policy=RenderPolicy(unsupported=Unsupported.REFUSE))

    def test_a_tool_result_holds_no_call_and_no_other_result(self) -> None:
        inner = [{"type": "text", "text": "r"}, {"type": "tool_result", "tool_use_id": "t", "content": "s"}]
        body = {
            "model": MODEL,
            "messages": [
                {"role": "user", "content": "go"},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": inner}]},
            ],
        }
        request = Request.from_provider("anthropic", body)
        place = "messages[2].parts[0].content[1]"
        assert errors(request.check("anthropic", model=MODEL)) == [(place, "A24")]
        made = request.render("anthropic", model=MODEL)
        assert made.body["messages"][2]["content"][0]["content"] == inner[:1]
        assert [(note.place, note.rule) for note in made.notes] == [(place, "X4")]


@pytest.mark.parametrize("kind", ["server_tool_use", "mcp_tool_use"])
def test_arguments_of_a_hosted_call_are_an_object(kind: str) -> None:
    result_kind = {"server_tool_use": "web_search_tool_result", "mcp_tool_use": "mcp_tool_result"}[kind]
    hosted = {"type": kind, "id": "srvtoolu_1", "name": "web_search", "input": "cats"}
    found = {"type": result_kind, "tool_use_id": "srvtoolu_1", "content": []}
    body = {
        "model": MODEL,
        "tools": [{"type": "web_search_20250305", "name": "web_search"}],
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [hosted, found]},
            {"role": "user", "content": "on"},
        ],
    }
    request = Request.from_provider("anthropic", body)
    made = request.render("anthropic", model=MODEL)
    assert made.body["messages"][1]["content"][0]["input"] == {"value": "cats"}
    assert ("A24", "messages[1].parts[0].arguments") in [(note.rule, note.place) for note in made.notes]
    with pytest.raises(UnreplayableError):
        request.render("anthropic", model=MODEL, policy=RenderPolicy(tool_arguments=ToolArguments.REFUSE))
    as_stored = RenderPolicy(tool_arguments=ToolArguments.AS_STORED)
    assert (
        request.render("anthropic", model=MODEL, policy=as_stored).body["messages"][1]["content"][0] == hosted
    )


class TestMarkersAndMovedResults:
    """Rule A23 looks at the body, where results may stand elsewhere than in the messages."""

    @staticmethod
    def rendered(first: str, second: str) -> tuple[list[list[bool]], list[tuple[str, str]]]:
        marked = {ttl: ExactJson.of({"type": "ephemeral", "ttl": ttl}) for ttl in ("1h", "5m")}
        asked = Message.user([TextPart("wait", cache_marker=marked[first])])
        found = Message(Role.TOOL, (ToolResultPart("c", (TextPart("r"),), cache_marker=marked[second]),))
        made = Request(
            messages=(Message.user("q"), answer(call("c")), asked, found, Message.user("on"))
        ).render("anthropic", model=MODEL)
        blocks = [one["content"] for one in made.body["messages"] if isinstance(one["content"], list)]
        noted = [(note.place, note.rule) for note in made.notes if note.rule == "A23"]
        return [["cache_control" in block for block in one] for one in blocks], noted

    def test_one_that_comes_later_there_is_left_out(self) -> None:
        marks, noted = self.rendered("1h", "5m")
        assert noted == [("messages[2].parts[0]", "A23")]
        assert [mark for one in marks for mark in one].count(True) == 1

    def test_one_that_is_legal_there_stays(self) -> None:
        marks, noted = self.rendered("5m", "1h")
        assert noted == []
        assert [mark for one in marks for mark in one].count(True) == 2
