"""The table of members is that of the SDK that is installed."""

import pytest
from openai.types.responses import response_input_item_param as items
from openai.types.responses.response_input_message_content_list_param import ResponseInputContentParam
from openai.types.responses.response_output_message_param import Content
from typing_extensions import get_type_hints

from convotree.domain.exact_json import ExactJson
from convotree.replay.openai_responses.item_kinds import (
    CALL_MEMBERS,
    CALL_OUTPUTS,
    CONTROL_ITEMS,
    HOSTED_CALL_MEMBERS,
    HOSTED_RESULT_MEMBERS,
    ID_PREFIXES,
    OUTPUT_MEMBERS,
)
from convotree.replay.openai_responses.item_members import (
    ITEM_MEMBERS,
    PIECE_MEMBERS,
    drop_member,
    foreign_members,
)
from convotree.replay.sdk_validation import _flat, _literals

# The documentation names the call of a local shell by its call_id, the types by its id.
DOCUMENTED = {"local_shell_call_output": {"call_id"}}


def members_of(union: object) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for member in _flat(union):
        hints = get_type_hints(member)
        for kind in _literals(hints["type"]):
            found.setdefault(kind, set()).update(hints)
    return found


def test_items() -> None:
    known = members_of(items.ResponseInputItemParam)
    for kind, members in DOCUMENTED.items():
        known[kind] |= members
    assert {kind: set(members) for kind, members in ITEM_MEMBERS.items()} == known


def test_content() -> None:
    known = members_of(ResponseInputContentParam) | members_of(Content)
    assert {kind: set(members) for kind, members in PIECE_MEMBERS.items()} == known


def test_every_kind_with_a_role_of_its_own_is_an_item() -> None:
    named = {*CALL_MEMBERS, *CALL_OUTPUTS, *CONTROL_ITEMS, *HOSTED_CALL_MEMBERS, *HOSTED_RESULT_MEMBERS}
    assert {*named, *OUTPUT_MEMBERS, *ID_PREFIXES} <= ITEM_MEMBERS.keys()
    for kind, name in {**CALL_MEMBERS, **OUTPUT_MEMBERS, **HOSTED_CALL_MEMBERS}.items():
        assert name is None or name in ITEM_MEMBERS[kind]


@pytest.mark.parametrize(
    ("kind", "body", "way", "left"),
    [
        ("compaction", {"id": "c", "created_by": "x"}, ("created_by",), {"id": "c"}),
        ("reasoning", {"id": "r", "status": None}, ("status",), {"id": "r"}),
        ("message", {"content": [{"type": "input_text", "odd": 1}]}, ("content", "0", "odd"), None),
    ],
)
def test_a_member_that_no_request_has_can_be_dropped(
    kind: str, body: dict[str, object], way: tuple[str, ...], left: object
) -> None:
    assert list(foreign_members(kind, body)) == [way]
    drop_member(body, way)
    assert body == (left or {"content": [{"type": "input_text"}]})


def test_an_action_is_looked_into() -> None:
    body = {"action": ExactJson('{"type":"search","query":"q","queries":null,"sources":[]}')}
    ways = list(foreign_members("web_search_call", body))
    assert ways == [("action", "queries"), ("action", "sources")]
    drop_member(body, ways[0])
    drop_member(body, ways[1])
    assert list(foreign_members("web_search_call", body)) == []


def test_of_an_unknown_item_nothing_is_foreign() -> None:
    assert list(foreign_members("hologram", {"odd": 1})) == []
