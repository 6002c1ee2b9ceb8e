"""Bodies of the Responses API: what came from there goes back as it was; what did not, as it can."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import UrlSource
from convotree.domain.message import Message, Role
from convotree.domain.outcome import Outcome
from convotree.domain.parts import DocumentPart, OpaquePart, ReasoningPart, TextPart, ToolResultPart
from convotree.errors import InvalidArgumentError, InvalidMessageError, UnreplayableError
from convotree.replay import (
    FailedTurns,
    ForeignReasoning,
    HostedOrphans,
    RenderPolicy,
    Request,
    UnansweredCalls,
)
from tests.replay.anthropic.test_render import exact_objects
from tests.replay.openai_responses.bodies import MODEL, every_kind, responses_body
from tests.replay.samples import (
    MODELS,
    answer,
    anthropic_body,
    call,
    chat_body,
    conversations,
    errors,
    result,
)

NAME = "openai-responses"


def back(body: Any, model: str | None = None) -> tuple[Any, list[tuple[str, str]]]:
    request = Request.from_provider(NAME, json.dumps(body))
    made = request.render(NAME, model=model or body["model"], params=None if model else request.params)
    assert json.loads(made.to_json()) == made.body
    return made.body, [(note.rule, note.place) for note in made.notes]


def own(*parts: Any, model: str = MODEL, outcome: Outcome = Outcome.COMPLETE) -> Message:
    return Message.assistant(parts, provider="openai", api="responses", model=model, outcome=outcome)


def read(*items: Any, **rest: Any) -> Request:
    return Request.from_provider(NAME, json.dumps({"model": MODEL, "input": list(items), **rest}))


def sent(request: Request, model: str = MODEL, policy: RenderPolicy | None = None) -> list[Any]:
    items: list[Any] = request.render(NAME, model=model, policy=policy).body["input"]
    return items


def test_a_body_comes_back_as_it_was() -> None:
    assert back(responses_body()) == (responses_body(), [])


def test_every_kind_of_item_comes_back_as_it_was() -> None:
    assert back(every_kind()) == (every_kind(), [])


def test_recorded_bodies_come_back_as_they_were(cases: Path) -> None:
    files = sorted((cases / "provider-requests").glob("openai_responses_*.json"))
    assert files
    for file in files:
        body = json.loads(file.read_text(encoding="utf-8"))
        if file.stem != "openai_responses_10":
            assert back(body) == (body, []), file.name


def test_the_recorded_rejection_is_mended(cases: Path) -> None:
    body = json.loads((cases / "provider-requests" / "openai_responses_10.json").read_text(encoding="utf-8"))
    made, notes = back(body)
    assert notes == [("R1", "messages[1].parts[0]")]
    del body["input"][1]["id"]
    assert made == body
    assert errors(Request.from_provider(NAME, made).check(NAME, model=MODEL)) == []


def test_recorded_exchanges_go_on_as_they_did(cases: Path) -> None:
    files = sorted((cases / "provider-exchanges").glob("openai_responses_*.json"))
    assert files
    for file in files:
        exchange = json.loads(file.read_text(encoding="utf-8"))
        asked = Request.from_provider(NAME, json.dumps(exchange["request"]))
        given_back = Message.from_provider(NAME, json.dumps(exchange["response"]))
        following = Request.from_provider(NAME, json.dumps(exchange["next_request"]))
        messages = (*asked.messages, given_back, *following.messages[len(asked.messages) + 1 :])
        made = Request(following.system, following.tools, messages).render(
            NAME, model=exchange["next_request"]["model"], params=following.params
        )
        assert made.notes == (), file.name
        theirs = {item.get("id"): item for item in exchange["next_request"]["input"]}
        for item in made.body["input"]:
            _as_that_client_sent_it(item, theirs.get(item.get("id"), {}))
        if file.stem == "openai_responses_9":
            # Sent there in the easy form.
            (easy,) = [item for item in made.body["input"] if item.get("id", "").startswith("msg_")]
            made.body["input"][made.body["input"].index(easy)] = {
                "role": "assistant",
                "content": easy["content"][0]["text"],
            }
        assert made.body == exchange["next_request"], file.name


def _as_that_client_sent_it(item: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Without what the client left out of the response: the known differences."""
    for piece in item["content"] if isinstance(item.get("content"), list) else ():
        assert piece.pop("logprobs", []) == []
    if item.get("type") in ("function_call", "mcp_call"):
        for key in ("status", "approval_request_id"):
            if key not in theirs:
                item.pop(key, None)
    if item.get("type") == "mcp_call" and "output" in theirs:
        item["output"] = theirs["output"]
    if item.get("type") == "mcp_list_tools" and "tools" in theirs:
        item["tools"] = theirs["tools"]


