"""Ids of tool calls in a target's own alphabet and length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.replay.anthropic.target import TARGET as ANTHROPIC
from convotree.replay.openai_chat.target import TARGET as CHAT
from convotree.replay.target import Target
from convotree.replay.tool_call_ids import IdMap

_ids = st.lists(st.one_of(st.text(max_size=60), st.sampled_from(["c1", "a:b", "a_b", "x" * 41])), max_size=20)
TARGETS = pytest.mark.parametrize("target", [ANTHROPIC, CHAT], ids=["anthropic", "chat"])


@TARGETS
@given(ids=_ids)
def test_ids_fit_stay_apart_and_keep_those_that_fit(target: Target, ids: list[str]) -> None:
    id_map = IdMap(target, ids)
    mapped = {one: id_map.id_for(one) for one in ids}
    assert all(id_map.fits(one) for one in mapped.values())
    assert len(set(mapped.values())) == len(mapped)
    assert all(mapped[one] == one for one in ids if id_map.fits(one))
    assert {
        one: IdMap(target, ids).id_for(one) for one in ids if not id_map.fits(one)
    }.items() <= mapped.items()


@TARGETS
def test_a_native_id_that_looks_derived_is_not_taken(target: Target) -> None:
    odd = "x" * 41 if target is CHAT else "toolu:1"
    derived = IdMap(target, [odd]).id_for(odd)
    assert IdMap(target, [odd, derived]).id_for(odd) != derived


def test_what_is_derived_can_be_read() -> None:
    assert IdMap(ANTHROPIC, []).id_for("toolu:1").startswith("toolu_1_")
    assert IdMap(ANTHROPIC, []).id_for("").startswith("call_")


def test_a_repeat_gets_one_id_for_call_and_result() -> None:
    id_map = IdMap(ANTHROPIC, ["c1"])
    assert id_map.another_for("c1", 2) == id_map.another_for("c1", 2)
    assert len({"c1", id_map.another_for("c1", 2), id_map.another_for("c1", 3)}) == 3


@pytest.mark.parametrize(("one", "fits"), [("toolu_1-A", True), ("", False), ("a:b", False), ("a\n", False)])
def test_anthropics_alphabet(one: str, fits: bool) -> None:
    assert IdMap(ANTHROPIC, []).fits(one) is fits


@pytest.mark.parametrize(
    ("one", "fits"), [("c" * 40, True), ("c" * 41, False), ("f.x:0", True), ("\x00", False)]
)
def test_chats_length(one: str, fits: bool) -> None:
    assert IdMap(CHAT, []).fits(one) is fits
