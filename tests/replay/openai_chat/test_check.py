"""Every rule is found when a good request is spoilt, once, and at its place; good requests are left alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from convotree.replay import Request, Severity
from convotree.replay.openai_chat.rules import RULES
from tests.replay.samples import chat_body, errors

Body = dict[str, Any]


def findings(body: Body, model: str = "gpt-5") -> list[tuple[str, str, Severity]]:
    found = Request.from_provider("openai-chat", body).check("openai-chat", model=model)
    return [(one.rule, one.place, one.severity) for one in found]


def test_a_good_request_gives_nothing() -> None:
    assert findings(chat_body()) == []


def test_it_passes_the_types_of_the_sdk() -> None:
    assert (
        Request.from_provider("openai-chat", chat_body()).check("openai-chat", model="gpt-5", sdk=True) == ()
    )


def test_recorded_requests_give_no_error(cases: Path) -> None:
    files = sorted((cases / "provider-requests").glob("openai_chat_*.json"))
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        request = Request.from_provider("openai-chat", text)
        found = request.check("openai-chat", model=json.loads(text)["model"], sdk=True)
        assert errors(found) == [], file.name


def tool_message_dropped(body: Body) -> None:
    del body["messages"][4]


def tool_message_late(body: Body) -> None:
    body["messages"][4], body["messages"][5] = body["messages"][5], body["messages"][4]


def two_calls_of_an_id(body: Body) -> None:
    calls = body["messages"][2]["tool_calls"]
    calls.insert(1, dict(calls[0]))


def tool_message_of_nothing(body: Body) -> None:
    del body["messages"][2]["tool_calls"][1]


def tool_message_twice(body: Body) -> None:
    body["messages"].insert(5, body["messages"][4])


def no_calls(body: Body) -> None:
    body["messages"][6]["tool_calls"] = []


def null_content(body: Body) -> None:
    body["messages"][6]["content"] = None


def empty_answer(body: Body) -> None:
    body["messages"][6]["content"] = []


def empty_input(body: Body) -> None:
    body["messages"][7]["content"] = []


def no_messages(body: Body) -> None:
    body["messages"] = []


def long_id(body: Body) -> None:
    body["messages"][2]["tool_calls"][0]["id"] = body["messages"][3]["tool_call_id"] = "c" * 41


def empty_id(body: Body) -> None:
    body["messages"][2]["tool_calls"][0]["id"] = body["messages"][3]["tool_call_id"] = ""


def odd_called_name(body: Body) -> None:
    body["messages"][2]["tool_calls"][0]["function"]["name"] = "look up"


def odd_custom_name(body: Body) -> None:
    body["messages"][2]["tool_calls"][1]["custom"]["name"] = "s" * 65


def odd_tool_name(body: Body) -> None:
    body["tools"][0]["function"]["name"] = "look.up"


def media_in_tool_message(body: Body) -> None:
    body["messages"][4]["content"] = [{"type": "image_url", "image_url": {"url": "https://x"}}]


def long_text(body: Body) -> None:
    body["messages"][7]["content"] = "x" * 1_048_577


def long_piece(body: Body) -> None:
    body["messages"][1]["content"][0]["text"] = "x" * 1_048_577


def long_arguments(body: Body) -> None:
    body["messages"][2]["tool_calls"][0]["function"]["arguments"] = json.dumps({"a": "x" * 1_048_577})


E, W = Severity.ERROR, Severity.WARNING

# The first message is the system prompt, so the numbers are those of the body less one.
MUTATIONS: list[tuple[Callable[[Body], None], str, str, Severity]] = [
    (tool_message_dropped, "C1", "messages[1].parts[2]", E),
    (two_calls_of_an_id, "C1", "messages[1].parts[2]", E),
    (tool_message_of_nothing, "C2", "messages[3].parts[0]", E),
    (tool_message_twice, "C2", "messages[4].parts[0]", E),
    (no_calls, "C3", "messages[5]", E),
    (null_content, "C4", "messages[5]", E),
    (empty_answer, "C4", "messages[5]", E),
    (empty_input, "C4", "messages[6]", E),
    (no_messages, "C4", "messages[0]", E),
    (long_id, "C5", "messages[1].parts[1].tool_call_id", E),
    (empty_id, "C5", "messages[1].parts[1].tool_call_id", E),
    (odd_called_name, "C5", "messages[1].parts[1].name", E),
    (odd_custom_name, "C5", "messages[1].parts[2].name", E),
    (odd_tool_name, "C5", "tools[0].name", E),
    (media_in_tool_message, "C6", "messages[3].parts[0]", W),
    (long_text, "C8", "messages[6]", E),
    (long_piece, "C8", "messages[0]", E),
    (long_arguments, "C8", "messages[1]", E),
]


@pytest.mark.parametrize(
    ("mutate", "rule", "place", "severity"), MUTATIONS, ids=lambda one: getattr(one, "__name__", "")
)
def test_what_was_spoilt_is_found_once(
    mutate: Callable[[Body], None], rule: str, place: str, severity: Severity
) -> None:
    body = chat_body()
    mutate(body)
    assert findings(body) == [(rule, place, severity)]


def test_a_tool_message_after_something_else_fits_no_call() -> None:
    body = chat_body()
    tool_message_late(body)
    assert findings(body) == [
        ("C1", "messages[1].parts[2]", E),
        ("C2", "messages[4].parts[0]", E),
    ]


@pytest.mark.parametrize(
    ("model", "places"),
    [
        ("o1-mini", ["system", "messages[4]"]),
        ("gpt-4-turbo", ["messages[4]"]),
        ("gpt-4o", []),
        ("some-other", []),
    ],
)
def test_roles_that_the_model_does_not_take(model: str, places: list[str]) -> None:
    assert findings(chat_body(), model) == [("C7", place, E) for place in places]


def test_every_rule_has_a_mutation() -> None:
    assert set(RULES) == {rule for _, rule, _, _ in MUTATIONS} | {"C7"}


def test_the_sdk_has_its_own_opinion() -> None:
    body = chat_body()
    body["messages"][7]["surname"] = "lee"
    body["messages"][1]["content"][3]["input_audio"]["rate"] = 8000
    found = Request.from_provider("openai-chat", body).check("openai-chat", model="gpt-5", sdk=True)
    assert [(one.rule, one.place) for one in found] == [
        ("SDK", "body.messages[1].content[3].input_audio.rate"),
        ("SDK", "body.messages[7].surname"),
    ]


def test_answers_of_other_providers_are_examined_as_they_would_be_handed_over() -> None:
    body = chat_body()
    long_id(body)
    own = Request.from_provider("openai-chat", body)
    moved = Request.from_provider("anthropic", own.render("anthropic", model="claude-opus-4-8").to_json())
    assert errors(own.check("openai-chat", model="gpt-5")) == [("messages[1].parts[1].tool_call_id", "C5")]
    assert errors(moved.check("openai-chat", model="gpt-5")) == []
