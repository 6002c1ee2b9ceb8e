"""Model families."""

import pytest

from convotree.replay.gemini.models import Generation, generation_of, same_model


@pytest.mark.parametrize(
    ("model", "generation"),
    [
        ("gemini-1.5-pro-002", Generation.EARLIER),
        ("gemini-2.5-flash", Generation.EARLIER),
        ("models/gemini-2.0-flash-exp", Generation.EARLIER),
        ("gemini-pro", Generation.EARLIER),
        ("gemma-3-27b-it", Generation.EARLIER),
        ("gemini-3-pro-preview", Generation.THREE),
        ("publishers/google/models/gemini-3.1-flash", Generation.THREE),
        ("gemini-10-pro", Generation.THREE),
        ("gemini-flash-latest", Generation.THREE),
        ("tunedModels/mine", None),
    ],
)
def test_generation(model: str, generation: Generation | None) -> None:
    assert generation_of(model) is generation


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("gemini-3-flash-preview", "models/gemini-3-flash", True),
        ("gemini-2.5-flash-preview-05-20", "gemini-2.5-flash", True),
        ("gemini-1.5-pro-002", "gemini-1.5-pro-latest", True),
        ("gemini-3-flash", "gemini-3-pro", False),
        ("gemini-3-flash", "gemini-3.1-flash", False),
        ("gemini-2.5-flash", "gemini-2.5-flash-lite", False),
        ("gemini-3-pro", "gemini-3-pro-image", False),
    ],
)
def test_same_model(one: str, other: str, same: bool) -> None:
    assert same_model(one, other) is same
    assert same_model(other, one) is same
