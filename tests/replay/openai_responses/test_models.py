"""What differs between models."""

import pytest

from convotree.replay.openai_responses.models import always_reasons


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt-5", True),
        ("gpt-5-2025-08-07", True),
        ("gpt-5-mini", True),
        ("o4-mini", True),
        ("o3", True),
        ("gpt-5.4", False),
        ("gpt-5-chat-latest", False),
        ("gpt-4o", False),
        ("some-other", False),
    ],
)
def test_models_that_always_reason(model: str, expected: bool) -> None:
    assert always_reasons(model) is expected
