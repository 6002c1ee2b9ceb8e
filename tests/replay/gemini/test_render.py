"""Bodies of Gemini: what came from there goes back as it was; what did not, as it can."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import Base64Source, FileSource, UrlSource
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.parts import (
    AudioPart,
    CompactionPart,
    DocumentPart,
    HostedCallPart,
    HostedResultPart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.domain.prompt import Tool
from convotree.errors import InvalidArgumentError, UnreplayableError
from convotree.replay import (
    DeveloperMessages,
    ForeignReasoning,
    RenderPolicy,
    Request,
    ToolArguments,
    Turns,
    Unacceptable,
    Unsupported,
)
from convotree.replay.gemini.signatures import PLACEHOLDER
from tests.replay.anthropic.test_render import exact_objects
from tests.replay.gemini.sample import MODEL, SIGNATURE, gemini_body, own_conversations
from tests.replay.samples import PNG, answer, anthropic_body, call, chat_body, errors, result


def back(body: Any, model: str | None = MODEL) -> Any:
    request = Request.from_provider("gemini", json.dumps(body), model=model)
    made = request.render("gemini", model=MODEL, params=request.params)
    assert json.loads(made.to_json()) == made.body
    return made.body, [(note.rule, note.place) for note in made.notes]


def sent(*messages: Message, model: str = MODEL, **choices: Any) -> tuple[list[Any], list[tuple[str, str]]]:
    made = Request(messages=messages).render("gemini", model=model, policy=RenderPolicy(**choices))
    return made.body["contents"], [(note.rule, note.place) for note in made.notes]


def said(*parts: Part, model: str | None = MODEL) -> Message:
    return Message(Role.ASSISTANT, parts, Provenance("google", "generate-content", model))


GO = Message.user("go")


# ---------------------------------------------------------------- its own


@pytest.mark.parametrize("model", [MODEL, None])
def test_a_body_comes_back_as_it_was(model: str | None) -> None:
    assert back(gemini_body(), model) == (gemini_body(), [])


def test_recorded_bodies_come_back_as_they_were(cases: Path) -> None:
    files = sorted((cases / "provider-requests").glob("google_*.json"))
    assert files
    for file in files:
        body = json.loads(file.read_text(encoding="utf-8"))
        assert back(body) == (body, []), file.name


def test_recorded_exchanges_go_on_as_they_did(cases: Path) -> None:
    files = sorted((cases / "provider-exchanges").glob("google_*.json"))
    assert files
    for file in files:
        exchange = json.loads(file.read_text(encoding="utf-8"))
        asked = Request.from_provider("gemini", json.dumps(exchange["request"]))
        given = Message.from_provider("gemini", json.dumps(exchange["response"]))
        following = Request.from_provider("gemini", json.dumps(exchange["next_request"]))
        rest = list(following.messages[len(asked.messages) + 1 :])
        if file.stem == "google_2":
            # The one whose call has no id: the client minted one, and the store's caller names the call's own.
            (part,) = rest[0].tool_results
            (one,) = given.tool_calls
            rest[0] = replace(rest[0], parts=(replace(part, tool_call_id=one.tool_call_id),))
        request = Request(following.system, following.tools, (*asked.messages, given, *rest))
        made = request.render("gemini", model="gemini-3-flash-preview", params=following.params)
        known = request.render("gemini", model=str(given.provenance and given.provenance.model))
        assert known.notes == ()
        assert _comparable(known.body["contents"]) == _comparable(exchange["next_request"]["contents"])
        assert {**made.body, "contents": []} == {**exchange["next_request"], "contents": []}


def _comparable(contents: list[Any]) -> list[Any]:
    """Without the three known differences: base64's alphabet, ``tool_type``, and ids that a client minted."""
    text = json.dumps(contents, sort_keys=True).replace("tool_type", "toolType")
    plain = json.loads(text)
    for part in (part for content in plain for part in content["parts"]):
        if "thoughtSignature" in part:
            part["thoughtSignature"] = part["thoughtSignature"].replace("-", "+").replace("_", "/")
        for key in ("functionCall", "functionResponse"):
            if part.get(key, {}).get("id", "pyd_ai_").startswith("pyd_ai_"):
                part.get(key, {}).pop("id", None)
    found: list[Any] = plain
    return found


