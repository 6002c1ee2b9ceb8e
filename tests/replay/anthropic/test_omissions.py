"""What goes because nothing else needs it: undeclared tools' blocks. Summaries and last answers: test_repairs."""

from __future__ import annotations

from typing import Any

import pytest

from convotree.errors import UnreplayableError
from convotree.replay import HostedOrphans, RenderPolicy, Request, Unsupported
from tests.replay.anthropic.test_declared_tools import ADVISOR, LOOK, PAIR, REFERENCE
from tests.replay.samples import errors

MODEL = "claude-opus-4-8"


def rendered(
    body: dict[str, Any], policy: RenderPolicy | None = None
) -> tuple[list[Any], list[tuple[str, str]]]:
    made = Request.from_provider("anthropic", body).render("anthropic", model=MODEL, policy=policy)
    again = Request.from_provider("anthropic", made.to_json())
    if policy is None:
        assert errors(again.check("anthropic", model=MODEL)) == []
    return made.body["messages"], [(one.rule, one.place) for one in made.notes]


def body(*blocks: Any, tools: list[Any] | None = None) -> dict[str, Any]:
    return {
        "tools": tools or [],
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": list(blocks)},
            {"role": "user", "content": "on"},
        ],
    }


TEXT = {"type": "text", "text": "So."}


def test_the_advisors_pair_goes_without_the_advisor() -> None:
    messages, notes = rendered(body(TEXT, *PAIR))
    assert messages[1]["content"] == [TEXT]
    assert notes == [("A10", "messages[1].parts[1]"), ("A10", "messages[1].parts[2]")]


def test_a_message_of_nothing_else_goes_with_it() -> None:
    assert [one["content"] for one in rendered(body(*PAIR))[0]] == ["go", "on"]


def test_it_stays_beside_the_advisor_or_by_choice() -> None:
    asked = body(TEXT, *PAIR, tools=[ADVISOR])
    assert rendered(asked) == (asked["messages"], [])
    without = body(TEXT, *PAIR)
    assert rendered(without, RenderPolicy(hosted_orphans=HostedOrphans.AS_STORED)) == (
        without["messages"],
        [],
    )
    with pytest.raises(UnreplayableError) as caught:
        rendered(without, RenderPolicy(hosted_orphans=HostedOrphans.REFUSE))
    assert (caught.value.rule, caught.value.place) == ("A10", "messages[1].parts[1]")


@pytest.mark.parametrize("beside", [[], [{"type": "text", "text": "See."}]])
def test_references_to_tools_that_are_gone_go(beside: list[Any]) -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {}}
    reference = {"type": "tool_reference", "tool_name": "look"}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [*beside, reference]}
    asked = {
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
    }
    messages, notes = rendered(asked)
    assert messages[2]["content"][0].get("content", []) == beside
    assert notes == [("A10", f"messages[2].parts[0].content[{len(beside)}]")]
    assert rendered({**asked, "tools": [LOOK]}) == (asked["messages"], [])
    with pytest.raises(UnreplayableError):
        rendered(asked, RenderPolicy(unsupported=Unsupported.REFUSE))


def test_a_change_of_tools_that_are_gone_goes() -> None:
    asked = {"messages": [{"role": "user", "content": "go"}, {"role": "system", "content": [REFERENCE]}]}
    messages, notes = rendered(asked)
    assert [one["role"] for one in messages] == ["user"]
    assert notes == [("A10", "messages[1].parts[0]")]