@given(text=exact_objects)
def test_arguments_are_sent_as_they_are_spelled(text: str) -> None:
    made = Request(messages=(Message.user("go"), answer(call("c1", text)), result("c1"))).render(
        NAME, model=MODEL
    )
    assert made.body["input"][1]["arguments"] == ExactJson.parse(text).text


def test_the_input_may_be_a_bare_string() -> None:
    body = {"model": MODEL, "input": "Hello"}
    assert back(body) == (body, [])
    request = Request.from_provider(NAME, body)
    longer = Request(messages=(*request.messages, answer(TextPart("Hi"))))
    assert sent(longer) == [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]


def test_what_others_said_is_handed_over() -> None:
    for name, body in (("anthropic", anthropic_body()), ("openai-chat", chat_body())):
        request = Request.from_provider(name, body)
        made = request.render(NAME, model=MODEL)
        again = Request.from_provider(NAME, made.to_json())
        assert again.check(NAME, model=MODEL, sdk=True) == ()
        assert again.render(NAME, model=MODEL).body == made.body


@pytest.mark.parametrize("other", MODELS)
@pytest.mark.parametrize("body", [responses_body(), every_kind()], ids=["usual", "every kind"])
def test_others_accept_what_is_handed_over(other: str, body: Any) -> None:
    made = Request.from_provider(NAME, json.dumps(body)).render(other, model=MODELS[other])
    again = Request.from_provider(other, made.to_json())
    assert errors(again.check(other, model=MODELS[other], sdk=True)) == []


def test_an_answer_of_anthropic_in_items() -> None:
    items = sent(Request.from_provider("anthropic", anthropic_body()))
    assert [item.get("type", item.get("role")) for item in items] == [
        "system",
        "user",
        "assistant",
        "function_call",
        "function_call",
        "function_call_output",
        "function_call_output",
        "user",
        "assistant",
        "user",
        "developer",
    ]
    assert items[3] == {
        "type": "function_call",
        "call_id": "toolu_1",
        "name": "add",
        "arguments": '{"a":2,"b":2.5}',
    }


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.ABORTED])
def test_a_turn_that_failed_disappears_whole(outcome: Outcome) -> None:
    failed = own(ReasoningPart(encrypted="x"), TextPart("I"), call("c1"), outcome=outcome)
    request = Request(messages=(Message.user("go"), failed, result("c1"), Message.user("again")))
    made = request.render(NAME, model=MODEL)
    assert made.body["input"] == [{"role": "user", "content": "go"}, {"role": "user", "content": "again"}]
    assert ("messages[1]", "X7") in [(note.place, note.rule) for note in made.notes]
    text = RenderPolicy(failed_turns=FailedTurns.TEXT)
    assert sent(request, policy=text)[1] == {"role": "assistant", "content": "I"}


def test_another_model_gets_no_reasoning_and_no_ids() -> None:
    made, notes = back(responses_body(), "gpt-5.4")
    assert [item.get("type") for item in made["input"]] == [
        "message",
        "message",
        "function_call",
        "custom_tool_call",
        "function_call_output",
        "custom_tool_call_output",
        "message",
        None,
        None,
    ]
    assert not any("id" in item or "phase" in item for item in made["input"])
    assert {rule for rule, _ in notes} == {"R2", "R8", "R11"}
    assert errors(Request.from_provider(NAME, made).check(NAME, model="gpt-5.4", sdk=True)) == []