def test_the_model_is_no_member_of_the_body() -> None:
    assert list(Request(messages=(GO,)).render("gemini", model=MODEL).body) == ["contents"]


@pytest.mark.parametrize("key", ["contents", "tools", "systemInstruction", "system_instruction"])
def test_params_do_not_overwrite_the_request(key: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        Request(messages=(GO,)).render("gemini", model=MODEL, params={key: []})
    assert caught.value.argument == f"params.{key}"


@given(text=exact_objects)
def test_arguments_and_responses_are_sent_as_they_are_spelled(text: str) -> None:
    part = {"functionCall": {"id": "c1", "name": "f", "args": "ARGS"}, "thoughtSignature": SIGNATURE}
    response = {"functionResponse": {"id": "c1", "name": "f", "response": "ARGS"}}
    contents = [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [part]},
        {"role": "user", "parts": [response]},
    ]
    kept = ExactJson.of(ExactJson.parse(text).value).text
    body = json.dumps({"contents": contents}, separators=(",", ":"), ensure_ascii=False)
    body = body.replace('"ARGS"', kept)
    made = Request.from_provider("gemini", body).render("gemini", model=MODEL)
    assert made.to_json().decode().count(f'"args":{kept}') == 1
    assert made.to_json().decode().count(f'"response":{kept}') == 1


# ---------------------------------------------------------------- whatever is stored


@pytest.mark.parametrize("model", [MODEL, "gemini-2.5-flash", "some-other"])
@given(request=own_conversations)
def test_whatever_claims_to_be_its_own_what_is_sent_is_acceptable(model: str, request: Request) -> None:
    made = request.render("gemini", model=model)
    again = Request.from_provider("gemini", made.to_json())
    assert errors(again.check("gemini", model=model)) == []
    assert again.render("gemini", model=model).body == made.body


@given(request=own_conversations)
def test_what_is_its_own_can_be_handed_over(request: Request) -> None:
    made = request.render("openai-chat", model="gpt-5")
    assert (
        errors(Request.from_provider("openai-chat", made.to_json()).check("openai-chat", model="gpt-5")) == []
    )


_text = st.one_of(st.none(), st.just("c1"), st.just("c2"), st.just(""))


@example(calls=[("c1", "f"), (None, "f")], responses=[("c2", "f"), (None, "f"), (None, "f")])
@example(calls=[("c1", "f"), (None, "f")], responses=[("c1", "f")])
@given(
    calls=st.lists(st.tuples(_text, st.sampled_from("fg")), min_size=1, max_size=4),
    responses=st.lists(st.tuples(_text, st.sampled_from("fg")), max_size=4),
)
def test_ids_that_are_missing_are_never_sent(
    calls: list[tuple[str | None, str]], responses: list[tuple[str | None, str]]
) -> None:
    def named(one: tuple[str | None, str], **rest: Any) -> dict[str, Any]:
        return {"name": one[1], **({} if one[0] is None else {"id": one[0]}), **rest}

    body = {
        "contents": [
            {"role": "user", "parts": [{"text": "go"}]},
            {"role": "model", "parts": [{"functionCall": named(one, args={})} for one in calls]},
            {"role": "user", "parts": [{"functionResponse": named(one, response={})} for one in responses]},
        ]
    }
    request = Request.from_provider("gemini", body)
    made = request.render("gemini", model="gemini-2.5-flash").to_json()
    assert errors(Request.from_provider("gemini", made).check("gemini", model="gemini-2.5-flash")) == []
    assert b"gemini_no_id" not in made
    if errors(request.check("gemini", model="gemini-2.5-flash")) == [] and responses:
        again = Request.from_provider("gemini", made)
        assert len(again.messages[2].tool_results) == len(again.messages[1].tool_calls)


# ---------------------------------------------------------------- signatures


def test_the_first_call_of_each_step_of_the_current_turn_gets_the_placeholder() -> None:
    foreign = answer(call("c1"), call("c2"), provider="anthropic")
    step = answer(call("c3"), provider="anthropic")
    contents, notes = sent(
        GO, step, result("c3"), Message.user("on"), foreign, result("c1", "c2"), step, result("c3")
    )
    signed = [
        [part.get("thoughtSignature") for part in content["parts"]]
        for content in contents
        if content["role"] == "model"
    ]
    assert signed == [[None], [PLACEHOLDER, None], [PLACEHOLDER]]
    assert notes == [("G7", "messages[4].parts[0]"), ("G7", "messages[6].parts[0]")]


