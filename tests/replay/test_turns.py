"""Order and pairing, whatever was stored."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message, Role
from convotree.domain.parts import HostedCallPart, ReasoningPart, TextPart, ToolResultPart
from convotree.errors import UnreplayableError
from convotree.replay import RenderPolicy, Request, UnansweredCalls, UnmatchedResults
from tests.replay.samples import MODELS, answer, call, conversations, errors, result


def rendered(*messages: Message, policy: RenderPolicy | None = None) -> list[Any]:
    # A model that takes a begun answer as the last message.
    body = Request(messages=messages).render("anthropic", model="claude-sonnet-4-5", policy=policy).body
    return [
        (message["role"], [_brief(block) for block in message["content"]])
        if isinstance(message["content"], list)
        else (message["role"], message["content"])
        for message in body["messages"]
    ]


def _brief(block: dict[str, Any]) -> str:
    match block["type"]:
        case "text":
            return str(block["text"])
        case "tool_use":
            return f"call {block['id']}"
        case "tool_result":
            return f"result {block['tool_use_id']}"
        case kind:
            return str(kind)


def rules(*messages: Message, provider: str = "anthropic") -> list[tuple[str, str]]:
    notes = Request(messages=messages).render(provider, model=MODELS[provider]).notes
    return [(note.place, note.rule) for note in notes]


THREE_CALLS = answer(call("c1"), call("c2"), call("c3"))
ALL_RESULTS = ("user", ["result c1", "result c2", "result c3"])


class TestParallelResults:
    """Guards against results in the order in which tools happened to finish, and against losing all but one."""

    @pytest.mark.parametrize(
        "stored",
        [
            [result("c1", "c2", "c3")],
            [result("c3", "c1", "c2")],
            [result("c3"), result("c1"), result("c2")],
            [result("c3"), result("c1", "c2")],
        ],
    )
    def test_they_follow_their_calls_once_and_in_order(self, stored: list[Message]) -> None:
        path = (Message.user("go"), THREE_CALLS, *stored, answer(TextPart("done")))
        assert rendered(*path) == [
            ("user", "go"),
            ("assistant", ["call c1", "call c2", "call c3"]),
            ALL_RESULTS,
            ("assistant", ["done"]),
        ]

    def test_another_order_is_noted_and_the_stored_one_stays(self) -> None:
        path = (Message.user("go"), THREE_CALLS, result("c3"), result("c1"), result("c2"))
        request = Request(messages=path)
        assert rules(*path) == [("messages[3].parts[0]", "A4")]
        assert [message.tool_results[0].tool_call_id for message in request.messages[2:]] == [
            "c3",
            "c1",
            "c2",
        ]

    def test_the_usual_order_is_not_noted(self) -> None:
        assert rules(Message.user("go"), THREE_CALLS, result("c1"), result("c2"), result("c3")) == []

    def test_repeated_rendering_gives_equal_bytes(self) -> None:
        request = Request(messages=(Message.user("go"), THREE_CALLS, result("c3"), result("c1", "c2")))
        again = Request.from_json(request.to_json())
        first, second = (one.render("anthropic", model="claude-opus-4-8") for one in (request, again))
        assert (first.to_json(), first.notes) == (second.to_json(), second.notes)


class TestResultsElsewhere:
    """Guards against a result that stands where the provider does not look for it."""

    def test_one_that_came_after_another_input_moves_up(self) -> None:
        path = (Message.user("go"), answer(call("c1")), Message.user("wait"), result("c1"))
        assert rendered(*path)[2:] == [("user", ["result c1"]), ("user", "wait")]
        assert rules(*path) == [("messages[3].parts[0]", "A4")]

    def test_one_beside_other_content_leads_it(self) -> None:
        mixed = Message(Role.USER, (TextPart("here"), ToolResultPart("c1", (TextPart("r"),))))
        path = (Message.user("go"), answer(call("c1")), mixed)
        assert rendered(*path)[2:] == [("user", ["result c1", "here"])]
        assert rules(*path) == [("messages[2].parts[1]", "A5")]

    def test_developer_messages_do_not_come_between(self) -> None:
        path = (Message.user("go"), answer(call("c1")), Message.developer("psst"), result("c1"))
        assert rendered(*path)[2:] == [("user", ["result c1"]), ("user", "psst")]

    def test_calls_of_answers_in_a_row_are_answered_after_the_last(self) -> None:
        path = (Message.user("go"), answer(call("c1")), answer(call("c2")), result("c1"), result("c2"))
        assert rendered(*path)[1:] == [
            ("assistant", ["call c1"]),
            ("assistant", ["call c2"]),
            ("user", ["result c1", "result c2"]),
        ]

    def test_in_chat_each_of_them_has_its_own(self) -> None:
        path = (Message.user("go"), answer(call("c1")), answer(call("c2")), result("c1"), result("c2"))
        body = Request(messages=path).render("openai-chat", model="gpt-5").body
        assert [one["role"] for one in body["messages"]] == ["user", "assistant", "tool", "assistant", "tool"]

    def test_an_id_may_be_used_again_in_a_later_turn(self) -> None:
        path = (
            Message.user("go"),
            answer(call("c1")),
            result("c1", text="first"),
            answer(call("c1")),
            result("c1", text="second"),
        )
        body = Request(messages=path).render("anthropic", model="claude-opus-4-8")
        assert [one["content"][0].get("content") for one in body.body["messages"][2::2]] == [
            "first c1",
            "second c1",
        ]
        assert body.notes == ()


class TestUnansweredCalls:
    """Guards against a crash between call and result that poisons the conversation for ever."""

    PATH = (Message.user("go"), answer(call("c1"), call("c2")), result("c2"), Message.user("go on"))

    def test_a_marked_error_result_stands_in(self) -> None:
        request = Request(messages=self.PATH, revision_ids=("r0", "r1", "r2", "r3"))
        made = request.render("anthropic", model="claude-opus-4-8")
        assert made.body["messages"][2]["content"][0] == {
            "type": "tool_result",
            "tool_use_id": "c1",
            "content": "No result provided",
            "is_error": True,
        }
        assert [(note.place, note.rule, note.revision_id) for note in made.notes] == [
            ("messages[1].parts[0]", "A4", "r1")
        ]
        assert request.messages == self.PATH

    def test_it_can_be_refused(self) -> None:
        policy = RenderPolicy(unanswered_calls=UnansweredCalls.REFUSE)
        with pytest.raises(UnreplayableError) as caught:
            rendered(*self.PATH, policy=policy)
        assert (caught.value.place, caught.value.rule) == ("messages[1].parts[0]", "A4")

    def test_check_names_it(self) -> None:
        request = Request(messages=self.PATH, revision_ids=("r0", "r1", "r2", "r3"))
        (found,) = [one for one in request.check("anthropic", model="claude-opus-4-8") if one.rule == "A4"]
        assert (found.place, found.revision_id) == ("messages[1].parts[0]", "r1")


def _result(text: str, *, is_error: bool | None = None) -> Message:
    return Message(Role.TOOL, (ToolResultPart("c1", (TextPart(text),), is_error, as_string=True),))


class TestSeveralResults:
    """Guards against all results of one call being sent, and against an arbitrary one."""

    @pytest.mark.parametrize(
        ("results", "used"),
        [
            ([_result("error", is_error=True), _result("real"), _result("late")], "real"),
            ([_result("error", is_error=True), _result("worse", is_error=True)], "error"),
            ([_result("error", is_error=True), answer(TextPart("hm")), _result("real")], "error"),
            (
                [Message.user("?"), answer(TextPart("hm")), _result("late", is_error=True), _result("later")],
                "late",
            ),
        ],
    )
    def test_one_is_used_by_the_documented_rule(self, results: list[Message], used: str) -> None:
        path = (Message.user("go"), answer(call("c1")), *results, Message.user("end"))
        made = Request(messages=path).render("anthropic", model="claude-haiku-4-5")
        blocks = [
            block for one in made.body["messages"] for block in one["content"] if isinstance(block, dict)
        ]
        assert [block["content"] for block in blocks if block["type"] == "tool_result"] == [used]

    def test_what_is_not_used_is_noted(self) -> None:
        stray = Message.tool_result("unknown", "?")
        path = (Message.user("go"), answer(call("c1")), _result("a"), _result("b"), stray)
        assert rules(*path) == [("messages[3].parts[0]", "A7"), ("messages[4].parts[0]", "A6")]

    @pytest.mark.parametrize("extra", [_result("b"), Message.tool_result("unknown", "?")])
    def test_it_can_be_refused(self, extra: Message) -> None:
        policy = RenderPolicy(unmatched_results=UnmatchedResults.REFUSE)
        with pytest.raises(UnreplayableError):
            rendered(Message.user("go"), answer(call("c1")), _result("a"), extra, policy=policy)

    def test_calls_of_one_id_in_one_turn_get_ids_of_their_own(self) -> None:
        path = (Message.user("go"), answer(call("c1"), call("c1")), _result("a"), _result("b"))
        made = Request(messages=path).render("anthropic", model="claude-opus-4-8")
        first, second = made.body["messages"][1]["content"]
        results = made.body["messages"][2]["content"]
        assert first["id"] == "c1" != second["id"]
        assert [(one["tool_use_id"], one["content"]) for one in results] == [("c1", "a"), (second["id"], "b")]
        assert [note.rule for note in made.notes] == ["A8"]


class TestOwnForm:
    """Guards against a request that came from the provider going back in another form."""

    def body(self, *messages: tuple[str, list[Any]]) -> dict[str, Any]:
        return {"messages": [{"role": role, "content": content} for role, content in messages]}

    def calls(self, *ids: str) -> tuple[str, list[Any]]:
        return "assistant", [{"type": "tool_use", "id": one, "name": "f", "input": {}} for one in ids]

    def results(self, *ids: str) -> tuple[str, list[Any]]:
        return "user", [{"type": "tool_result", "tool_use_id": one, "content": one} for one in ids]

    @pytest.mark.parametrize(
        "steps",
        [
            [("calls", "a", "b"), ("results", "b", "a")],
            [("calls", "a", "b"), ("results", "a"), ("results", "b")],
            [("calls", "a"), ("calls", "b"), ("results", "b", "a")],
            [("calls", "a"), ("results", "a"), ("calls", "b"), ("results", "b")],
        ],
    )
    def test_legal_forms_stay(self, steps: list[tuple[str, ...]]) -> None:
        go = ("user", [{"type": "text", "text": "go"}])
        body = self.body(go, *(getattr(self, name)(*ids) for name, *ids in steps))
        made = Request.from_provider("anthropic", body).render("anthropic", model="claude-opus-4-8")
        assert made.body["messages"] == body["messages"]
        assert made.notes == ()


@pytest.mark.parametrize("provider", sorted(MODELS))
@given(request=conversations)
def test_whatever_is_stored_what_is_sent_is_acceptable(provider: str, request: Request) -> None:
    model = MODELS[provider]
    before = request.to_json()
    made = request.render(provider, model=model)
    assert errors(Request.from_provider(provider, made.to_json()).check(provider, model=model)) == []
    assert request.to_json() == before
    again = request.render(provider, model=model)
    assert (again.to_json(), again.notes) == (made.to_json(), made.notes)


@pytest.mark.parametrize("provider", sorted(MODELS))
@given(request=conversations)
def test_what_was_sent_comes_in_and_goes_out_again_as_it_is(provider: str, request: Request) -> None:
    made = request.render(provider, model=MODELS[provider])
    back = Request.from_provider(provider, made.to_json()).render(provider, model=MODELS[provider])
    assert back.body == made.body
    assert not [note for note in back.notes if note.rule not in ("X1", "X2")]


@pytest.mark.parametrize(("provider", "other"), list(permutations(sorted(MODELS), 2)))
@given(request=conversations)
def test_what_was_sent_to_one_provider_can_be_handed_over_to_another(
    provider: str, other: str, request: Request
) -> None:
    sent = Request.from_provider(provider, request.render(provider, model=MODELS[provider]).to_json())
    made = sent.render(other, model=MODELS[other])
    assert (
        errors(Request.from_provider(other, made.to_json()).check(other, model=MODELS[other], sdk=True)) == []
    )


@given(request=conversations)
def test_a_policy_that_changes_nothing_keeps_every_result(request: Request) -> None:
    policy = RenderPolicy(
        unanswered_calls=UnansweredCalls.AS_STORED, unmatched_results=UnmatchedResults.AS_STORED
    )
    body = request.render("anthropic", model="claude-opus-4-8", policy=policy).body
    blocks = [block for one in body["messages"] for block in one["content"] if isinstance(block, dict)]
    sent = [block for block in blocks if block["type"] == "tool_result"]
    stored = [part for one in request.messages if one.role is not Role.ASSISTANT for part in one.tool_results]
    assert len(sent) == len(stored)


def test_two_thousand_calls_of_one_id_are_no_trouble() -> None:
    path = (
        Message.user("go"),
        answer(*[call("same")] * 2000),
        Message(Role.TOOL, (ToolResultPart("same", (TextPart("r"),), as_string=True),) * 2000),
    )
    made = Request(messages=path).render("anthropic", model="claude-opus-4-8")
    assert len({block["id"] for block in made.body["messages"][1]["content"]}) == 2000


def test_reasoning_alone_makes_no_message_for_chat() -> None:
    path = (Message.user("go"), answer(ReasoningPart("hm", signature="c2ln")), Message.user("on"))
    made = Request(messages=path).render("openai-chat", model="gpt-5")
    assert [one["role"] for one in made.body["messages"]] == ["user", "user"]
    assert [note.rule for note in made.notes] == ["C4", "X3"]


def test_results_in_an_answer_are_left_out() -> None:
    odd = Message(Role.ASSISTANT, (call("c1"), ToolResultPart("c1", (TextPart("r"),))))
    assert rules(Message.user("go"), odd) == [("messages[1].parts[0]", "A4"), ("messages[1].parts[1]", "X6")]


def test_the_exact_arguments_are_sent() -> None:
    spelled = ExactJson.parse('{"a":1.10}')
    made = Request(messages=(Message.user("go"), answer(call("c1", spelled.text)), result("c1"))).render(
        "anthropic", model="claude-opus-4-8"
    )
    assert spelled.text.encode() in made.to_json()


@pytest.mark.parametrize("provider", ["anthropic", "openai-responses"])
def test_a_result_of_a_hosted_call_that_is_left_out_goes_with_it(provider: str) -> None:
    hosted = HostedCallPart(provider, "server_tool_use", "h1", "web_search", ExactJson("{}"))
    path = (Message.user("go"), answer(hosted, TextPart("so")), result("h1"), Message.user("on"))
    made = Request(messages=path).render("anthropic", model="claude-opus-4-8")
    assert [message["role"] for message in made.body["messages"]] == ["user", "assistant", "user"]
    assert ("messages[2].parts[0]", "A6") in [(note.place, note.rule) for note in made.notes]
