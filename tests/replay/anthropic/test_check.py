"""Every rule is found when a good request is spoilt, once, and at its place; good requests are left alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from convotree.domain.message import Message
from convotree.domain.parts import ReasoningPart, TextPart
from convotree.errors import UnreplayableError
from convotree.replay import Differs, PrefixBreak, Request, Severity
from convotree.replay.anthropic.rules import RULES
from convotree.replay.rule import Examined
from tests.replay.samples import MODELS, anthropic_body, errors

MODEL = MODELS["anthropic"]
MARKER = {"type": "ephemeral"}
Body = dict[str, Any]


def findings(body: Body, model: str = MODEL) -> list[tuple[str, str, Severity]]:
    found = Request.from_provider("anthropic", body).check("anthropic", model=model)
    return [(one.rule, one.place, one.severity) for one in found]


def content(body: Body, index: int) -> list[Any]:
    blocks: list[Any] = body["messages"][index]["content"]
    return blocks


def test_a_good_request_gives_nothing() -> None:
    assert findings(anthropic_body()) == []


def test_it_passes_the_types_of_the_sdk() -> None:
    assert (
        Request.from_provider("anthropic", anthropic_body()).check("anthropic", model=MODEL, sdk=True) == ()
    )


def test_recorded_requests_give_no_error(cases: Path) -> None:
    files = sorted((cases / "provider-requests").glob("anthropic_*.json"))
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        found = Request.from_provider("anthropic", text).check(
            "anthropic", model=json.loads(text)["model"], sdk=True
        )
        assert errors(found) == [], file.name


def no_messages(body: Body) -> None:
    body["messages"] = []


def answer_first(body: Body) -> None:
    body["messages"].insert(0, {"role": "assistant", "content": "Hello."})


def two_in_a_row(body: Body) -> None:
    body["messages"].insert(1, {"role": "user", "content": "And?"})


def result_dropped(body: Body) -> None:
    del content(body, 2)[1]


def text_before_result(body: Body) -> None:
    blocks = content(body, 2)
    blocks.insert(0, blocks.pop())


def result_of_nothing(body: Body) -> None:
    del content(body, 1)[4]


def result_twice(body: Body) -> None:
    blocks = content(body, 2)
    blocks.insert(2, dict(blocks[0]))


def result_in_answer(body: Body) -> None:
    content(body, 3).append({"type": "tool_result", "tool_use_id": "toolu_1", "content": "again"})


def same_id_in_turn(body: Body) -> None:
    blocks = content(body, 1)
    blocks.insert(4, dict(blocks[3]))


def same_id_in_later_turn(body: Body) -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {}}
    again = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "4"}
    body["messages"][4:5] = [
        {"role": "user", "content": "Again."},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [again]},
    ]


def hosted_result_dropped(body: Body) -> None:
    del content(body, 3)[2]


def hosted_call_dropped(body: Body) -> None:
    del content(body, 3)[1]


def pending_tool_undeclared(body: Body) -> None:
    body["messages"] = body["messages"][:4]
    del content(body, 3)[2:]
    del body["tools"][1]


def advisor_undeclared(body: Body) -> None:
    advice = {"type": "advisor_redacted_result", "encrypted_content": "RW5j"}
    content(body, 3).extend(
        [
            {"type": "server_tool_use", "id": "srvtoolu_2", "name": "advisor", "input": {}},
            {"type": "advisor_tool_result", "tool_use_id": "srvtoolu_2", "content": advice},
        ]
    )


def reference_undeclared(body: Body) -> None:
    content(body, 2)[1]["content"].append({"type": "tool_reference", "tool_name": "multiply"})


def addition_undeclared(body: Body) -> None:
    addition = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "multiply"}}
    body["messages"][5]["content"] = [addition]


def odd_id(body: Body) -> None:
    content(body, 1)[3]["id"] = content(body, 2)[0]["tool_use_id"] = "toolu:1"


def empty_id(body: Body) -> None:
    content(body, 3)[1]["id"] = content(body, 3)[2]["tool_use_id"] = ""


def odd_tool_name(body: Body) -> None:
    body["tools"][0]["name"] = "add numbers"


def odd_called_name(body: Body) -> None:
    content(body, 1)[3]["name"] = "add.numbers"


def two_tools_of_a_name(body: Body) -> None:
    body["tools"].append({"name": "add", "input_schema": {"type": "object"}})


def blank_text(body: Body) -> None:
    content(body, 1)[2]["text"] = " \n"


def blank_message(body: Body) -> None:
    body["messages"][4]["content"] = "  "


def blank_cited_text(body: Body) -> None:
    content(body, 3)[3]["text"] = ""


def blank_text_in_result(body: Body) -> None:
    content(body, 2)[1]["content"][0]["text"] = ""


def blank_system(body: Body) -> None:
    body["system"][0]["text"] = ""


def empty_content(body: Body) -> None:
    body["messages"][4]["content"] = []


def empty_result_list(body: Body) -> None:
    content(body, 2)[0]["content"] = []


def answer_last(body: Body) -> None:
    body["messages"][5:] = [{"role": "assistant", "content": "De rien"}]


def unsigned_thinking(body: Body) -> None:
    del content(body, 3)[0]["signature"]


def thinking_signed_with_nothing(body: Body) -> None:
    content(body, 3)[0]["signature"] = ""


def thinking_signed_null(body: Body) -> None:
    content(body, 3)[0]["signature"] = None


def redacted_without_data(body: Body) -> None:
    content(body, 1)[1]["data"] = ""


def thinking_by_the_user(body: Body) -> None:
    content(body, 0).append({"type": "thinking", "thinking": "", "signature": "c2ln"})


def late_compaction(body: Body) -> None:
    content(body, 3).insert(0, {"type": "compaction", "content": "so far", "signature": "c2ln"})


def empty_compaction(body: Body) -> None:
    body["messages"].insert(0, {"role": "assistant", "content": [{"type": "compaction", "content": ""}]})


def two_compactions(body: Body) -> None:
    two = [{"type": "compaction", "content": one, "signature": "c2ln"} for one in "ab"]
    body["messages"].insert(0, {"role": "assistant", "content": two})


def system_first(body: Body) -> None:
    body["messages"].insert(0, {"role": "system", "content": "No."})


def system_after_answer(body: Body) -> None:
    body["messages"].insert(4, {"role": "system", "content": "No."})


def system_before_user(body: Body) -> None:
    body["messages"].append({"role": "user", "content": "So?"})


def system_between_call_and_result(body: Body) -> None:
    body["messages"].insert(2, {"role": "system", "content": "No."})


def five_markers(body: Body) -> None:
    for block in (*content(body, 0), content(body, 2)[0]):
        block["cache_control"] = MARKER


def automatic_fifth_marker(body: Body) -> None:
    body["cache_control"] = MARKER
    for block in content(body, 0)[:2]:
        block["cache_control"] = MARKER


def long_after_short(body: Body) -> None:
    content(body, 2)[0]["cache_control"] = {"type": "ephemeral"}
    content(body, 2)[1]["cache_control"] = {"type": "ephemeral", "ttl": "1h"}


def marked_thinking(body: Body) -> None:
    content(body, 1)[0]["cache_control"] = MARKER


def parsed_output(body: Body) -> None:
    content(body, 1)[2]["parsed_output"] = None


def unknown_member_inside_result(body: Body) -> None:
    content(body, 2)[1]["content"][1]["detail"] = "high"


def unknown_message_member(body: Body) -> None:
    body["messages"][4]["name"] = "ann"


def unknown_block(body: Body) -> None:
    content(body, 1).insert(2, {"type": "hologram", "data": 1})


def image_in_answer(body: Body) -> None:
    content(body, 1).insert(3, content(body, 0)[0])


def arguments_of_text(body: Body) -> None:
    content(body, 1)[3]["input"] = "2 + 2"


def schema_of_true(body: Body) -> None:
    body["tools"][0]["input_schema"] = True


def odd_image_type(body: Body) -> None:
    content(body, 0)[0]["source"]["media_type"] = "image/tiff"


def broken_base64(body: Body) -> None:
    content(body, 0)[0]["source"]["data"] = "no base64!"


def large_image(body: Body) -> None:
    content(body, 0)[0]["source"]["data"] = "AAAA" * 2_000_000


def very_many_images(body: Body) -> None:
    # One image and one document are there.
    content(body, 0).extend([content(body, 0)[0]] * 600)


def file_of_citation(body: Body) -> None:
    cited = {"type": "page_location", "cited_text": "c", "document_index": 0, "document_title": None}
    cited |= {"start_page_number": 1, "end_page_number": 2, "file_id": None}
    content(body, 3)[3]["citations"].append(cited)


def container_object(body: Body) -> None:
    body["container"] = {"id": "c"}


def two_browser_states(body: Body) -> None:
    content(body, 2)[1]["content"] = [{"type": "browser_state", "tabs": []}] * 2


def manual_thinking_missing(body: Body) -> None:
    body["thinking"] = {"type": "enabled", "budget_tokens": 1024}
    body["messages"] = body["messages"][:3]
    del content(body, 1)[:2]


E, W = Severity.ERROR, Severity.WARNING

MUTATIONS: list[tuple[Callable[[Body], None], str, str, Severity]] = [
    (no_messages, "A1", "messages[0]", E),
    (answer_first, "A2", "messages[0]", W),
    (two_in_a_row, "A3", "messages[1]", W),
    (result_dropped, "A4", "messages[1].parts[4]", E),
    (text_before_result, "A5", "messages[2].parts[0]", E),
    (result_of_nothing, "A6", "messages[2].parts[1]", E),
    (result_in_answer, "A6", "messages[3].parts[4]", E),
    (result_twice, "A7", "messages[2].parts[2]", E),
    (same_id_in_turn, "A8", "messages[1].parts[4]", E),
    (same_id_in_later_turn, "A8", "messages[5].parts[0]", W),
    (hosted_result_dropped, "A9", "messages[3].parts[1]", E),
    (hosted_call_dropped, "A9", "messages[3].parts[1]", E),
    (pending_tool_undeclared, "A10", "messages[3].parts[1]", E),
    (advisor_undeclared, "A10", "messages[3].parts[4]", E),
    (reference_undeclared, "A10", "messages[2].parts[1].content[3]", E),
    (addition_undeclared, "A10", "messages[5].parts[0]", E),
    (odd_id, "A11", "messages[1].parts[3].tool_call_id", E),
    (empty_id, "A11", "messages[3].parts[1].tool_call_id", E),
    (odd_tool_name, "A12", "tools[0].name", E),
    (odd_called_name, "A12", "messages[1].parts[3].name", E),
    (two_tools_of_a_name, "A12", "tools[2].name", E),
    (blank_text, "A13", "messages[1].parts[2]", E),
    (blank_message, "A13", "messages[4].parts[0]", E),
    (blank_cited_text, "A13", "messages[3].parts[3]", E),
    (blank_text_in_result, "A13", "messages[2].parts[1].content[0]", E),
    (blank_system, "A13", "system[0]", E),
    (empty_content, "A14", "messages[4]", E),
    (empty_result_list, "A14", "messages[2].parts[0].content", E),
    (answer_last, "A15", "messages[5]", E),
    (manual_thinking_missing, "A17", "messages[1].parts[0]", E),
    (unsigned_thinking, "A18", "messages[3].parts[0]", E),
    (thinking_signed_with_nothing, "A18", "messages[3].parts[0]", E),
    (thinking_signed_null, "A18", "messages[3].parts[0]", E),
    (redacted_without_data, "A18", "messages[1].parts[1]", E),
    (late_compaction, "A20", "messages[3].parts[0]", E),
    (empty_compaction, "A20", "messages[0].parts[0]", E),
    (two_compactions, "A20", "messages[0].parts[1]", E),
    (system_first, "A21", "messages[0]", E),
    (system_after_answer, "A21", "messages[4]", E),
    (system_before_user, "A21", "messages[5]", E),
    (system_between_call_and_result, "A21", "messages[2]", E),
    (five_markers, "A22", "messages[2].parts[0]", E),
    (automatic_fifth_marker, "A22", "messages[2].parts[1]", E),
    (long_after_short, "A23", "messages[2].parts[1]", E),
    (marked_thinking, "A23", "messages[1].parts[0]", E),
    (parsed_output, "A24", "messages[1].parts[2]", E),
    (unknown_member_inside_result, "A24", "messages[2].parts[1].content[1]", E),
    (unknown_message_member, "A24", "messages[4]", E),
    (unknown_block, "A24", "messages[1].parts[2]", W),
    (thinking_by_the_user, "A24", "messages[0].parts[3]", E),
    (image_in_answer, "A24", "messages[1].parts[3]", W),
    (arguments_of_text, "A24", "messages[1].parts[3].arguments", E),
    (schema_of_true, "A24", "tools[0].input_schema", E),
    (odd_image_type, "A25", "messages[0].parts[0].source", E),
    (broken_base64, "A25", "messages[0].parts[0].source", E),
    (large_image, "A25", "messages[0].parts[0].source", E),
    (very_many_images, "A25", "messages[0].parts[601]", E),
    (file_of_citation, "A24", "messages[3].parts[3].citations", E),
    (container_object, "A26", "tools", E),
    (two_browser_states, "A27", "messages[2].parts[1]", E),
]

# What the mutation cannot help breaking as well.
ALSO: dict[Callable[[Body], None], set[str]] = {
    answer_first: {"A3"},
    empty_compaction: {"A2"},
    two_compactions: {"A2"},
}


@pytest.mark.parametrize(
    ("mutate", "rule", "place", "severity"), MUTATIONS, ids=lambda one: getattr(one, "__name__", "")
)
def test_what_was_spoilt_is_found_once(
    mutate: Callable[[Body], None], rule: str, place: str, severity: Severity
) -> None:
    body = anthropic_body()
    mutate(body)
    found = [one for one in findings(body) if one[0] not in ALSO.get(mutate, set())]
    assert found == [(rule, place, severity)]


# The table of members is of one release of the API, so these are sent: the provider may know better.
SENT = {unknown_member_inside_result, unknown_message_member}


@pytest.mark.parametrize(
    ("mutate", "rule"), [one[:2] for one in MUTATIONS], ids=lambda one: getattr(one, "__name__", "")
)
def test_what_was_spoilt_is_mended_or_refused(mutate: Callable[[Body], None], rule: str) -> None:
    body = anthropic_body()
    mutate(body)
    request = Request.from_provider("anthropic", body)
    try:
        made = request.render("anthropic", model=MODEL, params=request.params)
    except UnreplayableError as error:
        assert error.rule == rule or mutate is pending_tool_undeclared  # noqa: PT017
        return
    found = Request.from_provider("anthropic", made.to_json()).check("anthropic", model=MODEL)
    assert (errors(found) == []) is (mutate not in SENT)


def test_every_rule_that_is_examined_has_a_mutation() -> None:
    examined = {rule.id for rule in RULES.values() if rule.examined is Examined.YES}
    # A16 needs a model that takes the start of an answer, A19 what the store knows: both below.
    assert examined == {rule for _, rule, _, _ in MUTATIONS} | {"A16", "A19"}


def test_the_start_of_an_answer_where_the_model_takes_one() -> None:
    body = anthropic_body()
    answer_last(body)
    assert findings(body, "claude-sonnet-4-5") == []
    body["messages"][5]["content"] = "De rien "
    assert findings(body, "claude-sonnet-4-5") == [("A16", "messages[5]", E)]
    assert findings(body, "my-model") == [("A15", "messages[5]", W)]


@pytest.mark.parametrize(
    ("model", "found"),
    [
        ("claude-haiku-4-5", [("A25", "messages[0].parts[101]", E)]),
        ("my-model", [("A25", "messages[0].parts[101]", W)]),
        (MODEL, []),
    ],
)
def test_how_many_media_depends_on_the_model(model: str, found: list[tuple[str, str, Severity]]) -> None:
    body = anthropic_body()
    del body["messages"][5]
    content(body, 0).extend([content(body, 0)[0]] * 100)
    assert findings(body, model) == found


@pytest.mark.parametrize(
    ("model", "found"),
    [("claude-sonnet-4-5", [("A21", "messages[5]", E)]), ("my-model", []), (MODEL, [])],
)
def test_earlier_models_take_no_system_message(model: str, found: list[tuple[str, str, Severity]]) -> None:
    assert findings(anthropic_body(), model) == found


def test_newer_models_take_no_budget_for_thinking() -> None:
    body = anthropic_body()
    body["thinking"] = {"type": "enabled", "budget_tokens": 1024}
    assert findings(body) == [("A17", "messages[0]", W)]
    del body["messages"][5]
    assert findings(body, "claude-sonnet-4-5") == []


def test_calls_above_need_no_tools_below() -> None:
    # The API takes it since 27 February 2025; Bedrock's Converse API does not.
    body = anthropic_body()
    del body["tools"]
    assert findings(body) == []


def test_a_tool_call_of_the_user_is_found() -> None:
    body = anthropic_body()
    content(body, 0).append({"type": "tool_use", "id": "toolu_0", "name": "add", "input": {}})
    assert findings(body) == [("X6", "messages[0].parts[3]", E)]


def test_the_sdk_has_its_own_opinion() -> None:
    body = anthropic_body()
    content(body, 3)[2]["content"][0]["encrypted_content"] = 7
    content(body, 2)[1]["content"][0]["text"] = "x"
    found = Request.from_provider("anthropic", body).check("anthropic", model=MODEL, sdk=True)
    assert found
    assert {one.rule for one in found} == {"SDK"}
    assert all(one.place.startswith("body.messages[3].content[2]") for one in found)


@pytest.mark.parametrize(
    "inner",
    [
        {"type": "tool_result"},
        {"type": "tool_result", "tool_use_id": []},
        {"type": "tool_result", "tool_use_id": 5},
        {"type": "compaction"},
    ],
    ids=str,
)
def test_a_block_that_lacks_what_it_needs_is_found_and_breaks_nothing(inner: dict[str, Any]) -> None:
    call = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    body = {
        "messages": [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [inner]}]},
        ]
    }
    request = Request.from_provider("anthropic", body)
    rules = [one.rule for one in request.check("anthropic", model="claude-sonnet-4-5")]
    assert "A24" in rules


@pytest.mark.parametrize(
    ("model", "severity"),
    [
        ("claude-fable-5-1", Severity.ERROR),
        ("claude-opus-5-5", Severity.ERROR),
        ("claude-opus-6-20270101", Severity.ERROR),
        ("claude-opus-5", Severity.WARNING),
        ("claude-sonnet-4-5", Severity.WARNING),
        ("my-model", Severity.WARNING),
    ],
)
def test_reasoning_of_another_prefix_is_found_where_it_begins(model: str, severity: Severity) -> None:
    thought = ReasoningPart("hm", signature="c2ln")
    path = (
        Message.user("q"),
        Message.assistant([TextPart("so")], provider="anthropic"),
        Message.user("q"),
        Message.assistant([thought, TextPart("so")], provider="anthropic"),
        Message.user("q"),
    )
    breaks = (PrefixBreak(1, (Differs.SYSTEM,)), PrefixBreak(3, (Differs.TOOLS,)))
    request = Request(messages=path, prefix_breaks=breaks)
    found = [(one.rule, one.place, one.severity) for one in request.check("anthropic", model=model)]
    assert found == [("A19", "messages[3].parts[0]", severity)]
    assert Request(messages=path, prefix_breaks=breaks[:1]).check("anthropic", model=model) == ()
