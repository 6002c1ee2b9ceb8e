"""Policies are Enums, and nothing else is taken for one."""

from dataclasses import fields
from typing import Any

import pytest

from convotree import replay
from convotree.errors import InvalidArgumentError
from convotree.replay import RenderPolicy, UnansweredCalls
from convotree.replay.policy import AS_STORED


@pytest.mark.parametrize("value", [None, True, "refuse", "ANSWER"])
def test_another_type_is_refused(value: Any) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        RenderPolicy(unanswered_calls=value)
    assert caught.value.argument == "policy.unanswered_calls"


def test_policies_are_values() -> None:
    assert RenderPolicy() == RenderPolicy(unanswered_calls=UnansweredCalls.ANSWER)


def test_every_question_is_public() -> None:
    assert all(type(field.default).__name__ in replay.__all__ for field in fields(RenderPolicy))


def test_what_check_examines_differs_wherever_a_default_repairs() -> None:
    same = {field.name for field in fields(RenderPolicy) if getattr(AS_STORED, field.name) is field.default}
    # These two decide a form; they repair nothing that a provider rejects.
    assert same == {"unsupported", "turns"}
