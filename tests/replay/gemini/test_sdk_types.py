"""The second opinion: what the SDK's types say of contents and tools."""

import sys
from typing import Any

import pytest

from convotree.errors import MissingExtraError
from convotree.replay import Finding, Request, Severity
from convotree.replay.gemini import sdk_types
from tests.replay.gemini.sample import MODEL, gemini_body


def opinions(body: dict[str, Any]) -> list[Finding]:
    found = Request.from_provider("gemini", body).check("gemini", model=MODEL, sdk=True)
    return [one for one in found if one.rule == "SDK"]


def test_one_wrong_thing_is_one_finding_at_its_place() -> None:
    body = gemini_body()
    body["contents"][0]["parts"][4]["videoMetadata"]["fps"] = "many"
    (found,) = opinions(body)
    assert (found.severity, found.place) == (Severity.ERROR, "body.contents[0].parts[4].videoMetadata.fps")


def test_tools_and_the_system_instruction_are_looked_at() -> None:
    body = gemini_body()
    body["tools"][0]["googleSearch"]["odd"] = 1
    body["systemInstruction"]["parts"][1]["odd"] = 1
    assert [one.place for one in opinions(body)] == [
        "body.tools[0].googleSearch.odd",
        "body.systemInstruction.parts[1].odd",
    ]


def test_what_the_sdk_does_not_know_is_only_a_warning() -> None:
    body = gemini_body()
    body["contents"][4]["parts"].append({"hologram": {}})
    assert [(one.severity, one.place) for one in opinions(body)] == [
        (Severity.WARNING, "body.contents[4].parts[1]")
    ]


def test_a_missing_sdk_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.genai", None)
    sdk_types._adapters.cache_clear()
    try:
        with pytest.raises(MissingExtraError) as caught:
            opinions(gemini_body())
    finally:
        sdk_types._adapters.cache_clear()
    assert caught.value.extra == "google"
