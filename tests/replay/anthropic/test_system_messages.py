"""Where a system message may stand (rule A21)."""

from typing import Any

import pytest

from convotree.replay.anthropic.system_messages import as_user_messages, system_is_legal
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
    first = roles.index("system")
    last = len(roles) - 1 - roles[::-1].index("system")
    assert system_is_legal(made, first, last) is legal
    notebook = Notebook("anthropic", ())
    as_user_messages(made, notebook)
    assert ("system" in [one.role for one in made]) is legal
    assert bool(notebook.notes()) is not legal


def test_each_run_is_judged_on_its_own() -> None:
    made = messages("user", "system", "user", "system", "assistant")
    as_user_messages(made, Notebook("anthropic", ()))
    assert [one.role for one in made] == ["user", "user", "user", "system", "assistant"]
