"""Lanes: forks in bounded form, over far more of them than one page or book holds."""

import pytest

from convotree.domain.lanes import (
    FORKS_PER_PATH,
    PAGE,
    SEGMENT_LENGTH,
    ForkPointer,
    Forks,
    LaneRange,
    segment_of,
)
from convotree.identity import Key


def key(number: int) -> Key:
    return Key(f"lane-{number}")


def grow(count: int) -> tuple[dict[Key, Forks], list[LaneRange]]:
    """A path that leaves its lane at every second depth: the forks of each lane start, and all ranges, oldest first."""
    forks = {key(0): Forks()}
    ranges: list[LaneRange] = []
    for number in range(count):
        left = LaneRange(key(number), 2 * number, 2 * number + 1)
        grown = forks[key(number)].extended(key(number), left)
        assert grown is not None
        forks[key(number + 1)] = grown
        ranges.append(left)
    return forks, ranges


def ranges_of(start: Key, forks: dict[Key, Forks]) -> list[LaneRange]:
    """All ranges that lead to a lane start, put together as a reader does: books, pages, tail."""
    own = forks[start]
    pages: list[Key] = []
    for book in own.books:
        pages += [page.key for page in forks[book.key].pages]
        pages.append(book.key)
    pages += [page.key for page in own.pages]
    found: list[LaneRange] = []
    for page in pages:
        assert len(forks[page].tail) == PAGE
        found += forks[page].tail
    return [*found, *own.tail]


@pytest.mark.parametrize(
    "count", [0, 1, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, PAGE * PAGE - 1, PAGE * PAGE, PAGE * PAGE + 1, 9_000]
)
def test_every_range_is_found_again_in_order(count: int) -> None:
    forks, ranges = grow(count)

    assert ranges_of(key(count), forks) == ranges
    assert forks[key(count)].count == count


def test_no_lane_start_keeps_more_than_its_bounds() -> None:
    forks, _ = grow(2 * PAGE * PAGE + 3 * PAGE + 5)

    assert max(len(one.tail) for one in forks.values()) == PAGE
    assert max(len(one.pages) for one in forks.values()) == PAGE - 1
    assert max(len(one.books) for one in forks.values()) == 2


def test_a_path_holds_a_bounded_number_of_forks() -> None:
    pointers = tuple(ForkPointer(key(number), number) for number in range(PAGE))
    full_tail = tuple(LaneRange(key(number), number, number) for number in range(PAGE))
    last = Forks(full_tail, pointers[: PAGE - 1], pointers[: PAGE - 1])

    assert last.count == FORKS_PER_PATH
    assert last.extended(key(1), LaneRange(key(1), 1, 1)) is None


def test_a_depth_is_located_through_at_most_two_pointers() -> None:
    count = PAGE * PAGE + 2 * PAGE + 7
    forks, ranges = grow(count)

    for one in ranges:
        for depth in (one.start, one.upto):
            start, asked = key(count), 0
            found = forks[start].lane_at(depth)
            while isinstance(found, ForkPointer):
                asked += 1
                found = forks[found.key].lane_at(depth)
            assert found == one
            assert asked <= 2
    assert forks[key(count)].lane_at(2 * count) is None


def test_a_segment_is_a_stretch_of_one_lane() -> None:
    assert segment_of(key(1), 0) == segment_of(key(1), SEGMENT_LENGTH - 1) == "lane-1:0"
    assert segment_of(key(1), SEGMENT_LENGTH) == "lane-1:1"
    assert segment_of(key(2), 0) != segment_of(key(1), 0)
