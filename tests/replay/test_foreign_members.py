"""What only another provider knows of a part is left behind, and that is said once."""

from __future__ import annotations

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message
from convotree.domain.parts import Part, TextPart, ToolCallPart
from convotree.replay import Request
from tests.replay.samples import MODELS, PNG

OTHERS = ("anthropic", "openai-chat", "openai-responses")


def lost(request: Request, provider: str) -> list[tuple[str, str]]:
    notes = request.render(provider, model=MODELS[provider]).notes
    return [(note.place, note.reason) for note in notes if note.rule == "X5"]


@pytest.mark.parametrize("provider", ["anthropic", "gemini", "openai-responses"])
def test_the_detail_of_an_image_is_said_to_be_lost(provider: str) -> None:
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "high"}}
    body: dict[str, Any] = {"model": "gpt-5", "messages": [{"role": "user", "content": [image, image]}]}
    request = Request.from_provider("openai-chat", body)
    ((place, reason),) = lost(request, provider)
    assert place == "messages[0].parts[0]"
    assert "openai-chat knows of 2" in reason
    assert lost(request, "openai-chat") == []


@pytest.mark.parametrize("provider", OTHERS)
def test_signatures_are_said_to_be_lost_where_there_are_none(provider: str) -> None:
    signed: list[Part] = [
        TextPart("a", signature="c2ln"),
        ToolCallPart("c1", "look", ExactJson("{}"), signature="c2ln"),
    ]
    request = Request(
        messages=(
            Message.user("go"),
            Message.assistant(signed, provider="google", api="generate-content", model=MODELS["gemini"]),
            Message.tool_result("c1", "r"),
        )
    )
    assert lost(request, provider) == [
        ("messages[1].parts[0]", "signatures of text and calls (2) are left out: there are none here")
    ]
    assert lost(request, "gemini") == []


def test_each_provider_is_named_once_whatever_else_stands_in_the_data() -> None:
    data = ExactJson('{"openai-chat":{"x":1},"anthropic":{"y":"\\"openai-chat\\":"},"elsewhere":{"z":2}}')
    request = Request(messages=(Message.user([TextPart("a", provider_data=data)]),))
    assert [reason.split(" knows")[0] for _, reason in lost(request, "gemini")] == [
        "what only openai-chat",
        "what only anthropic",
        "what only elsewhere",
    ]
    assert [reason.split(" knows")[0] for _, reason in lost(request, "openai-chat")] == [
        "what only anthropic",
        "what only elsewhere",
    ]
