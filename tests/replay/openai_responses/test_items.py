"""Results in the form that their call asks for, whoever gave them."""

from __future__ import annotations

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import UrlSource
from convotree.domain.message import Message, Role
from convotree.domain.parts import ImagePart, Part, TextPart, ToolResultPart
from convotree.errors import UnreplayableError
from convotree.replay import BlankText, RenderPolicy, Request
from tests.replay.openai_responses.bodies import MODEL, REST
from tests.replay.samples import answer, call

NAME = "openai-responses"


def output(kind: str, *results: ToolResultPart) -> tuple[list[Any], list[str]]:
    """What stands after the call, and the rules of the notes."""
    item = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    if kind == "custom_tool_call":
        item = {"type": kind, "call_id": "c", "name": "f", "input": "x"}
    elif kind != "function_call":
        item = {key: value for key, value in _call(kind).items() if key != "id" or kind in _WITH_ID}
        item["call_id"] = "c"
    request = Request.from_provider(NAME, {"model": MODEL, "input": [item]})
    message = (Message(Role.TOOL, results),) if results else ()
    last = Message.user("on")
    made = Request(messages=(*request.messages, *message, last)).render(NAME, model=MODEL)
    return made.body["input"][1:-1], [note.rule for note in made.notes]


_WITH_ID = ("computer_call", "local_shell_call")


def _call(kind: str) -> dict[str, Any]:
    return next(
        item
        for item in REST
        if item.get("type") == kind
        and item.get("execution") != "server"
        and item.get("environment", {}).get("type") != "container_reference"
    )


def text(said: str, *, error: bool | None = None) -> ToolResultPart:
    return ToolResultPart("c", (TextPart(said),), error, None, True)


SHOT = ToolResultPart("c", (ImagePart(UrlSource("https://x")),))


@pytest.mark.parametrize(
    ("kind", "result", "expected", "rules"),
    [
        ("function_call", text("1"), {"call_id": "c", "output": "1"}, []),
        ("function_call", text("1", error=True), {"call_id": "c", "output": "1"}, ["X5"]),
        ("function_call", ToolResultPart("c"), {"call_id": "c", "output": ""}, []),
        (
            "function_call",
            SHOT,
            {"call_id": "c", "output": [{"type": "input_image", "image_url": "https://x", "detail": "auto"}]},
            [],
        ),
        ("custom_tool_call", text("1"), {"call_id": "c", "output": "1"}, []),
        (
            "computer_call",
            SHOT,
            {"call_id": "c", "output": {"type": "computer_screenshot", "image_url": "https://x"}},
            [],
        ),
        ("local_shell_call", text("a"), {"id": "c", "output": "a"}, []),
        (
            "shell_call",
            text("a"),
            {
                "call_id": "c",
                "output": [{"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}],
            },
            [],
        ),
        (
            "shell_call",
            text("a", error=True),
            {
                "call_id": "c",
                "output": [{"stdout": "", "stderr": "a", "outcome": {"type": "exit", "exit_code": 1}}],
            },
            [],
        ),
        ("apply_patch_call", text("a"), {"call_id": "c", "output": "a", "status": "completed"}, []),
        ("apply_patch_call", text("a", error=True), {"call_id": "c", "output": "a", "status": "failed"}, []),
        ("tool_search_call", text("a"), {"call_id": "c", "output": "a"}, []),
    ],
)
def test_a_result_takes_the_form_of_its_kind(
    kind: str, result: ToolResultPart, expected: dict[str, Any], rules: list[str]
) -> None:
    (made,), noted = output(kind, result)
    # A list of tools cannot be made of text, and a plain output may answer any call.
    name = "function_call_output" if kind == "tool_search_call" else f"{kind}_output"
    assert made == {"type": name, **expected}
    assert noted == rules
    body = {"model": MODEL, "input": [made]}
    found = Request.from_provider(NAME, body).check(NAME, model=MODEL, sdk=True)
    assert [one.rule for one in found] == ["R4"]


@pytest.mark.parametrize(
    "kind",
    [
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "tool_search_call",
    ],
)
def test_an_unanswered_call_gets_an_output_of_its_kind(kind: str) -> None:
    made, noted = output(kind)
    assert len(made) == 1
    assert noted[0] == "R3"


@pytest.mark.parametrize("results", [(), (text("no picture"),)])
def test_what_a_computer_shows_cannot_be_made_up(results: tuple[ToolResultPart, ...]) -> None:
    made, noted = output("computer_call", *results)
    assert made == []
    assert "R3" in noted


def message(*parts: Part, role: Role = Role.USER) -> Request:
    return Request(messages=(Message(role, parts),))


def test_a_message_without_content_is_left_out_or_refused() -> None:
    made = Request(messages=(Message.user(()), Message.user("x"))).render(NAME, model=MODEL)
    assert made.body["input"] == [{"role": "user", "content": "x"}]
    assert [(note.place, note.rule) for note in made.notes] == [("messages[0]", "R13")]
    with pytest.raises(UnreplayableError):
        message().render(NAME, model=MODEL, policy=RenderPolicy(blank_text=BlankText.REFUSE))


def test_results_beside_other_parts_come_first() -> None:
    path = (answer(call("c")), Message(Role.USER, (TextPart("so?"), text("1"))))
    made = Request(messages=path).render(NAME, model=MODEL)
    assert [item.get("type") for item in made.body["input"]] == [
        "function_call",
        "function_call_output",
        None,
    ]
    assert [note.rule for note in made.notes] == ["R5"]


def test_cache_markers_have_no_form() -> None:
    marked = TextPart("x", cache_marker=ExactJson('{"type":"ephemeral"}'))
    made = message(marked, marked).render(NAME, model=MODEL)
    assert [(note.place, note.rule) for note in made.notes] == [("messages[0].parts[0]", "X5")]
