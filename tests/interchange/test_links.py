"""Links to trees: any order of records, links that do not fit, cycles, and any depth."""

import random
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.errors import InvalidFileError
from convotree.interchange.links import Forest, LinkedRecord, arrange
from convotree.interchange.problems import Problems

DEPTH = 20_000


def arranged(*records: LinkedRecord) -> tuple[Forest, list[tuple[str, str]]]:
    problems = Problems("f")
    forest = arrange(records, problems, place="here")
    return forest, [(problem.place, problem.what) for problem in problems.found()]


def record(record_id: str, parent_id: str | None, children: tuple[str, ...] | None = None) -> LinkedRecord:
    return LinkedRecord(record_id, parent_id, f"at {record_id}", children)


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str | None]:
    """Parents by id, in an order in which a parent precedes its children."""
    size = draw(st.integers(1, 30))
    return {
        f"r{number}": f"r{parent}" if (parent := draw(st.integers(-1, number - 1))) >= 0 else None
        for number in range(size)
    }


def listed_children(parents: Mapping[str, str | None]) -> dict[str, tuple[str, ...]]:
    return {one: tuple(child for child in parents if parents[child] == one) for one in parents}


@given(trees(), st.randoms(use_true_random=False))
def test_records_in_any_order_give_the_same_tree_with_siblings_as_listed(
    parents: dict[str, str | None], rng: random.Random
) -> None:
    listed = listed_children(parents)
    roots = [one for one in parents if parents[one] is None]
    others = [one for one in parents if parents[one] is not None]
    rng.shuffle(others)
    where = rng.randrange(len(others) + 1)
    forest, problems = arranged(
        *(record(one, parents[one], listed[one]) for one in [*others[:where], *roots, *others[where:]])
    )

    assert forest.parents == parents
    assert {one: tuple(children) for one, children in forest.children.items()} == listed
    assert list(forest.roots) == roots
    assert problems == []
    position = {one: number for number, one in enumerate(forest.order)}
    assert set(position) == set(parents)
    assert all(parent is None or position[parent] < position[one] for one, parent in parents.items())


@given(trees(), st.sets(st.integers(0, 29)))
def test_left_out_records_give_their_place_to_what_hangs_below_them(
    parents: dict[str, str | None], numbers: set[int]
) -> None:
    left_out = {f"r{number}" for number in numbers} & set(parents)
    whole, _ = arranged(*(record(one, parents[one]) for one in parents))

    tree = whole.without(left_out)

    def nearest(one: str) -> str | None:
        above = parents[one]
        while above is not None and above in left_out:
            above = parents[above]
        return above

    kept = [one for one in whole.order if one not in left_out]
    assert list(tree.order) == kept
    assert tree.parents == {one: nearest(one) for one in kept}
    assert tree.children == {one: [child for child in kept if nearest(child) == one] for one in kept}
    assert list(tree.roots) == [one for one in kept if nearest(one) is None]


def test_a_child_takes_the_place_of_its_left_out_parent_among_the_siblings() -> None:
    whole, _ = arranged(
        record("q", None, ("a", "x", "b")),
        record("b", "q"),
        record("x", "q"),
        record("c", "x"),
        record("a", "q"),
    )

    assert whole.without({"x"}).children["q"] == ["a", "c", "b"]


def test_without_lists_of_children_siblings_come_in_the_order_of_the_file() -> None:
    forest, problems = arranged(record("z", "q"), record("q", None), record("a", "q"), record("m", "q"))

    assert forest.order == ("q", "z", "a", "m")
    assert problems == []


def test_a_parent_that_is_not_there_makes_a_root_and_is_reported() -> None:
    forest, problems = arranged(record("a", None), record("b", "gone"), record("c", "b"))

    assert forest.parents == {"a": None, "b": None, "c": "b"}
    assert problems == [("at b", "its parent 'gone' is not in the file: it is kept as a root")]


@pytest.mark.parametrize("named", [None, "gone"])
def test_a_record_without_its_parent_hangs_where_it_is_listed(named: str | None) -> None:
    forest, problems = arranged(record("a", None, ("b",)), record("b", named))

    assert forest.parents["b"] == "a"
    assert [place for place, _ in problems] == ["at b"]


def test_a_parent_counts_more_than_a_list_of_children() -> None:
    forest, problems = arranged(record("a", None, ("b", "c")), record("b", "a", ()), record("c", "b"))

    assert forest.parents["c"] == "b"
    assert [place for place, _ in problems] == ["at a", "at c"]


def test_children_that_are_missing_or_listed_twice_are_reported() -> None:
    forest, problems = arranged(record("a", None, ("b", "gone", "b")), record("b", "a", ()), record("c", "a"))

    assert forest.children["a"] == ["b", "c"]
    assert problems == [
        ("at a", "it lists the child 'gone', which is not in the file"),
        ("at a", "it lists the child 'b' twice"),
        ("at c", "its parent 'a' does not list it: it follows the children listed"),
    ]


def test_a_cycle_beside_a_root_is_cut_at_its_first_record_and_named_whole() -> None:
    forest, problems = arranged(
        record("q", None),
        record("below", "b"),
        record("a", "c"),
        record("b", "a"),
        record("c", "b"),
        record("s", "s"),
    )

    assert forest.parents == {"q": None, "below": "b", "a": None, "b": "a", "c": "b", "s": None}
    assert problems == [
        ("at a", "the parents of 'a', 'c', 'b' form a cycle: 'a' is kept as a root"),
        ("at s", "the parents of 's' form a cycle: 's' is kept as a root"),
    ]


def test_nothing_but_cycles_is_refused() -> None:
    with pytest.raises(InvalidFileError) as caught:
        arranged(record("a", "b"), record("b", "a"), record("c", "c"), record("d", "a"))

    assert (caught.value.place, caught.value.file) == ("here", "f")
    assert "'a', 'b'" in caught.value.reason


def test_a_long_cycle_is_found_and_its_report_stays_readable() -> None:
    forest, problems = arranged(
        record("q", None), *(record(f"r{number}", f"r{(number + 1) % DEPTH}") for number in range(DEPTH))
    )

    assert forest.parents["r0"] is None
    assert len(forest.order) == DEPTH + 1
    assert [place for place, _ in problems] == ["at r0"]
    assert f"and {DEPTH - 50} more" in problems[0][1]


def test_a_chain_in_reverse_order_needs_no_recursion() -> None:
    forest, problems = arranged(
        *(record(f"r{number}", f"r{number - 1}" if number else None) for number in reversed(range(DEPTH)))
    )

    assert forest.order == tuple(f"r{number}" for number in range(DEPTH))
    assert forest.last_leaf_below("r0") == f"r{DEPTH - 1}"
    assert forest.path_to(f"r{DEPTH - 1}") == list(forest.order)
    assert problems == []


def test_forty_records_of_one_time_keep_their_tree_whatever_their_order() -> None:
    """B01: a tree built in one pass over an order that is not guaranteed collapses into roots."""
    parents = {
        f"r{n:02}": None if n == 0 else f"r{n // 2:02}" if n % 3 else f"r{n - 1:02}" for n in range(40)
    }
    listed = listed_children(parents)
    expected, _ = arranged(*(record(one, parents[one], listed[one]) for one in parents))
    shuffled = list(parents)
    random.Random(7).shuffle(shuffled)

    for order in (list(reversed(parents)), shuffled):
        forest, problems = arranged(*(record(one, parents[one], listed[one]) for one in order))
        assert forest == expected
        assert problems == []
