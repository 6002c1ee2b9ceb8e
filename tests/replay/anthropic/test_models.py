"""Model families."""

import pytest

from convotree.replay.anthropic.models import Prefill, prefill_of, same_model


@pytest.mark.parametrize(
    ("model", "prefill"),
    [
        ("claude-3-7-sonnet-latest", Prefill.ALLOWED),
        ("claude-2.1", Prefill.ALLOWED),
        ("claude-sonnet-4-0", Prefill.ALLOWED),
        ("claude-sonnet-4-20250514", Prefill.ALLOWED),
        ("claude-opus-4-1-20250805", Prefill.ALLOWED),
        ("claude-haiku-4-5", Prefill.ALLOWED),
        ("claude-opus-4-5-20251101", Prefill.ALLOWED),
        ("claude-opus-4-6", Prefill.REJECTED),
        ("claude-opus-4-8-20260101", Prefill.REJECTED),
        ("claude-sonnet-5", Prefill.REJECTED),
        ("claude-fable-5-1", Prefill.REJECTED),
        ("gpt-5", None),
    ],
)
def test_prefill(model: str, prefill: Prefill | None) -> None:
    assert prefill_of(model) is prefill


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("claude-sonnet-4-0", "claude-sonnet-4-20250514", True),
        ("claude-3-7-sonnet-latest", "claude-3-7-sonnet-20250219", True),
        ("claude-opus-4-1", "claude-opus-4-1-20250805", True),
        ("claude-opus-4-1", "claude-opus-4-5", False),
        ("claude-sonnet-4-0", "claude-opus-4-0", False),
    ],
)
def test_same_model(one: str, other: str, same: bool) -> None:
    assert same_model(one, other) is same
