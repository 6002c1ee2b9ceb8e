"""Which signed reasoning is not valid any more: one run, so that what is kept is unbroken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.errors import InvalidArgumentError
from convotree.replay.prefix import Differs, PrefixBreak, StaleRun, stale_run


def breaks(*indices: int) -> list[PrefixBreak]:
    return [PrefixBreak(index, (Differs.MESSAGES,)) for index in indices]


def test_all_goes_from_the_first_break_to_the_end() -> None:
    (cause, last) = breaks(3, 5)
    assert stale_run([last, cause], [1, 3, 5, 7]) == StaleRun(3, 7, cause)


def test_where_the_first_is_broken_those_after_the_last_break_stay() -> None:
    (cause, last) = breaks(1, 5)
    assert stale_run([last, cause], [1, 3, 5, 7, 9]) == StaleRun(1, 5, cause)
    assert stale_run([last, cause], [1, 3, 5]) == StaleRun(1, 5, cause)


def test_a_break_where_nothing_is_signed_is_none() -> None:
    assert stale_run(breaks(2), [1, 3]) is None
    assert stale_run(breaks(2), []) is None
    assert stale_run([], [1]) is None


@given(st.sets(st.integers(0, 12)), st.sets(st.integers(0, 12)))
def test_what_is_kept_is_valid_and_nothing_goes_from_the_middle(broken: set[int], signed: set[int]) -> None:
    run = stale_run(breaks(*broken), signed)
    kept = [index for index in sorted(signed) if run is None or index not in run]
    assert not broken.intersection(kept)
    gone = sorted(signed.difference(kept))
    answers = sorted(signed)
    assert kept in (answers[: len(kept)], answers[len(gone) :])
    assert (run is None) == (not broken & signed)


def test_what_differs_reads_as_a_sentence() -> None:
    assert PrefixBreak(0, (Differs.SYSTEM, Differs.TOOLS)).what == "system and tools"


@pytest.mark.parametrize(
    ("index", "differs", "argument"),
    [
        (-1, (Differs.TOOLS,), "index"),
        (True, (Differs.TOOLS,), "index"),
        (0, (), "differs"),
        (0, ("tools",), "differs"),
    ],
)
def test_what_is_no_break_is_refused(index: int, differs: tuple[Differs, ...], argument: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        PrefixBreak(index, differs)
    assert caught.value.argument == argument
