"""What becomes of losses: refused by default, left out by choice."""

import pytest

from convotree import InvalidArgumentError, Note, UnreplayableError
from convotree.interchange.conversion import Converted, Losses, text_of

NOTES = (Note("messages[0]", "X4", "first"), Note("messages[1]", "X5", "second"))


def test_without_losses_the_text_is_given() -> None:
    for losses in Losses:
        assert text_of(Converted("{}"), losses, shape="s") == "{}"


def test_the_first_loss_is_refused_or_all_are_left_out() -> None:
    with pytest.raises(UnreplayableError) as refused:
        text_of(Converted("{}", NOTES), Losses.REFUSE, shape="s")

    assert (refused.value.provider, refused.value.place, refused.value.rule) == ("s", "messages[0]", "X4")
    assert refused.value.reason == "first"
    assert text_of(Converted("{}", NOTES), Losses.LEAVE_OUT, shape="s") == "{}"


def test_losses_are_one_of_two() -> None:
    with pytest.raises(InvalidArgumentError):
        text_of(Converted("{}"), "refuse", shape="s")  # type: ignore[arg-type]


def test_half_a_character_is_noted() -> None:
    converted = Converted.of(r'"\ud800"', NOTES)

    assert converted.text == r'"\ufffd"'
    assert [note.rule for note in converted.notes] == ["X4", "X5", "X2"]
