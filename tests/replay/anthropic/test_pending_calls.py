"""Hosted calls that still run: which tools they need, and that they are left out without."""

from __future__ import annotations

from typing import Any

import pytest

from convotree.errors import UnreplayableError
from convotree.replay import HostedOrphans, RenderPolicy, Request

MODEL = "claude-sonnet-4-5"


def paused(name: str, *tools: str, text: str = "I look.") -> dict[str, Any]:
    call = {"type": "server_tool_use", "id": "srvtoolu_1", "name": name, "input": {}}
    return {
        "tools": [{"type": one, "name": one.rsplit("_", 1)[0]} for one in tools],
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [{"type": "text", "text": text}, call]},
        ],
    }


@pytest.mark.parametrize(
    ("name", "tools", "found"),
    [
        ("web_search", ["web_search_20250305"], 0),
        ("web_search", ["web_fetch_20250910"], 1),
        ("web_search", [], 1),
        ("bash_code_execution", ["code_execution_20260120"], 0),
        ("text_editor_code_execution", ["code_execution_20260120"], 0),
        ("tool_search_tool_regex", ["tool_search_tool_regex_20251119"], 0),
        ("advisor", [], 1),
    ],
)
def test_a_pending_call_needs_its_tool(name: str, tools: list[str], found: int) -> None:
    findings = Request.from_provider("anthropic", paused(name, *tools)).check("anthropic", model=MODEL)
    assert [(one.rule, one.place) for one in findings] == [("A10", "messages[1].parts[1]")] * found


def test_it_is_left_out_without_or_refused() -> None:
    request = Request.from_provider("anthropic", paused("web_search"))
    made = request.render("anthropic", model=MODEL)
    assert made.body["messages"][1]["content"] == [{"type": "text", "text": "I look."}]
    assert [(one.rule, one.place) for one in made.notes] == [("A10", "messages[1].parts[1]")]
    kept = request.render(
        "anthropic", model=MODEL, policy=RenderPolicy(hosted_orphans=HostedOrphans.AS_STORED)
    )
    assert len(kept.body["messages"][1]["content"]) == 2
    with pytest.raises(UnreplayableError) as caught:
        request.render("anthropic", model=MODEL, policy=RenderPolicy(hosted_orphans=HostedOrphans.REFUSE))
    assert (caught.value.rule, caught.value.place) == ("A10", "messages[1].parts[1]")
