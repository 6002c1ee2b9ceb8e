"""The second opinion: what the SDK's types say of items and tools."""

import sys
from typing import Any

import pytest

from convotree.errors import MissingExtraError
from convotree.replay import Finding, Request, Severity
from convotree.replay.openai_responses import sdk_types
from tests.replay.openai_responses.bodies import MODEL, Body, responses_body

NAME = "openai-responses"


def opinions(body: Body) -> list[Finding]:
    return [
        one
        for one in Request.from_provider(NAME, body).check(NAME, model=MODEL, sdk=True)
        if one.rule == "SDK"
    ]


def test_one_wrong_thing_is_one_finding_at_its_place() -> None:
    body = responses_body()
    body["input"][2]["status"] = "so so"
    (found,) = opinions(body)
    assert (found.severity, found.place) == (Severity.ERROR, "body.input[2].status")


def test_content_and_outputs_are_looked_at_piece_by_piece() -> None:
    body = responses_body()
    body["input"][2]["content"][0]["annotations"] = [{"type": "url_citation"}]
    body["input"][6]["output"][0]["text"] = "x"
    body["input"][6]["output"].append({"type": "input_image", "image_url": "https://x", "detail": "huge"})
    places = [one.place for one in opinions(body)]
    assert places[0].startswith("body.input[2].content[0]")
    assert places[-1].startswith("body.input[6].output[1].detail")


@pytest.mark.parametrize(
    "items",
    [
        [
            {"type": "reasoning", "summary": [], "encrypted_content": "x"},
            {"role": "assistant", "content": "x"},
        ],
        [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]}],
        [{"role": "user", "content": [{"type": "input_image", "image_url": "https://x"}]}],
        [{"type": "image_generation_call", "id": "ig_1"}],
    ],
)
def test_known_disagreements_are_none(items: list[Any]) -> None:
    assert opinions({"input": items}) == []


def test_an_output_that_lacks_its_status_is_accepted_as_null() -> None:
    body = responses_body()
    body["input"][3]["status"] = None
    assert opinions(body) == []


def test_what_the_sdk_does_not_know_is_only_a_warning() -> None:
    body = responses_body()
    body["input"].append({"type": "hologram", "id": "h"})
    body["tools"][3]["type"] = "moon"
    assert [(one.severity, one.place) for one in opinions(body)] == [
        (Severity.WARNING, "body.tools[3]"),
        (Severity.WARNING, "body.input[13]"),
    ]


def test_a_bare_string_is_no_list_of_items() -> None:
    assert opinions({"input": "x"}) == []


def test_a_missing_sdk_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai.types", None)
    sdk_types._adapters.cache_clear()
    try:
        with pytest.raises(MissingExtraError) as caught:
            opinions(responses_body())
    finally:
        sdk_types._adapters.cache_clear()
    assert caught.value.extra == "openai"
