"""Every rule is found when a good request is spoilt, once, and at its place; good requests are left alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from convotree.domain.message import Message, Provenance
from convotree.domain.parts import ToolCallPart, ToolResultPart
from convotree.replay import Request, Severity
from convotree.replay.gemini.rules import RULES
from convotree.replay.rule import Examined
from tests.replay.gemini.sample import MODEL, gemini_body
from tests.replay.samples import answer, call, errors, result

Body = dict[str, Any]
E, W = Severity.ERROR, Severity.WARNING


def findings(body: Body, model: str = MODEL) -> list[tuple[str, str, Severity]]:
    found = Request.from_provider("gemini", body).check("gemini", model=model)
    return [(one.rule, one.place, one.severity) for one in found]


def test_a_good_request_gives_nothing() -> None:
    assert findings(gemini_body()) == []


def test_it_passes_the_types_of_the_sdk() -> None:
    assert Request.from_provider("gemini", gemini_body()).check("gemini", model=MODEL, sdk=True) == ()


def test_recorded_requests_give_no_error(cases: Path) -> None:
    files = sorted((cases / "provider-requests").glob("google_*.json"))
    assert files
    for file in files:
        request = Request.from_provider("gemini", file.read_text(encoding="utf-8"), model=MODEL)
        found = request.check("gemini", model=MODEL, sdk=True)
        assert errors(found) == [], file.name
        # An empty text of the user's, which the API accepted.
        assert {one.rule for one in found} <= {"G12"}


def no_contents(body: Body) -> None:
    body["contents"] = []


def no_parts(body: Body) -> None:
    body["contents"][4]["parts"] = []


def parts_absent(body: Body) -> None:
    del body["contents"][4]["parts"]


def no_role(body: Body) -> None:
    del body["contents"][4]["role"]


def two_data_members(body: Body) -> None:
    body["contents"][4]["parts"][0]["inlineData"] = {"mimeType": "image/png", "data": "QQ=="}


def no_data_member(body: Body) -> None:
    body["contents"][4]["parts"].append({"videoMetadata": {"fps": 1}})


def unknown_data_member(body: Body) -> None:
    body["contents"][4]["parts"].append({"hologram": {}})


def opens_on_a_call(body: Body) -> None:
    del body["contents"][0]


def response_dropped(body: Body) -> None:
    del body["contents"][2]["parts"][0]


def response_twice(body: Body) -> None:
    body["contents"][2]["parts"].append(body["contents"][2]["parts"][0])


def last_response_dropped(body: Body) -> None:
    del body["contents"][6]


def response_of_nothing(body: Body) -> None:
    body["contents"][2]["parts"].append({"functionResponse": {"id": "c9", "name": "look", "response": {}}})


def response_late(body: Body) -> None:
    body["contents"][4]["parts"] = [{"functionResponse": {"id": "c9", "name": "look", "response": {}}}]
    body["contents"][5]["parts"] = [{"text": "Two."}]
    body["contents"][6]["parts"] = [{"text": "Thanks."}]


def other_name(body: Body) -> None:
    body["contents"][2]["parts"][0]["functionResponse"]["name"] = "search"


def no_name(body: Body) -> None:
    del body["contents"][2]["parts"][0]["functionResponse"]["name"]


def first_signature_dropped(body: Body) -> None:
    del body["contents"][5]["parts"][0]["thoughtSignature"]


def spoilt_signature(body: Body) -> None:
    body["contents"][1]["parts"][2]["thoughtSignature"] = "not base64!"


def spoilt_data(body: Body) -> None:
    body["contents"][0]["parts"][1]["inlineData"]["data"] = "QQQQQ"


def empty_text(body: Body) -> None:
    body["contents"][4]["parts"][0]["text"] = ""


def empty_unsigned_text(body: Body) -> None:
    body["contents"][3]["parts"][4]["text"] = ""


def mixed_content(body: Body) -> None:
    body["contents"][2]["parts"].append({"text": "There."})


def bare_response(body: Body) -> None:
    body["contents"][2]["parts"][0]["functionResponse"]["response"] = "found"


def bare_arguments(body: Body) -> None:
    body["contents"][1]["parts"][3]["functionCall"]["args"] = [1]


MUTATIONS: list[tuple[Callable[[Body], None], str, str, Severity]] = [
    (no_contents, "G1", "messages[0]", E),
    (no_parts, "G1", "messages[4]", E),
    (parts_absent, "G1", "messages[4]", E),
    (no_role, "G2", "messages[4]", W),
    (two_data_members, "G3", "messages[4].parts[0]", E),
    (no_data_member, "G3", "messages[4].parts[1]", E),
    (unknown_data_member, "G3", "messages[4].parts[1]", W),
    (opens_on_a_call, "G4", "messages[0].parts[2]", E),
    (response_dropped, "G5", "messages[1].parts[2]", E),
    (response_twice, "G5", "messages[2].parts[2]", E),
    (last_response_dropped, "G5", "messages[5].parts[0]", E),
    (response_of_nothing, "G6", "messages[2].parts[2]", E),
    (response_late, "G6", "messages[4].parts[0]", E),
    (other_name, "G6", "messages[2].parts[0].name", E),
    (no_name, "G6", "messages[2].parts[0].name", E),
    (first_signature_dropped, "G7", "messages[5].parts[0]", E),
    (spoilt_signature, "G8", "messages[1].parts[2]", E),
    (spoilt_data, "G8", "messages[0].parts[1]", E),
    (empty_text, "G12", "messages[4].parts[0]", W),
    (empty_unsigned_text, "G12", "messages[3].parts[4]", W),
    (mixed_content, "G13", "messages[2]", W),
    (bare_response, "G14", "messages[2].parts[0]", E),
    (bare_arguments, "G14", "messages[1].parts[3].arguments", E),
]


@pytest.mark.parametrize(
    ("mutate", "rule", "place", "severity"), MUTATIONS, ids=lambda one: getattr(one, "__name__", "")
)
def test_what_was_spoilt_is_found_once(
    mutate: Callable[[Body], None], rule: str, place: str, severity: Severity
) -> None:
    body = gemini_body()
    mutate(body)
    assert findings(body) == [(rule, place, severity)]


@pytest.mark.parametrize(
    "mutate", [mutate for mutate, *_ in MUTATIONS if mutate is not no_contents], ids=lambda one: one.__name__
)
def test_what_was_spoilt_is_repaired_when_it_is_rendered(mutate: Callable[[Body], None]) -> None:
    body = gemini_body()
    mutate(body)
    request = Request.from_provider("gemini", body)
    made = request.render("gemini", model=MODEL, params=request.params)
    assert (
        errors(Request.from_provider("gemini", made.to_json()).check("gemini", model=MODEL, sdk=True)) == []
    )


def test_models_before_gemini_3_take_no_hosted_tool_calls() -> None:
    assert findings(gemini_body(), "gemini-2.5-flash") == [
        ("G11", "messages[3].parts[2]", E),
        ("G11", "messages[3].parts[3]", E),
    ]


def test_of_an_unknown_model_a_missing_signature_is_a_warning() -> None:
    body = gemini_body()
    first_signature_dropped(body)
    assert findings(body, "tuned-thing") == [("G7", "messages[5].parts[0]", W)]
    assert "G7" not in {rule for rule, _, _ in findings(body, "gemini-2.5-pro")}


def test_only_the_current_turn_and_the_first_of_parallel_calls_need_a_signature() -> None:
    body = gemini_body()
    del body["contents"][1]["parts"][2]["thoughtSignature"]
    body["contents"][5]["parts"].append({"functionCall": {"name": "look"}})
    body["contents"][6]["parts"].append({"functionResponse": {"name": "look", "response": {}}})
    assert findings(body) == []


def test_every_step_of_the_current_turn_needs_one() -> None:
    body = gemini_body()
    body["contents"] += [
        {"role": "model", "parts": [{"functionCall": {"name": "look"}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {}}}]},
    ]
    assert findings(body) == [("G7", "messages[7].parts[0]", E)]


def test_contents_of_one_role_are_one_turn() -> None:
    """Guards against refusing what was accepted: one call, one call, two responses."""
    body = gemini_body()
    first, second = body["contents"][1]["parts"][2:]
    body["contents"][1:3] = [
        {"role": "model", "parts": [first]},
        {"role": "model", "parts": [second]},
        *({"role": "user", "parts": [part]} for part in body["contents"][2]["parts"]),
    ]
    assert findings(body) == []


def test_a_call_of_the_users_and_a_response_of_the_models() -> None:
    body = gemini_body()
    body["contents"][4]["parts"].append({"functionCall": {"name": "look"}})
    body["contents"][3]["parts"].append(
        {"functionResponse": {"id": "c1", "name": "look", "response": {"output": "again"}}}
    )
    assert findings(body) == [
        ("G13", "messages[3]", W),
        ("G14", "messages[3].parts[6]", E),
        ("X6", "messages[4].parts[1]", E),
    ]


def test_a_signature_of_another_model_is_a_warning() -> None:
    request = Request.from_provider("gemini", gemini_body(), model="gemini-2.5-flash")
    found = request.check("gemini", model=MODEL)
    assert {(one.rule, one.severity) for one in found} == {("G8", W)}
    assert [one.place for one in found] == [
        "messages[1].parts[0]",
        "messages[1].parts[2]",
        "messages[3].parts[0]",
        "messages[3].parts[2]",
        "messages[3].parts[3]",
        "messages[3].parts[5]",
        "messages[5].parts[0]",
    ]


def test_every_rule_has_a_mutation() -> None:
    examined = {rule.id for rule in RULES.values() if rule.examined is Examined.YES}
    assert examined == {rule for _, rule, _, _ in MUTATIONS} | {"G11"}


def test_the_sdk_has_its_own_opinion() -> None:
    body = gemini_body()
    body["contents"][4]["parts"][0]["odd"] = 1
    body["tools"][1]["functionDeclarations"][0]["odd"] = 1
    found = Request.from_provider("gemini", body).check("gemini", model=MODEL, sdk=True)
    assert [(one.rule, one.place) for one in found] == [
        ("SDK", "body.tools[1].functionDeclarations[0].odd"),
        ("SDK", "body.contents[4].parts[0].odd"),
    ]


def test_answers_of_other_providers_are_examined_as_they_would_be_handed_over() -> None:
    path = (Message.user("go"), answer(call("toolu:1"), provider="anthropic"), result("toolu:1"))
    assert Request(messages=path).check("gemini", model=MODEL) == ()
    unsaid = answer(call("c1"), provider="google")
    own = (Message.user("go"), replace(unsaid, provenance=Provenance("google")), result("c1"))
    assert errors(Request(messages=own).check("gemini", model=MODEL)) == [("messages[1].parts[0]", "G7")]


def test_two_thousand_calls_are_looked_at_in_one_pass() -> None:
    calls = tuple(
        ToolCallPart(f"gemini_no_id_1_{number}", "f", call("x").arguments, "c2ln") for number in range(2000)
    )
    results = tuple(ToolResultPart(one.tool_call_id, name="f") for one in calls)
    path = (Message.user("go"), answer(*calls), Message.user(results))
    body = Request(messages=path).render("gemini", model=MODEL).to_json()
    again = Request.from_provider("gemini", body)
    assert [part.tool_call_id for part in again.messages[2].tool_results] == [
        part.tool_call_id for part in again.messages[1].tool_calls
    ]
    assert again.check("gemini", model=MODEL) == ()
