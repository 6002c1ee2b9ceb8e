"""Where a system message may stand (rule A21), and what becomes of those that cannot stay."""

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.replay import Request
from convotree.replay.anthropic.system_messages import as_user_messages, misplaced_system_messages
from convotree.replay.anthropic.wire import WireMessage
from convotree.replay.notebook import WHOLE, Notebook


def messages(*roles: str) -> list[WireMessage]:
    """``hosted``: an answer that ends in the result of a hosted call."""
    made = []
    for index, role in enumerate(roles):
        content: Any = [{"type": "web_search_tool_result"}] if role == "hosted" else "x"
        made.append(WireMessage("assistant" if role == "hosted" else role, content, [], (index, WHOLE)))
    return made


@pytest.mark.parametrize(
    ("roles", "legal"),
    [
        (["user", "system"], True),
        (["user", "system", "assistant"], True),
        (["user", "system", "system"], True),
        (["hosted", "system"], True),
        (["hosted", "system", "assistant"], True),
        (["system"], False),
        (["system", "user"], False),
        (["user", "system", "user"], False),
        (["user", "assistant", "system"], False),
        (["user", "system", "system", "user"], False),
    ],
)
def test_places(roles: list[str], legal: bool) -> None:
    made = messages(*roles)
    assert (list(misplaced_system_messages(made, taken=True)) == []) is legal
    notebook = Notebook("anthropic", ())
    as_user_messages(made, notebook, taken=None)
    assert ("system" in [one.role for one in made]) is legal
    assert bool(notebook.notes()) is not legal


def test_each_run_is_judged_on_its_own() -> None:
    made = messages("user", "system", "user", "system", "assistant")
    as_user_messages(made, Notebook("anthropic", ()), taken=True)
    assert [one.role for one in made] == ["user", "user", "user", "system", "assistant"]


def test_a_model_that_takes_none_takes_none_anywhere() -> None:
    made = messages("user", "system", "assistant", "user")
    assert list(misplaced_system_messages(made, taken=False)) == [(1, 1)]
    as_user_messages(made, Notebook("anthropic", ()), taken=False)
    assert [one.role for one in made] == ["user", "user", "assistant", "user"]


def test_one_that_only_sets_how_hard_the_model_tries_may_stand_anywhere() -> None:
    made = messages("user", "assistant", "system", "user")
    made[2] = WireMessage("system", [], [], (2, WHOLE), {"output_config": ExactJson('{"effort":"low"}')})
    assert list(misplaced_system_messages(made, taken=True)) == []
    notebook = Notebook("anthropic", ())
    as_user_messages(made, notebook, taken=False)
    assert [one.role for one in made] == ["user", "assistant", "user"]
    assert [(one.rule, one.place) for one in notebook.notes()] == [("A21", "messages[2]")]


def test_what_only_a_system_message_holds_is_left_out_of_the_users() -> None:
    addition = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "look"}}
    body = {
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "so"},
            {"role": "system", "content": [addition], "clear_at": "x"},
            {"role": "system", "content": [addition, {"type": "text", "text": "Be brief."}], "clear_at": "x"},
            {"role": "user", "content": "on"},
        ]
    }
    request = Request.from_provider("anthropic", body)
    made = request.render("anthropic", model="claude-opus-4-8")
    assert made.body["messages"][2:] == [
        {"role": "user", "content": [{"type": "text", "text": "Be brief."}]},
        {"role": "user", "content": "on"},
    ]
    assert [(one.rule, one.place) for one in made.notes] == [("A21", "messages[2]"), ("A21", "messages[3]")]
