"""Model families."""

import pytest

from convotree.replay.openai_chat.models import instruction_roles, same_model


@pytest.mark.parametrize(
    ("model", "roles"),
    [
        ("o1-mini", set()),
        ("o1-preview-2024-09-12", set()),
        ("o1", {"system", "developer"}),
        ("gpt-4", {"system"}),
        ("gpt-4-turbo", {"system"}),
        ("gpt-4o", {"system", "developer"}),
        ("gpt-4.1", {"system", "developer"}),
        ("gpt-5-mini", {"system", "developer"}),
        ("some-other", {"system", "developer"}),
    ],
)
def test_roles(model: str, roles: set[str]) -> None:
    assert instruction_roles(model) == roles


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("gpt-4o", "gpt-4o-2024-08-06", True), ("gpt-4o", "gpt-4o", True), ("gpt-4o", "gpt-4o-mini", False)],
)
def test_same_model(one: str, other: str, same: bool) -> None:
    assert same_model(one, other) is same
