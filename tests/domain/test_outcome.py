"""How an answer ended: kept with the message, part of what it says."""

import pytest

from convotree.domain.encoded import encode_message
from convotree.domain.message import Message, Role
from convotree.domain.outcome import Outcome
from convotree.domain.parts import TextPart
from convotree.errors import InvalidMessageError


def test_an_answer_is_complete_unless_it_says_otherwise() -> None:
    assert Message.assistant("a").outcome is Outcome.COMPLETE
    assert Message.assistant("a", outcome=Outcome.FAILED).outcome is Outcome.FAILED


@pytest.mark.parametrize("role", [Role.USER, Role.TOOL, Role.DEVELOPER])
def test_only_answers_can_fail(role: Role) -> None:
    with pytest.raises(InvalidMessageError) as caught:
        Message(role, (TextPart("a"),), outcome=Outcome.ABORTED)
    assert caught.value.place == "outcome"


def test_what_is_no_outcome_is_refused() -> None:
    with pytest.raises(InvalidMessageError) as caught:
        Message.assistant("a", outcome="failed")  # type: ignore[arg-type]  # the point of the test
    assert caught.value.place == "outcome"


def test_the_outcome_enters_both_digests() -> None:
    kinds = [encode_message(Message.assistant("a", outcome=outcome)) for outcome in Outcome]
    assert len({one.digest for one in kinds}) == len({one.element for one in kinds}) == len(Outcome)
