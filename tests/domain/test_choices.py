"""The policies a caller can name: distinct, and each with a word that says what it does."""

import inspect
from enum import Enum

import pytest

from convotree.domain import choices


@pytest.mark.parametrize("name", choices.__all__)
def test_every_choice_is_described(name: str) -> None:
    policy: type[Enum] = getattr(choices, name)
    source = inspect.getsource(policy)

    assert len({member.value for member in policy}) == len(policy)
    for member in policy:
        _, _, after = source.partition(f"    {member.name} = ")
        assert after.partition("\n")[2].lstrip().startswith('"""'), member