@pytest.mark.parametrize("model", ["gemini-2.5-pro", "models/gemini-1.5-flash-002", "gemma-3-27b-it"])
def test_earlier_models_get_no_placeholder(model: str) -> None:
    contents, notes = sent(GO, answer(call("c1"), provider="anthropic"), result("c1"), model=model)
    assert "thoughtSignature" not in contents[1]["parts"][0]
    assert notes == []


def test_signatures_of_another_model_go_and_its_hosted_tools_with_them() -> None:
    data = ExactJson.of({"gemini": {"thoughtSignature": SIGNATURE}})
    parts: tuple[Part, ...] = (
        ReasoningPart("hm"),
        TextPart("t", signature=SIGNATURE),
        HostedCallPart("gemini", "toolCall", "t1", "SEARCH", ExactJson("{}"), data),
        HostedResultPart("gemini", "toolResponse", "t1", ExactJson("{}"), data),
        HostedCallPart("gemini", "executableCode", "x1", "code_execution", ExactJson('{"code":"1"}'), data),
        ToolCallPart("c1", "f", ExactJson("{}"), SIGNATURE),
    )
    path = (GO, said(*parts, model="gemini-2.5-flash"), result("c1"))
    contents, notes = sent(*path)
    assert contents[1]["parts"] == [
        {"text": "t"},
        {"executableCode": {"id": "x1", "code": "1"}},
        {"functionCall": {"id": "c1", "name": "f", "args": {}}, "thoughtSignature": PLACEHOLDER},
    ]
    assert [rule for rule, _ in notes] == ["G8"] * 6 + ["G7"]
    same, notes = sent(GO, said(*parts, model="models/gemini-3-pro"), result("c1"))
    assert [part.get("thoughtSignature") for part in same[1]["parts"]] == [None, *[SIGNATURE] * 5]
    assert notes == []
    kept, _ = sent(*path, foreign_reasoning=ForeignReasoning.AS_STORED)
    assert kept == same
    with pytest.raises(UnreplayableError) as caught:
        sent(*path, foreign_reasoning=ForeignReasoning.REFUSE)
    assert caught.value.rule == "G8"


def test_an_empty_text_with_a_signature_is_kept_and_parts_stay_apart() -> None:
    parts = (TextPart("a"), TextPart("b"), TextPart("", signature=SIGNATURE))
    contents, notes = sent(GO, said(*parts), Message.user("on"))
    assert contents[1]["parts"] == [{"text": "a"}, {"text": "b"}, {"text": "", "thoughtSignature": SIGNATURE}]
    assert notes == []


# ---------------------------------------------------------------- roles and order


def test_a_history_that_opens_on_a_call_gets_an_empty_text_before() -> None:
    contents, notes = sent(said(ToolCallPart("c1", "f", ExactJson("{}"), SIGNATURE)), result("c1"))
    assert contents[0] == {"role": "user", "parts": [{"text": ""}]}
    assert notes == [("G4", "messages[0].parts[0]")]


def test_results_are_gathered_in_a_content_of_their_own() -> None:
    beside = Message.user((*result("c2").parts, TextPart("and now?")))
    contents, notes = sent(GO, answer(call("c1"), call("c2"), provider="x"), beside, result("c1"))
    assert [[next(iter(part)) for part in one["parts"]] for one in contents[2:]] == [
        ["functionResponse", "functionResponse"],
        ["text"],
    ]
    assert [part["functionResponse"]["id"] for part in contents[2]["parts"]] == ["c1", "c2"]
    assert ("G5", "messages[3].parts[0]") in notes


def test_mixed_content_is_split_with_a_note() -> None:
    mixed = Message.user((*result("c1").parts, TextPart("and now?")))
    contents, notes = sent(GO, answer(call("c1")), mixed, model="gemini-2.5-flash")
    assert [len(one["parts"]) for one in contents] == [1, 1, 1, 1]
    assert notes == [("G13", "messages[2]")]