def test_a_dated_name_is_the_same_model() -> None:
    made, notes = back(responses_body(), "gpt-5-2025-08-07")
    assert notes == []
    assert made["input"] == responses_body()["input"]


def test_settings_cannot_name_what_the_request_gives() -> None:
    for name in ("input", "tools", "instructions"):
        with pytest.raises(InvalidArgumentError, match=name):
            Request().render(NAME, model=MODEL, params={name: "x"})


def test_a_request_goes_on_with_one_conversation() -> None:
    both = {"previous_response_id": "resp_1", "conversation": "conv_1"}
    with pytest.raises(UnreplayableError) as caught:
        Request(messages=(Message.user("x"),)).render(NAME, model=MODEL, params=both)
    assert (caught.value.rule, caught.value.place) == ("R14", "params.conversation")


def test_a_result_whose_call_is_stored_there_is_kept() -> None:
    request = Request(messages=(result("c1"),))
    with pytest.raises(UnreplayableError):
        request.render(NAME, model=MODEL)
    going_on = request.render(NAME, model=MODEL, params={"previous_response_id": "resp_1"})
    assert [item["type"] for item in going_on.body["input"]] == ["function_call_output"]
    assert going_on.notes == ()


def test_reasoning_is_found_by_its_id_only_where_the_caller_stores() -> None:
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    said = {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"}
    given_back = {"type": "function_call_output", "call_id": "c", "output": "1"}
    request = read(thought, said, given_back)
    made = request.render(NAME, model=MODEL, params={"store": True})
    assert made.body["input"] == [thought, said, given_back]
    assert made.notes == ()
    made = request.render(NAME, model=MODEL)
    del said["id"]
    assert made.body["input"] == [said, given_back]
    assert [note.rule for note in made.notes] == ["R8", "R2"]


def test_reasoning_as_text_is_said_by_the_model() -> None:
    policy = RenderPolicy(foreign_reasoning=ForeignReasoning.AS_TEXT)
    request = Request(messages=(answer(ReasoningPart("hm"), TextPart("So."), provider="anthropic"),))
    assert sent(request, policy=policy) == [
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "hm"}, {"type": "output_text", "text": "So."}],
        }
    ]


def test_an_unanswered_call_can_be_refused() -> None:
    with pytest.raises(UnreplayableError) as caught:
        Request(messages=(answer(call("c1")),)).render(
            NAME, model=MODEL, policy=RenderPolicy(unanswered_calls=UnansweredCalls.REFUSE)
        )
    assert caught.value.rule == "R3"


BODY = every_kind()


@settings(max_examples=150, deadline=None)
@given(
    order=st.lists(st.integers(0, len(BODY["input"]) - 1), max_size=30),
    storing=st.sampled_from([{}, {"store": True}, {"store": False}]),
    model=st.sampled_from([MODEL, "gpt-5.4", "gpt-4o"]),
)
def test_whatever_stood_there_what_is_sent_is_accepted(
    order: list[int], storing: dict[str, bool], model: str
) -> None:
    items = [BODY["input"][number] for number in order]
    request = read(*items, tools=BODY["tools"])
    try:
        made = request.render(NAME, model=model, params=storing)
    except UnreplayableError as error:
        assert (error.place, error.rule) == ("messages[0]", "R13")  # noqa: PT017 - most go well
        return
    again = Request.from_provider(NAME, made.to_json())
    assert errors(again.check(NAME, model=model, sdk=True)) == []
    assert again.render(NAME, model=model, params=storing).body == made.body


@settings(max_examples=60, deadline=None)
@given(cut=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=8))
def test_parts_can_be_taken_out_anywhere(cut: list[tuple[int, int]]) -> None:
    request = Request.from_provider(NAME, responses_body())
    messages = [
        Message(
            message.role,
            tuple(part for number, part in enumerate(message.parts) if (index, number) not in cut),
            message.provenance,
            provider_data=message.provider_data,
        )
        for index, message in enumerate(request.messages)
    ]
    made = Request(request.system, request.tools, tuple(messages)).render(NAME, model=MODEL)
    again = Request.from_provider(NAME, made.to_json())
    assert errors(again.check(NAME, model=MODEL, sdk=True)) == []


