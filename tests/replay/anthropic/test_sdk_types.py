"""The second opinion: what the SDK's types say of blocks, tools and system prompts."""

import sys
from typing import Any

import pytest

from convotree.errors import MissingExtraError
from convotree.replay import Finding, Request, Severity
from convotree.replay.anthropic import sdk_types
from tests.replay.samples import anthropic_body


def opinions(body: dict[str, Any]) -> list[Finding]:
    found = Request.from_provider("anthropic", body).check("anthropic", model="claude-opus-4-8", sdk=True)
    return [one for one in found if one.rule == "SDK"]


def test_one_wrong_block_is_one_finding_at_its_place() -> None:
    body = anthropic_body()
    body["messages"][2]["content"][1]["content"][2]["title"] = 7
    (found,) = opinions(body)
    assert (found.severity, found.place) == (Severity.ERROR, "body.messages[2].content[1].content[2].title")


def test_tools_and_system_are_looked_at() -> None:
    body = anthropic_body()
    body["system"][0]["odd"] = 1
    body["tools"][1]["max_uses"] = "3"
    assert [one.place for one in opinions(body)] == ["body.tools[1].max_uses", "body.system[0].odd"]


def test_what_the_sdk_does_not_know_is_only_a_warning() -> None:
    body = anthropic_body()
    body["tools"][1]["type"] = "web_search_29990101"
    body["messages"][1]["content"].insert(2, {"type": "hologram"})
    assert [(one.severity, one.place) for one in opinions(body)] == [
        (Severity.WARNING, "body.tools[1]"),
        (Severity.WARNING, "body.messages[1].content[2]"),
    ]


def test_a_missing_sdk_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic.types.beta", None)
    sdk_types._adapters.cache_clear()
    try:
        with pytest.raises(MissingExtraError) as caught:
            opinions(anthropic_body())
    finally:
        sdk_types._adapters.cache_clear()
    assert caught.value.extra == "anthropic"