def test_developer_messages_are_the_users_or_part_of_the_system_instruction() -> None:
    path = (GO, answer(TextPart("a")), Message.developer("In French."), Message.user("on"))
    contents, notes = sent(*path)
    assert contents[2] == {"role": "user", "parts": [{"text": "In French."}]}
    assert notes == [("G2", "messages[2]")]
    made = Request("Be brief.", messages=path).render(
        "gemini", model=MODEL, policy=RenderPolicy(developer_messages=DeveloperMessages.AS_SYSTEM)
    )
    assert made.body["systemInstruction"] == {"parts": [{"text": "Be brief."}, {"text": "In French."}]}
    assert [one["role"] for one in made.body["contents"]] == ["user", "model", "user"]
    assert [(note.rule, note.place) for note in made.notes] == [("G2", "messages[2]")]


def test_contents_of_one_role_can_be_merged_but_not_with_responses() -> None:
    path = (GO, Message.user("on"), answer(call("c1")), result("c1"), Message.user("a"), Message.user("b"))
    contents, _ = sent(*path, turns=Turns.MERGED, model="gemini-2.5-flash")
    assert [[*map(len, one["parts"])] for one in contents] == [[1, 1], [1], [1], [1, 1]]


def test_nothing_to_send_is_refused() -> None:
    with pytest.raises(UnreplayableError) as caught:
        sent(Message.user(()))
    assert caught.value.rule == "G1"
    contents, _ = sent(Message.user(()), unacceptable=Unacceptable.AS_STORED)
    assert contents == []


# ---------------------------------------------------------------- content of others


def test_what_others_said_is_handed_over() -> None:
    media: tuple[Part, ...] = (
        ImagePart(UrlSource("https://x/y.png")),
        ImagePart(Base64Source("image/png", PNG)),
        DocumentPart(FileSource("anthropic", "file_1"), "a"),
        DocumentPart(Base64Source("application/pdf", "QQ=="), "a.pdf"),
        AudioPart(Base64Source("audio/wav", "not base64!")),
        OpaquePart("anthropic", "odd", ExactJson("{}")),
        CompactionPart("so far"),
    )
    contents, notes = sent(Message.user(media), answer(RefusalPart("no"), provider="openai"), GO)
    assert contents[0]["parts"] == [
        {"fileData": {"fileUri": "https://x/y.png"}},
        {"inlineData": {"mimeType": "image/png", "data": PNG}},
        {"inlineData": {"mimeType": "application/pdf", "data": "QQ=="}},
        {"text": "so far"},
    ]
    assert contents[1]["parts"] == [{"text": "no"}]
    assert notes == [
        ("X4", "messages[0].parts[2]"),
        ("X5", "messages[0].parts[3]"),
        ("G8", "messages[0].parts[4]"),
        ("X3", "messages[0].parts[5]"),
        ("X3", "messages[0].parts[6]"),
        ("X5", "messages[1].parts[0]"),
    ]
    with pytest.raises(UnreplayableError):
        sent(Message.user(media), unsupported=Unsupported.REFUSE)


def test_tool_results_become_objects_with_the_name_of_their_call() -> None:
    failed = ToolResultPart("c1", (TextPart("lost"), TextPart("again")), True, "wrong")
    image = ToolResultPart("c2", (ImagePart(Base64Source("image/png", PNG)),))
    path = (GO, answer(call("c1"), call("c2"), provider="x"), Message(Role.TOOL, (failed, image)))
    contents, notes = sent(*path)
    assert contents[2]["parts"] == [
        {"functionResponse": {"id": "c1", "name": "f", "response": {"error": "lost\nagain"}}},
        {
            "functionResponse": {
                "id": "c2",
                "name": "f",
                "response": {"output": ""},
                "parts": [{"inlineData": {"mimeType": "image/png", "data": PNG}}],
            }
        },
    ]
    assert notes == [("G7", "messages[1].parts[0]"), ("G6", "messages[2].parts[0].name")]
    earlier, notes = sent(*path, model="gemini-2.5-flash")
    assert [[next(iter(part)) for part in one["parts"]] for one in earlier[2:]] == [
        ["functionResponse", "functionResponse"],
        ["text", "inlineData"],
    ]
    assert ("X5", "messages[2].parts[1].content[0]") in notes


