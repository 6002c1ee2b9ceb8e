"""Rows: what lies past a range is dropped, order is made by depth, and what a header names must be there."""

from typing import Any

import pytest

from convotree.domain.message import Message
from convotree.domain.prompt import PromptVersion, ToolSet
from convotree.errors import CorruptTreeError
from convotree.storage.documents import (
    header_document,
    prompt_document,
    revision_document,
    tool_set_document,
)
from convotree.storage.rows import PathRead, PlaceRead, SelectionRead, SiblingsRead, Target
from tests.domain.stored_values import Grove

PROMPT = PromptVersion.of("Be brief.")
TOOLS = ToolSet.of([{"name": "f"}])


def grove() -> Grove:
    one = Grove()
    one.add("q", None)
    for number in range(5):
        one.add(f"m{number}", "q" if number == 0 else f"m{number - 1}")
    return one


def head(one: Grove, leaf: str, **fields: Any) -> dict[str, Any]:
    document = header_document(one.header(leaf))
    return {"header": document | {"leaf": revision_document(one.revisions[leaf])} | fields}


def row(one: Grove, name: str, start: int, upto: int) -> dict[str, Any]:
    return {"from": start, "upto": upto, "r": revision_document(one.revisions[name])}


def test_no_row_is_no_conversation() -> None:
    assert PathRead.of([]) is None
    assert SiblingsRead.of([]) is None
    assert PlaceRead.of([]) is None
    assert SelectionRead.of([]) is None


def test_what_lies_past_a_range_is_dropped_and_the_rest_is_put_in_order() -> None:
    one = grove()
    rows = [head(one, "m2"), *(row(one, name, 0, 3) for name in ("m3", "m1", "q", "m4", "m0", "m2"))]

    read = PathRead.of(rows)

    assert read is not None
    assert [revision.id for revision in read.revisions] == ["q", "m0", "m1", "m2"]
    assert [revision.id for revision in read.revisions if revision.selected] == ["m2"]
    assert read.target is not None
    assert (read.target.point, read.target.parent_id) == (one.revisions["m2"].point, "m1")


def test_a_segment_without_revisions_gives_a_row_without_one() -> None:
    one = grove()

    read = PathRead.of([head(one, "q"), {"from": 0, "upto": 0}, row(one, "q", 0, 0)])

    assert read is not None
    assert [revision.id for revision in read.revisions] == ["q"]


def test_prompt_and_tools_come_with_the_header() -> None:
    one = grove()
    fields = {
        "chosen_prompt": "k",
        "prompt": [prompt_document("tenant", PROMPT)],
        "chosen_tools": "l",
        "tools": [tool_set_document("tenant", TOOLS)],
    }

    read = PathRead.of([head(one, "q", **fields)])

    assert read is not None
    assert (read.prompt, read.tool_set) == (PROMPT, TOOLS)


@pytest.mark.parametrize(("key", "into"), [("chosen_prompt", "prompt"), ("chosen_tools", "tools")])
def test_a_prompt_that_is_named_and_not_there_is_damage(key: str, into: str) -> None:
    with pytest.raises(CorruptTreeError) as caught:
        PathRead.of([head(grove(), "q", **{key: "k", into: []})])

    assert into in caught.value.problem


@pytest.mark.parametrize("depth", [None, "1", [1], True])
def test_a_depth_that_is_no_number_is_damage(depth: object) -> None:
    one = grove()
    damaged = row(one, "q", 0, 3)
    damaged["r"]["depth"] = depth

    with pytest.raises(CorruptTreeError):
        PathRead.of([head(one, "q"), damaged])


def test_siblings_are_put_in_order() -> None:
    one = Grove()
    for name in ("a", "b", "c"):
        one.add(name, None, Message.user(name))
    rows = [
        head(one, "b", all=[{"ordinal": 2}, {"ordinal": 0}, {"ordinal": 1}]),
        {"r": revision_document(one.revisions["c"])},
        {"r": revision_document(one.revisions["b"])},
    ]

    read = SiblingsRead.of(rows)

    assert read is not None
    assert read.ordinals == (0, 1, 2)
    assert [revision.id for revision in read.page] == ["b", "c"]


def test_a_target_is_a_revision_without_its_content() -> None:
    one = grove()
    document = revision_document(one.revisions["m0"])
    del document["parts"]

    target = Target.of(document)

    assert target is not None
    assert (target.point, target.parent_id, target.ordinal, target.role) == (
        one.revisions["m0"].point,
        "q",
        0,
        "user",
    )
    assert Target.of(None) is None
    del document["ordinal"]
    with pytest.raises(CorruptTreeError):
        Target.of(document)


@pytest.mark.parametrize(("counter", "expected"), [([], 0), ([{"next": 4}], 4)])
def test_a_place_tells_where_the_counter_stands(counter: list[dict[str, int]], expected: int) -> None:
    one = grove()
    document = head(one, "q")["header"]

    place = PlaceRead.of([document | {"counter": counter}])

    assert place is not None
    assert (place.next_ordinal, place.start, place.parent) == (expected, None, None)
