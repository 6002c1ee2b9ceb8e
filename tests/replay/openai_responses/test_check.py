"""Every rule is found when a good request is spoilt, once, and at its place; good requests are left alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from convotree.errors import UnreplayableError
from convotree.replay import Request, Severity
from convotree.replay.openai_responses.rules import RULES
from convotree.replay.rule import Examined
from tests.replay.openai_responses.bodies import MODEL, Body, every_kind, responses_body
from tests.replay.samples import anthropic_body, chat_body, errors

NAME = "openai-responses"


def findings(body: Body, model: str = MODEL) -> list[tuple[str, str, Severity]]:
    found = Request.from_provider(NAME, body).check(NAME, model=model)
    return [(one.rule, one.place, one.severity) for one in found]


def test_a_good_request_gives_nothing() -> None:
    assert findings(responses_body()) == []


def test_every_kind_passes_the_types_of_the_sdk() -> None:
    body = every_kind()
    found = Request.from_provider(NAME, body).check(NAME, model="gpt-5.4", sdk=True)
    assert errors(found) == []
    # The reasoning is that of gpt-5.
    assert {(one.rule, one.severity) for one in found} == {("R8", Severity.WARNING)}


def test_recorded_requests_give_no_error(cases: Path) -> None:
    files = sorted((cases / "provider-requests").glob("openai_responses_*.json"))
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        found = Request.from_provider(NAME, text).check(NAME, model=json.loads(text)["model"], sdk=True)
        rejected = [("messages[1].parts[0]", "R1")] if file.stem == "openai_responses_10" else []
        assert [(one.place, one.rule) for one in found] == rejected, file.name


def test_what_others_said_is_granted() -> None:
    for name, body in (("anthropic", anthropic_body()), ("openai-chat", chat_body())):
        assert Request.from_provider(name, body).check(NAME, model=MODEL, sdk=True) == ()


def following_item_without_id(body: Body) -> None:
    del body["input"][10]["id"]


def reasoning_last(body: Body) -> None:
    del body["input"][10]


def reasoning_without_id(body: Body) -> None:
    del body["input"][1]["id"]


def no_reasoning_at_all(body: Body) -> None:
    del body["input"][9]
    del body["input"][7:9]
    del body["input"][1]


def call_unanswered(body: Body) -> None:
    del body["input"][6]


def two_calls_of_an_id(body: Body) -> None:
    body["input"].insert(4, {**body["input"][3], "id": "fc_1b"})


def output_of_nothing(body: Body) -> None:
    body["input"].insert(6, {**body["input"][5], "call_id": "call_0"})


def output_twice(body: Body) -> None:
    body["input"].insert(6, body["input"][5])


def output_before_call(body: Body) -> None:
    body["input"].insert(0, body["input"].pop(5))


def output_after_a_message(body: Body) -> None:
    body["input"].insert(6, {"role": "user", "content": "and?"})


def wrong_prefix(body: Body) -> None:
    body["input"][3]["id"] = "toolu_1"


def long_id(body: Body) -> None:
    body["input"][3]["id"] = "fc_" + "x" * 62


def odd_id(body: Body) -> None:
    body["input"][3]["id"] = "fc_ä"


def id_twice(body: Body) -> None:
    body["input"][10]["id"] = "msg_1"


def long_call_id(body: Body) -> None:
    body["input"][3]["call_id"] = body["input"][5]["call_id"] = "c" * 65


def no_summary(body: Body) -> None:
    del body["input"][1]["summary"]


def neither_id_nor_content(body: Body) -> None:
    body["store"] = True
    body["input"].insert(1, {"type": "reasoning", "summary": []})


def bare_id(body: Body) -> None:
    del body["input"][1]["encrypted_content"]


def reference_to_nothing(body: Body) -> None:
    body["input"].insert(0, {"type": "item_reference", "id": "msg_0"})


def input_text_in_answer(body: Body) -> None:
    body["input"][10]["content"][0]["type"] = "input_text"
    del body["input"][10]["content"][0]["annotations"]


def image_in_answer(body: Body) -> None:
    body["input"][10]["content"].append({"type": "input_image", "image_url": "https://x"})


def unknown_member(body: Body) -> None:
    body["input"][3]["parsed_arguments"] = {}


def status_of_reasoning(body: Body) -> None:
    body["input"][1]["status"] = None


def status_of_custom_call(body: Body) -> None:
    body["input"][4]["status"] = "completed"


def sources(body: Body) -> None:
    body["input"][8]["action"]["sources"] = []


def null_in_action(body: Body) -> None:
    body["input"][8]["action"]["queries"] = None


def cache_control(body: Body) -> None:
    body["input"][0]["content"][0]["cache_control"] = {"type": "ephemeral"}


def unknown_item(body: Body) -> None:
    body["input"].append({"type": "hologram", "id": "h"})


def unknown_content(body: Body) -> None:
    body["input"][0]["content"].append({"type": "input_smell", "smell": "x"})


def no_namespace(body: Body) -> None:
    body["input"][3]["name"] = "later"


def no_input(body: Body) -> None:
    body["input"] = []


def empty_content(body: Body) -> None:
    body["input"][0]["content"] = []


def empty_answer(body: Body) -> None:
    body["input"][10]["content"] = []


def odd_called_name(body: Body) -> None:
    body["input"][3]["name"] = "add.up"


def odd_tool_name(body: Body) -> None:
    body["tools"][2]["name"] = "que ry"


def file_of_no_url(body: Body) -> None:
    body["input"][0]["content"][2]["file_data"] = "QUFB"


def file_cut_off(body: Body) -> None:
    body["input"][0]["content"][2]["file_data"] += "A"


def five_breakpoints(body: Body) -> None:
    body["input"][0]["content"] = [
        {"type": "input_text", "text": "x", "prompt_cache_breakpoint": {"mode": "explicit"}} for _ in range(5)
    ]


def two_conversations(body: Body) -> None:
    body.update(previous_response_id="resp_1", conversation={"id": "conv_1"})


E, W = Severity.ERROR, Severity.WARNING

MUTATIONS: list[tuple[Callable[[Body], None], str, str, Severity]] = [
    (following_item_without_id, "R1", "messages[3].parts[2]", E),
    (reasoning_last, "R1", "messages[3].parts[2]", E),
    (reasoning_without_id, "R2", "messages[1].parts[1]", E),
    (no_reasoning_at_all, "R2", "messages[1].parts[0]", W),
    (call_unanswered, "R3", "messages[1].parts[4]", E),
    (two_calls_of_an_id, "R3", "messages[1].parts[4]", E),
    (output_of_nothing, "R4", "messages[2].parts[1]", E),
    (output_twice, "R4", "messages[2].parts[1]", E),
    (output_after_a_message, "R5", "messages[4].parts[0]", W),
    (wrong_prefix, "R6", "messages[1].parts[3]", E),
    (long_id, "R6", "messages[1].parts[3]", E),
    (odd_id, "R6", "messages[1].parts[3]", E),
    (id_twice, "R6", "messages[3].parts[3]", E),
    (long_call_id, "R7", "messages[1].parts[3].tool_call_id", E),
    (no_summary, "R8", "messages[1].parts[0]", E),
    (neither_id_nor_content, "R8", "messages[1].parts[0]", E),
    (bare_id, "R9", "messages[1].parts[0]", E),
    (reference_to_nothing, "R9", "messages[0].parts[0]", E),
    (input_text_in_answer, "R10", "messages[3].parts[3]", E),
    (image_in_answer, "R10", "messages[3].parts[3]", E),
    (unknown_member, "R11", "messages[1].parts[3]", E),
    (status_of_reasoning, "R11", "messages[1].parts[0]", E),
    (status_of_custom_call, "R11", "messages[1].parts[4]", E),
    (sources, "R11", "messages[3].parts[1]", E),
    (null_in_action, "R11", "messages[3].parts[1]", E),
    (cache_control, "R11", "messages[0]", E),
    (unknown_item, "R11", "messages[6].parts[0]", W),
    (unknown_content, "R11", "messages[0].parts[4]", W),
    (no_namespace, "R12", "messages[1].parts[3]", E),
    (no_input, "R13", "messages[0]", E),
    (empty_content, "R13", "messages[0]", E),
    (empty_answer, "R13", "messages[3].parts[3]", E),
    (odd_called_name, "R13", "messages[1].parts[3].name", E),
    (odd_tool_name, "R13", "tools[2].name", E),
    (file_of_no_url, "R13", "messages[0].parts[2]", E),
    (file_cut_off, "R13", "messages[0].parts[2]", E),
    (five_breakpoints, "R14", "messages[0].parts[4]", E),
    (two_conversations, "R14", "params.conversation", E),
]


@pytest.mark.parametrize(
    ("mutate", "rule", "place", "severity"), MUTATIONS, ids=lambda one: getattr(one, "__name__", "")
)
def test_what_was_spoilt_is_found_once(
    mutate: Callable[[Body], None], rule: str, place: str, severity: Severity
) -> None:
    body = responses_body()
    mutate(body)
    assert findings(body) == [(rule, place, severity)]


@pytest.mark.parametrize("mutate", [one for one, *_ in MUTATIONS], ids=lambda one: one.__name__)
def test_what_was_spoilt_is_mended_or_refused(mutate: Callable[[Body], None]) -> None:
    body = responses_body()
    mutate(body)
    request = Request.from_provider(NAME, body)
    if mutate in (odd_tool_name, two_conversations, no_input):
        with pytest.raises(UnreplayableError):
            request.render(NAME, model=MODEL, params=request.params)
        return
    made = request.render(NAME, model=MODEL, params=request.params)
    found = Request.from_provider(NAME, made.to_json()).check(NAME, model=MODEL, sdk=True)
    assert errors(found) == []
    assert made.notes or mutate in (no_reasoning_at_all, unknown_item, unknown_content)


def test_an_output_above_its_call_fits_none() -> None:
    body = responses_body()
    output_before_call(body)
    assert findings(body) == [
        ("R4", "messages[0].parts[0]", E),
        ("R3", "messages[2].parts[3]", E),
    ]


def test_every_rule_has_a_mutation() -> None:
    examined = {rule.id for rule in RULES.values() if rule.examined is Examined.YES}
    assert examined == {rule for _, rule, _, _ in MUTATIONS}


def test_reasoning_of_another_model_may_be_rejected() -> None:
    assert findings(responses_body(), "gpt-5.4") == [
        ("R8", f"messages[{index}].parts[{number}]", W) for index, number in ((1, 0), (3, 0), (3, 2))
    ]


@pytest.mark.parametrize(
    "rest", [{"previous_response_id": "resp_1"}, {"conversation": "conv_1"}, {"previous_response_id": None}]
)
def test_a_call_may_be_where_the_conversation_is_kept(rest: Body) -> None:
    body = {
        "model": MODEL,
        "input": [{"type": "function_call_output", "call_id": "c", "output": "1"}],
        **rest,
    }
    expected = [] if any(rest.values()) else [("R4", "messages[0].parts[0]", E)]
    assert findings(body) == expected


@pytest.mark.parametrize(
    "rest", [{"previous_response_id": "r"}, {"conversation": "c"}, {"prompt": {"id": "p"}}]
)
def test_no_input_is_needed_where_something_else_is_asked(rest: Body) -> None:
    assert findings({"model": MODEL, **rest}) == []


def test_a_plain_output_answers_any_call() -> None:
    body = responses_body()
    search = {"type": "tool_search_call", "call_id": "call_s", "execution": "client", "arguments": {}}
    body["input"].insert(5, search)
    body["input"].insert(6, {"type": "function_call_output", "call_id": "call_s", "output": "none"})
    assert findings(body) == []
    request: Any = Request.from_provider(NAME, body)
    assert request.render(NAME, model=MODEL, params=request.params).body == body


def test_the_sdk_has_its_own_opinion() -> None:
    body = responses_body()
    body["input"][0]["content"][1]["detail"] = "huge"
    body["tools"][0]["strict"] = "yes"
    body["input"][8]["status"] = "so so"
    found = Request.from_provider(NAME, body).check(NAME, model=MODEL, sdk=True)
    assert [(one.rule, one.place) for one in found] == [
        ("SDK", "body.tools[0].strict"),
        ("SDK", "body.input[0].content[1].detail"),
        ("SDK", "body.input[8].status"),
    ]
