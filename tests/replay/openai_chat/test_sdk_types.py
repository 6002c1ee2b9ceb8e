"""The second opinion: what the SDK's types say of messages and tools."""

import sys
from typing import Any

import pytest

from convotree.errors import MissingExtraError
from convotree.replay import Finding, Request, Severity
from convotree.replay.openai_chat import sdk_types
from tests.replay.samples import chat_body


def opinions(body: dict[str, Any]) -> list[Finding]:
    found = Request.from_provider("openai-chat", body).check("openai-chat", model="gpt-5", sdk=True)
    return [one for one in found if one.rule == "SDK"]


def test_one_wrong_thing_is_one_finding_at_its_place() -> None:
    body = chat_body()
    body["messages"][1]["content"][1]["image_url"]["detail"] = "huge"
    (found,) = opinions(body)
    assert (found.severity, found.place) == (Severity.ERROR, "body.messages[1].content[1].image_url.detail")


def test_calls_and_tools_are_looked_at() -> None:
    body = chat_body()
    body["messages"][2]["tool_calls"][0]["odd"] = 1
    body["tools"][0]["function"]["strict"] = "yes"
    assert [one.place for one in opinions(body)] == [
        "body.tools[0].function.strict",
        "body.messages[2].tool_calls[0].odd",
    ]


def test_what_the_sdk_does_not_know_is_only_a_warning() -> None:
    body = chat_body()
    body["messages"][1]["content"].append({"type": "video_url", "video_url": {}})
    body["tools"][1]["type"] = "moon"
    assert [(one.severity, one.place) for one in opinions(body)] == [
        (Severity.WARNING, "body.tools[1]"),
        (Severity.WARNING, "body.messages[1].content[4]"),
    ]


def test_a_missing_sdk_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai.types", None)
    sdk_types._adapters.cache_clear()
    try:
        with pytest.raises(MissingExtraError) as caught:
            opinions(chat_body())
    finally:
        sdk_types._adapters.cache_clear()
    assert caught.value.extra == "openai"
