"""System prompts: instructions, or the items that lead the input; each goes back as it came."""

from __future__ import annotations

import json
from typing import Any

import pytest

from convotree.domain.media import UrlSource
from convotree.domain.message import Message
from convotree.domain.parts import ImagePart, TextPart
from convotree.replay import Request
from tests.replay.openai_responses.bodies import MODEL

NAME = "openai-responses"
USER = {"role": "user", "content": "Hello"}


def back(*items: Any, **rest: Any) -> tuple[Request, list[Any]]:
    body = {"model": MODEL, **rest, "input": list(items)}
    request = Request.from_provider(NAME, json.dumps(body))
    made = request.render(NAME, model=MODEL, params=request.params)
    assert made.body == body
    assert made.notes == ()
    return request, made.body["input"]


@pytest.mark.parametrize(
    "leading",
    [
        [{"role": "system", "content": "a"}],
        [{"role": "developer", "content": "a"}],
        [{"type": "message", "role": "system", "content": "a"}],
        [{"role": "system", "content": [{"type": "input_text", "text": "a"}]}],
        [
            {
                "role": "developer",
                "content": [
                    {"type": "input_text", "text": "a", "prompt_cache_breakpoint": {"mode": "explicit"}},
                    {"type": "input_text", "text": "b"},
                ],
            },
            {"role": "system", "content": "c"},
        ],
    ],
)
def test_leading_items_are_the_system_prompt(leading: list[Any]) -> None:
    request, _ = back(*leading, USER)
    assert isinstance(request.system, tuple)
    assert all(isinstance(part, TextPart) for part in request.system)
    assert len(request.messages) == 1
    texts = [part.text for part in request.system if isinstance(part, TextPart)]
    anthropic = request.render("anthropic", model="claude-opus-4-8").body
    assert [block["text"] for block in anthropic["system"]] == texts


def test_instructions_are_the_system_prompt() -> None:
    request, _ = back({"role": "developer", "content": "a"}, USER, instructions="Be brief.")
    assert request.system == "Be brief."
    assert len(request.messages) == 2


@pytest.mark.parametrize(
    "first",
    [
        {"role": "system", "content": [{"type": "input_image", "image_url": "https://x"}]},
        {"role": "system", "content": ""},
        {"type": "additional_tools", "role": "developer", "tools": []},
        USER,
    ],
)
def test_what_is_no_system_prompt(first: dict[str, Any]) -> None:
    body = {"model": MODEL, "input": [first, USER]}
    request = Request.from_provider(NAME, body)
    assert request.system is None
    assert len(request.messages) == 2


def test_parts_of_others_are_one_item() -> None:
    system = (TextPart("a"), TextPart("b"), ImagePart(UrlSource("https://x")))
    made = Request(system, messages=(Message.user("x"),)).render(NAME, model=MODEL)
    assert made.body["input"][0] == {
        "role": "system",
        "content": [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}],
    }
    assert [(note.place, note.rule) for note in made.notes] == [("system[2]", "X4")]
