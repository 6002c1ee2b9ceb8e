"""A migration is a plain value."""

import dataclasses

import pytest

from convotree.storage.migrations.steps import MIGRATIONS


def test_a_step_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        MIGRATIONS[0].number = 9  # type: ignore[misc]  # the point of the test
