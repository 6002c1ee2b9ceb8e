"""A file's ids: its own where they may be, unique, and the same each time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.identity import MAX_ID_BYTES, check_id
from convotree.interchange.file_ids import FileIds, derived_id, usable_id
from convotree.interchange.problems import Problems


def test_the_files_own_ids_are_kept() -> None:
    problems = Problems("f")
    ids = FileIds(problems)

    assert ids.claim("client-created-root", "p") == "client-created-root"
    assert ids.find("client-created-root") == "client-created-root"
    assert ids.find("other") is None
    assert problems.found() == ()


def test_of_two_records_of_one_id_the_first_keeps_it_and_the_other_is_reported() -> None:
    problems = Problems("f")
    ids = FileIds(problems)
    ids.claim("a~2", "p0")

    assert [ids.claim("a", "p1"), ids.claim("a", "p2"), ids.claim("a", "p3")] == ["a", "a~3", "a~4"]
    assert ids.find("a") == "a"
    assert [problem.place for problem in problems.found()] == ["p2", "p3"]


@pytest.mark.parametrize("given_id", ["", "a\x00b", "\ud800", "x" * 513])
def test_an_id_that_cannot_be_one_is_replaced_by_one_that_follows_from_it(given_id: str) -> None:
    problems = Problems("f")

    used = usable_id(given_id, place="p", problems=problems)

    assert check_id(used, "id") == used == usable_id(given_id, place="p", problems=Problems("f"))
    assert [problem.place for problem in problems.found()] == ["p"]


def test_a_numbered_id_is_not_too_long_either() -> None:
    ids = FileIds(Problems("f"))
    longest = "x" * MAX_ID_BYTES

    assert ids.claim(longest, "p") == longest
    assert check_id(ids.claim(longest, "p"), "id") != longest


@given(st.lists(st.text(max_size=3)))
def test_no_two_records_share_an_id(given_ids: list[str]) -> None:
    ids = FileIds(Problems("f"))
    used = [ids.claim(one, "p") for one in given_ids]

    assert len(set(used)) == len(used)
    assert all(check_id(one, "id") for one in used)
    assert all(ids.find(one) in used for one in given_ids)


def test_derived_ids_follow_from_contents_and_their_borders() -> None:
    assert derived_id("call", "ab", "c") == derived_id("call", "ab", "c")
    assert derived_id("call", "ab", "c") != derived_id("call", "a", "bc")
    assert len(derived_id("call", "x")) <= 40  # the longest id of a call that a provider takes
