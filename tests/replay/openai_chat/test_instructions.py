"""System prompts and developer messages of any origin, in the roles that a model takes."""

from __future__ import annotations

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message
from convotree.domain.parts import OpaquePart, TextPart
from convotree.domain.prompt import SystemPrompt
from convotree.replay import Request


def rendered(
    system: SystemPrompt | None, *messages: Message, model: str = "gpt-5"
) -> tuple[list[Any], list[Any]]:
    made = Request(system, messages=(*messages, Message.user("u"))).render("openai-chat", model=model)
    return made.body["messages"][:-1], [(note.place, note.rule) for note in made.notes]


@pytest.mark.parametrize(
    ("system", "messages"),
    [
        (None, []),
        ("", [{"role": "system", "content": ""}]),
        ((), []),
        ((TextPart("a"),), [{"role": "system", "content": "a"}]),
        (
            (TextPart("a"), TextPart("b")),
            [{"role": "system", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}],
        ),
    ],
)
def test_system_prompts(system: SystemPrompt | None, messages: list[Any]) -> None:
    assert rendered(system) == (messages, [])


def test_what_is_no_text_is_left_out() -> None:
    odd = OpaquePart("openai-chat", "odd", ExactJson("[]"))
    assert rendered((odd,)) == ([], [("system[0]", "X4")])


@pytest.mark.parametrize(
    ("model", "roles", "notes"),
    [
        ("gpt-5", ["system", "developer"], []),
        ("gpt-4-turbo", ["system", "system"], [("messages[0]", "C7")]),
        ("o1-mini", ["user", "user"], [("system", "C7"), ("messages[0]", "C7")]),
    ],
)
def test_roles_by_model(model: str, roles: list[str], notes: list[Any]) -> None:
    messages, noted = rendered("s", Message.developer("d"), model=model)
    assert ([one["role"] for one in messages], noted) == (roles, notes)
