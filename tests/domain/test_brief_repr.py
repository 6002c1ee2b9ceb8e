"""A ``repr`` that never prints megabytes."""

from dataclasses import dataclass

from convotree.domain.brief_repr import brief, brief_repr


@dataclass(frozen=True)
class Pair:
    name: str
    other: object = None

    __repr__ = brief_repr


def test_short_values_are_shown_whole() -> None:
    assert brief("a'b\n") == repr("a'b\n")
    assert brief("x" * 120) == repr("x" * 120)
    assert brief([1, None]) == "[1, None]"


def test_long_values_are_cut_and_measured() -> None:
    assert brief("x" * 121) == repr("x" * 120) + "… (121 characters)"
    assert brief(["x" * 1000]).endswith("… (1004 characters)")
    assert len(brief(list(range(100_000)))) < 600


def test_fields_that_are_none_are_left_out() -> None:
    assert repr(Pair("a")) == "Pair(name='a')"
    assert repr(Pair("a", False)) == "Pair(name='a', other=False)"
    assert repr(Pair("a", Pair("b"))) == "Pair(name='a', other=Pair(name='b'))"
    assert len(repr(Pair("x" * 1_000_000, "y" * 1_000_000))) < 400
