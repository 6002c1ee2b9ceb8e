"""Position memory and the ancestor test by coordinates."""

import random

import pytest

from convotree.domain.lanes import ForkPointer, Forks, LaneRange
from convotree.domain.limits import MAX_REMEMBERED_LEAVES
from convotree.domain.selection import is_below, memory_after, remembered
from convotree.domain.stored import LaneStart
from convotree.identity import Key
from tests.domain.stored_values import Grove


def is_below_for_sure(grove: Grove, inner: str, leaf: str) -> bool:
    """The ancestor test with every lane start at hand, reading one more where it is asked for."""
    starts: dict[Key, LaneStart] = {}
    leaf_point = grove.revisions[leaf].point
    starts[leaf_point.lane_key] = grove.starts[leaf_point.lane_key]
    for _ in range(4):
        answer = is_below(grove.revisions[inner].point, leaf_point, starts)
        if not isinstance(answer, ForkPointer):
            return answer
        starts[answer.key] = grove.starts[answer.key]
    pytest.fail("more than a book and a page were asked for")


def ancestors(grove: Grove, name: str) -> set[str]:
    found = {name}
    parent = grove.revisions[name].parent_id
    while parent is not None:
        found.add(parent)
        parent = grove.revisions[parent].parent_id
    return found


@pytest.mark.parametrize("seed", range(10))
def test_coordinates_tell_what_parents_tell(seed: int) -> None:
    chance = random.Random(seed)
    grove = Grove()
    names: list[str] = []
    for number in range(60):
        parent = chance.choice([None, *names]) if chance.random() < 0.3 else (names[-1] if names else None)
        grove.add(str(number), parent)
        names.append(str(number))

    for leaf in names:
        above = ancestors(grove, leaf)
        for inner in names:
            assert is_below_for_sure(grove, inner, leaf) == (inner in above), (inner, leaf)


def test_beyond_a_page_of_forks_older_lane_starts_are_asked_for() -> None:
    grove = Grove()
    grove.add("0", None)
    for number in range(1, 200):  # at each step the first child is passed over for the second
        grove.add(f"{number}-passed", "0" if number == 1 else str(number - 1))
        grove.add(str(number), "0" if number == 1 else str(number - 1))

    for inner in range(0, 200, 7):
        assert is_below_for_sure(grove, str(inner), "199")
        if inner:
            assert not is_below_for_sure(grove, f"{inner}-passed", "199")


def test_damaged_forks_that_lead_to_each_other_end() -> None:
    grove = Grove()
    inner = grove.add("a", None).point
    leaf = grove.add("b", "a").point
    other = Key("elsewhere")
    ring = Forks((), (ForkPointer(other, 99),))
    moved = grove.add("z", None).point

    assert not is_below(
        inner, moved, {moved.lane_key: LaneStart(other, 0, ring), other: LaneStart(other, 0, ring)}
    )
    assert is_below(inner, leaf, {})


def test_a_lane_start_that_is_not_there_decides_nothing() -> None:
    grove = Grove()
    inner, other = grove.add("a", None).point, grove.add("z", None).point

    assert is_below(inner, other, {}) is False
    assert is_below(
        inner, other, {other.lane_key: LaneStart(other.key, 0, Forks((LaneRange(inner.key, 0, 0),)))}
    )


def test_the_newest_leaf_is_remembered_first_and_each_once() -> None:
    grove = Grove()
    points = [grove.add(str(number), None).point for number in range(MAX_REMEMBERED_LEAVES + 5)]
    memory = memory_after((), None)
    for point in points:
        memory = memory_after(memory, point)

    again = memory_after(memory, points[-3])

    assert memory[0] == remembered(points[-1])
    assert len(memory) == len(again) == MAX_REMEMBERED_LEAVES
    assert again[0] == remembered(points[-3])
    assert len({one.key for one in again}) == len(again)
    assert memory_after(memory, None) == memory
