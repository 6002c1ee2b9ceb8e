"""Ids are replaced in calls and results alike, and only where they must be."""

from convotree.domain.message import Message
from convotree.domain.parts import TextPart
from convotree.replay import RenderPolicy, Request, ToolCallIds
from tests.replay.samples import answer, call, result

PATH = (
    Message.user("go"),
    answer(call("a:1"), call("fine"), provider="anthropic"),
    result("a:1", "fine"),
    answer(TextPart("and"), call("b:2"), provider="google"),
    result("b:2"),
)


def ids(policy: RenderPolicy | None = None) -> list[tuple[str, str]]:
    body = Request(messages=PATH).render("anthropic", model="claude-opus-4-8", policy=policy).body
    calls = [
        one["id"] for at in (1, 3) for one in body["messages"][at]["content"] if one["type"] == "tool_use"
    ]
    results = [one["tool_use_id"] for at in (2, 4) for one in body["messages"][at]["content"]]
    return list(zip(calls, results, strict=True))


def test_call_and_result_keep_together() -> None:
    (odd, _), (fine, _), (foreign, _) = pairs = ids()
    assert all(used == answered for used, answered in pairs)
    assert fine == "fine"
    assert odd.startswith("a_1_")
    assert foreign.startswith("b_2_")


def test_only_those_of_other_providers_by_choice() -> None:
    (odd, _), (fine, _), (foreign, _) = ids(RenderPolicy(tool_call_ids=ToolCallIds.MAP_FOREIGN))
    assert (odd, fine) == ("a:1", "fine")
    assert foreign.startswith("b_2_")


def test_each_replaced_id_is_noted_at_its_call() -> None:
    notes = Request(messages=PATH).render("anthropic", model="claude-opus-4-8").notes
    assert [(note.place, note.rule) for note in notes] == [
        ("messages[1].parts[0].tool_call_id", "A11"),
        ("messages[3].parts[1].tool_call_id", "A11"),
    ]