def test_arguments_that_are_no_object_are_wrapped_refused_or_kept() -> None:
    path = (GO, said(ToolCallPart("c1", "f", ExactJson("[1.10]"), SIGNATURE)), result("c1"))
    contents, notes = sent(*path)
    assert contents[1]["parts"][0]["functionCall"]["args"] == {"value": [1.1]}
    assert notes == [("G14", "messages[1].parts[0].arguments")]
    with pytest.raises(UnreplayableError):
        sent(*path, tool_arguments=ToolArguments.REFUSE)
    kept, _ = sent(*path, tool_arguments=ToolArguments.AS_STORED)
    assert kept[1]["parts"][0]["functionCall"]["args"] == [1.1]


def test_ids_are_mapped_for_models_that_would_not_take_them() -> None:
    path = (GO, answer(call("toolu:1"), provider="x"), result("toolu:1"))
    contents, notes = sent(*path)
    mapped = contents[1]["parts"][0]["functionCall"]["id"]
    assert mapped.startswith("toolu_1_")
    assert contents[2]["parts"][0]["functionResponse"]["id"] == mapped
    assert notes[0] == ("G6", "messages[1].parts[0].tool_call_id")
    raw, notes = sent(*path, model="gemini-2.5-flash")
    assert raw[1]["parts"][0]["functionCall"]["id"] == "toolu:1"
    assert notes == []


def test_tools_stand_in_one_element_and_those_of_others_are_left_out() -> None:
    tools = (
        Tool("f", "adds", ExactJson('{"type":"object"}'), cache_marker=ExactJson("{}")),
        Tool("g"),
        Tool("web_search", provider="anthropic", definition=ExactJson("{}")),
        Tool("googleSearch", provider="gemini", definition=ExactJson('{"googleSearch":{}}')),
    )
    made = Request(tools=tools, messages=(GO,)).render("gemini", model=MODEL)
    assert made.body["tools"] == [
        {
            "functionDeclarations": [
                {"name": "f", "description": "adds", "parametersJsonSchema": {"type": "object"}},
                {"name": "g"},
            ]
        },
        {"googleSearch": {}},
    ]
    assert [(note.rule, note.place) for note in made.notes] == [("X5", "tools[0]"), ("X3", "tools[2]")]


@pytest.mark.parametrize(
    ("provider", "body"), [("anthropic", anthropic_body()), ("openai-chat", chat_body())]
)
def test_bodies_of_others_pass_rules_and_types(provider: str, body: dict[str, Any]) -> None:
    made = Request.from_provider(provider, body).render("gemini", model=MODEL)
    assert Request.from_provider("gemini", made.body).check("gemini", model=MODEL, sdk=True) == ()


@pytest.mark.parametrize(("provider", "model"), [("anthropic", "claude-opus-4-8"), ("openai-chat", "gpt-5")])
def test_its_own_passes_the_rules_and_types_of_others(provider: str, model: str) -> None:
    made = Request.from_provider("gemini", gemini_body()).render(provider, model=model)
    assert errors(Request.from_provider(provider, made.body).check(provider, model=model, sdk=True)) == []


def test_a_call_without_a_name_gets_one_and_so_does_its_response() -> None:
    unnamed = ToolCallPart("c1", "", ExactJson("{}"), signature=SIGNATURE)
    history = (Message.user("go"), said(unnamed), Message.tool_result("c1", "r"))
    contents, notes = sent(*history)
    assert contents[1]["parts"][0]["functionCall"]["name"] == "tool"
    assert contents[2]["parts"][0]["functionResponse"]["name"] == "tool"
    assert notes == [("G6", "messages[1].parts[0].name")]
    found = errors(Request(messages=history).check("gemini", model=MODEL))
    assert ("messages[1].parts[0].name", "G6") in found


def test_null_is_as_good_as_absent() -> None:
    called = {"functionCall": {"id": "c1", "name": "f", "args": None}, "thoughtSignature": None}
    responded = {"functionResponse": {"id": "c1", "name": "f", "response": None}}
    body = {
        "contents": [
            {"role": "user", "parts": [{"text": "go"}]},
            {"role": "model", "parts": [called]},
            {"role": "user", "parts": [responded]},
        ]
    }
    request = Request.from_provider("gemini", body, model=MODEL)
    assert errors(request.check("gemini", model=MODEL)) == [("messages[1].parts[0]", "G7")]
    made = request.render("gemini", model=MODEL)
    assert made.body["contents"][1]["parts"][0]["thoughtSignature"] == PLACEHOLDER
    assert made.body["contents"][2] == body["contents"][2]
