"""Verification: nothing found in what was planned, and each damage found as its own kind, once."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.lanes import Forks, LaneRange
from convotree.domain.message import Message
from convotree.domain.parts import ToolCallPart
from convotree.domain.verification import RevisionFacts, ViolationKind, check_tree
from convotree.identity import Key
from tests.domain.stored_values import Grove


@pytest.fixture
def grove() -> Grove:
    """Two roots, three lanes, answers, a tool call with its result."""
    one = Grove()
    one.add("q", None)
    one.add("a", "q", Message.assistant([ToolCallPart("c", "f", ExactJson("{}"))]))
    one.add("r", "a", Message.tool_result("c", "x"))
    one.add("b", "r", Message.assistant("b"))
    one.add("a2", "q", Message.assistant("a2"))
    one.add("f", "a2")
    one.add("g", "a2")
    one.add("h", "g", Message.assistant("h"))
    one.add("z", None)
    return one


def kinds(
    grove: Grove, facts: dict[str, RevisionFacts], selected: str | None = "b"
) -> list[tuple[str | None, ViolationKind]]:
    return [(one.revision_id, one.kind) for one in check_tree(grove.header(selected), facts.values())]


def test_a_tree_as_it_was_planned_has_no_violation(grove: Grove) -> None:
    assert kinds(grove, grove.facts()) == []
    assert kinds(grove, grove.facts(), None) == []


def test_a_long_tree_with_many_forks_has_no_violation() -> None:
    grove = Grove()
    grove.add("0", None)
    for number in range(1, 300):
        grove.add(f"{number}-passed", str(number - 1))
        grove.add(str(number), str(number - 1))

    assert kinds(grove, grove.facts(), "299") == []


OTHER = Key("other")
DAMAGES: list[tuple[str, Callable[[RevisionFacts], RevisionFacts], ViolationKind]] = [
    ("r", lambda one: replace(one, point=replace(one.point, depth=9)), ViolationKind.WRONG_DEPTH),
    ("r", lambda one: replace(one, point=replace(one.point, lane_key=OTHER)), ViolationKind.WRONG_LANE),
    ("g", lambda one: replace(one, point=replace(one.point, lane_id="q")), ViolationKind.WRONG_LANE),
    ("r", lambda one: replace(one, segment="other:0"), ViolationKind.WRONG_SEGMENT),
    ("g", lambda one: replace(one, forks=Forks((LaneRange(OTHER, 0, 1),))), ViolationKind.WRONG_FORKS),
    ("g", lambda one: replace(one, forks=None), ViolationKind.WRONG_FORKS),
    ("r", lambda one: replace(one, forks=Forks()), ViolationKind.WRONG_FORKS),
    ("a", lambda one: replace(one, point=replace(one.point, open_calls=())), ViolationKind.WRONG_CONTEXT),
    ("h", lambda one: replace(one, point=replace(one.point, prompt_key=OTHER)), ViolationKind.WRONG_CONTEXT),
    ("f", lambda one: replace(one, point=replace(one.point, answered=False)), ViolationKind.WRONG_CONTEXT),
    ("r", lambda one: replace(one, content_intact=False, element=bytes(32)), ViolationKind.CHANGED_CONTENT),
    ("a", lambda one: replace(one, point=replace(one.point, chain=bytes(32))), ViolationKind.WRONG_CHAIN),
    ("a", lambda one: replace(one, prefix=bytes(32)), ViolationKind.WRONG_PREFIX),
    ("r", lambda one: replace(one, point=replace(one.point, key=OTHER)), ViolationKind.WRONG_KEY),
    ("r", lambda one: replace(one, parent_key=OTHER), ViolationKind.WRONG_KEY),
]


@pytest.mark.parametrize(("name", "damage", "kind"), DAMAGES, ids=lambda value: getattr(value, "value", None))
def test_one_damaged_field_is_one_violation(
    grove: Grove, name: str, damage: Callable[[RevisionFacts], RevisionFacts], kind: ViolationKind
) -> None:
    facts = grove.facts()
    facts[name] = damage(facts[name])

    assert kinds(grove, facts) == [(name, kind)]


def test_a_missing_parent_is_named_once_and_what_hangs_below_is_checked(grove: Grove) -> None:
    facts = grove.facts()
    del facts["a"]
    facts["b"] = replace(facts["b"], segment="other:0")

    found = kinds(grove, facts)

    assert found == [("r", ViolationKind.MISSING_PARENT), ("b", ViolationKind.WRONG_SEGMENT)]


def test_the_forks_below_a_missing_lane_start_are_not_guessed(grove: Grove) -> None:
    facts = grove.facts()
    del facts["a2"]

    assert kinds(grove, facts) == [("f", ViolationKind.MISSING_PARENT), ("g", ViolationKind.MISSING_PARENT)]


@pytest.mark.parametrize("ring", [("r",), ("a", "r")])
def test_a_cycle_is_one_violation_however_much_hangs_below_it(grove: Grove, ring: tuple[str, ...]) -> None:
    facts = grove.facts()
    facts[ring[0]] = replace(facts[ring[0]], parent_id=ring[-1], ordinal=9)

    assert kinds(grove, facts) == [(min(ring), ViolationKind.CYCLE)]


@pytest.mark.parametrize("parent", ["a", "q", None])
def test_an_id_that_is_there_twice_ends_and_is_named(grove: Grove, parent: str | None) -> None:
    facts = grove.facts()
    facts["another"] = replace(facts["a"], parent_id=parent, ordinal=7)

    assert kinds(grove, facts) == [("a", ViolationKind.WRONG_KEY)]


def test_two_of_one_ordinal(grove: Grove) -> None:
    facts = grove.facts()
    facts["twin"] = replace(facts["g"], point=replace(facts["g"].point, id="twin"))

    assert ("twin", ViolationKind.DUPLICATE_ORDINAL) in kinds(grove, facts)


def test_a_selected_leaf_that_is_not_there(grove: Grove) -> None:
    facts = grove.facts()
    del facts["b"]

    assert kinds(grove, facts) == [(None, ViolationKind.DANGLING_SELECTED_LEAF)]


def test_a_selected_leaf_whose_coordinates_differ(grove: Grove) -> None:
    header = grove.header("b")
    assert header.selected is not None
    moved = replace(header, selected=replace(header.selected, depth=9))

    found = check_tree(moved, grove.facts().values())

    assert [(one.revision_id, one.kind) for one in found] == [(None, ViolationKind.WRONG_SELECTED_LEAF)]


def test_a_long_chain_needs_no_recursion() -> None:
    grove = Grove()
    for number in range(20_000):
        grove.add(str(number), str(number - 1) if number else None)

    assert kinds(grove, grove.facts(), "19999") == []
