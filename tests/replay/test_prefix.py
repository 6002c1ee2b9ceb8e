"""Where a prefix is no longer what an answer was generated from."""

import pytest

from convotree.errors import InvalidArgumentError
from convotree.replay.prefix import Differs, PrefixBreak, first_break


def test_the_first_break_is_that_of_the_first_judged_message() -> None:
    breaks = [
        PrefixBreak(5, (Differs.TOOLS,)),
        PrefixBreak(1, (Differs.SYSTEM,)),
        PrefixBreak(3, (Differs.TOOLS,)),
    ]
    found = first_break(breaks, [3, 5, 7])
    assert found is not None
    assert found.index == 3
    assert first_break(breaks, [2]) is None


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