@settings(max_examples=80, deadline=None)
@given(request=conversations)
def test_what_anyone_wrote_is_accepted_and_stable(request: Request) -> None:
    made = request.render(NAME, model=MODEL)
    again = Request.from_provider(NAME, made.to_json())
    assert errors(again.check(NAME, model=MODEL, sdk=True)) == []
    assert again.render(NAME, model=MODEL).body == made.body


def test_roles_of_a_read_body() -> None:
    roles = [message.role for message in Request.from_provider(NAME, responses_body()).messages]
    assert roles == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT, Role.DEVELOPER, Role.USER]


@pytest.mark.parametrize("kind", ["function_call", "custom_tool_call"])
@pytest.mark.parametrize("gone", ["name", "call_id"])
def test_a_call_of_the_callers_tools_has_a_name_and_an_id(kind: str, gone: str) -> None:
    item = {"type": kind, "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}", "input": ""}
    with pytest.raises(InvalidMessageError) as caught:
        read({key: value for key, value in item.items() if key != gone})
    assert caught.value.place == f"input[0].{gone}"


def test_a_call_that_nobody_named_is_found_and_left_out() -> None:
    opaque = OpaquePart(NAME, "function_call", ExactJson('{"type":"function_call","call_id":"c"}'))
    request = Request(messages=(Message.user("go"), own(TextPart("a"), opaque)))
    assert errors(request.check(NAME, model=MODEL)) == [("messages[1].parts[1]", "R13")]
    assert [item.get("type") for item in sent(request)] == [None, None]


SEARCHED: dict[str, Any] = {
    "type": "tool_search_output",
    "call_id": "c",
    "execution": "server",
    "status": "completed",
    "tools": [],
}


def test_a_hosted_result_without_its_call_is_left_out_or_refused() -> None:
    hello = {"type": "message", "role": "user", "content": "go"}
    request = read(hello, SEARCHED)
    assert errors(request.check(NAME, model=MODEL)) == [("messages[1].parts[0]", "R4")]
    assert [item.get("role") for item in sent(request)] == ["user"]
    with pytest.raises(UnreplayableError) as caught:
        sent(request, policy=RenderPolicy(hosted_orphans=HostedOrphans.REFUSE))
    assert caught.value.rule == "R4"
    assert len(sent(request, policy=RenderPolicy(hosted_orphans=HostedOrphans.AS_STORED))) == 2
    # Whoever goes on with a stored response may have the call there.
    continued = request.render(NAME, model=MODEL, params={"previous_response_id": "resp_1"})
    assert len(continued.body["input"]) == 2


def test_a_second_result_of_a_hosted_call_is_left_out() -> None:
    hello = {"type": "message", "role": "user", "content": "go"}
    asked = {
        "type": "tool_search_call",
        "id": "tsc_1",
        "call_id": "c",
        "execution": "server",
        "status": "completed",
        "arguments": {},
    }
    assert len(sent(read(hello, asked, SEARCHED))) == 3
    assert len(sent(read(hello, asked, SEARCHED, SEARCHED))) == 3


@pytest.mark.parametrize("place", ["message", "result"])
def test_the_name_of_a_document_by_url_is_said_to_be_lost(place: str) -> None:
    named = DocumentPart(UrlSource("https://x/y.pdf"), name="Report")
    said = Message.user([named])
    if place == "result":
        said = Message(Role.TOOL, (ToolResultPart("c", (named,)),))
    for provider in (NAME, "gemini"):
        made = Request(messages=(Message.user("q"), answer(call("c")), said)).render(
            provider, model=MODELS[provider]
        )
        assert "the name of a document is left out" in [note.reason for note in made.notes]
