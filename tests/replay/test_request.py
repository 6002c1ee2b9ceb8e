"""The value itself; its methods are tested with what they lead to."""

from dataclasses import replace
from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message
from convotree.domain.parts import ReasoningPart, TextPart
from convotree.domain.prompt import Tool
from convotree.errors import InvalidArgumentError
from convotree.replay import Note, Request


def test_lists_become_tuples() -> None:
    request = Request([TextPart("s")], [Tool("t")], [Message.user("a")])  # type: ignore[arg-type]
    assert request == Request((TextPart("s"),), (Tool("t"),), (Message.user("a"),))
    assert hash(request) == hash(Request((TextPart("s"),), (Tool("t"),), (Message.user("a"),)))


def test_what_was_said_about_it_is_not_compared() -> None:
    said = Request(
        messages=(Message.user("a"),),
        revision_ids=("r",),
        notes=(Note("messages[0]", "X", "why"),),
        params=ExactJson('{"a":1}'),
    )
    assert said == Request(messages=(Message.user("a"),))


@pytest.mark.parametrize(
    ("fields", "argument"),
    [
        ({"messages": ["a"]}, "messages[0]"),
        ({"messages": Message.user("a")}, "messages"),
        ({"tools": [{"name": "t"}]}, "tools[0]"),
        ({"system": 7}, "system"),
        ({"system": ["s"]}, "system[0]"),
        ({"messages": [Message.user("a")], "revision_ids": ["r", "s"]}, "revision_ids"),
        ({"messages": [Message.user("a")], "revision_ids": [7]}, "revision_ids[0]"),
        ({"notes": ["n"]}, "notes[0]"),
        ({"params": {"a": 1}}, "params"),
        ({"params": ExactJson("[]")}, "params"),
    ],
)
def test_wrong_types_are_refused(fields: dict[str, Any], argument: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        Request(**fields)
    assert caught.value.argument == argument


def test_ingested_settings_are_kept_and_only_sent_when_given() -> None:
    text = '{"model":"m","max_tokens":8,"temperature":1.0,"messages":[{"role":"user","content":"a"}]}'
    request = Request.from_provider("anthropic", text)
    assert request.params == ExactJson('{"model":"m","max_tokens":8,"temperature":1.0}')
    assert "max_tokens" not in request.render("anthropic", model="m").body
    assert request.render("anthropic", model="m", params=request.params).text == text


@pytest.mark.parametrize("model", [None, "", 1])
def test_a_model_has_a_name(model: Any) -> None:
    for call in (Request().render, Request().check):
        with pytest.raises(InvalidArgumentError) as caught:
            call("anthropic", model=model)
        assert caught.value.argument == "model"


def test_a_policy_is_a_policy() -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        Request().render("anthropic", model="m", policy="strict")  # type: ignore[arg-type]  # the point of the test

    assert caught.value.argument == "policy"


def test_rules_that_depend_on_settings_are_told_them() -> None:
    reasoning = ReasoningPart("", provider_data=ExactJson('{"openai-responses":{"id":"rs_1","summary":[]}}'))
    answer = Message.assistant([reasoning, TextPart("a")], provider="openai", api="responses", model="gpt-5")
    request = Request(messages=(Message.user("q"), answer, Message.user("q")))

    def rules(**options: Any) -> set[str]:
        return {one.rule for one in request.check("openai-responses", model="gpt-5", **options)}

    assert "R9" in rules(params={"store": False})
    assert "R9" not in rules()
    # What it was ingested with is what is looked at where nothing else is given.
    stored = replace(request, params=ExactJson('{"store":false}'))
    assert "R9" in {one.rule for one in stored.check("openai-responses", model="gpt-5")}
    assert "R9" not in {one.rule for one in stored.check("openai-responses", model="gpt-5", params={})}
    with pytest.raises(InvalidArgumentError, match="params"):
        rules(params=["store"])
