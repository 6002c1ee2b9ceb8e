"""Settings: what may be chosen, and that a wrong choice is the library's own error."""

import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from convotree.errors import InvalidArgumentError
from convotree.settings import Settings


def test_the_defaults() -> None:
    settings = Settings()

    assert settings.collection_prefix == "convotree_"
    assert settings.operation_timeout_ms == 30_000
    assert settings.start_timeout_ms == 30_000


@pytest.mark.parametrize("prefix", ["", "a", "_x", "chat_2_", "A" * 41])
def test_prefixes(prefix: str) -> None:
    assert Settings(collection_prefix=prefix).collection_prefix == prefix


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("collection_prefix", "a.b"),
        ("collection_prefix", "$x"),
        ("collection_prefix", "2x"),
        ("collection_prefix", "x\n"),
        ("collection_prefix", "\x00"),
        ("collection_prefix", "é"),
        ("collection_prefix", "A" * 42),
        ("collection_prefix", None),
        ("collection_prefix", b"x"),
        ("operation_timeout_ms", 49),
        ("operation_timeout_ms", 3_600_001),
        ("operation_timeout_ms", "100"),
        ("operation_timeout_ms", 100.0),
        ("operation_timeout_ms", True),
        ("operation_timeout_ms", None),
        ("start_timeout_ms", 999),
        ("start_timeout_ms", 600_001),
    ],
)
def test_a_wrong_choice_is_named(name: str, value: Any) -> None:
    with pytest.raises(InvalidArgumentError) as refused:
        Settings(**{name: value})

    assert refused.value.argument == f"settings.{name}"


def test_settings_are_values() -> None:
    one = Settings(operation_timeout_ms=100)

    assert one == Settings(operation_timeout_ms=100)
    assert one != Settings()
    assert hash(one) == hash(Settings(operation_timeout_ms=100))
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301  # own bytes
    with pytest.raises(FrozenInstanceError):
        one.operation_timeout_ms = 3  # type: ignore[misc]  # what is under test


def test_an_unknown_name_or_a_bare_value_is_a_wrong_call() -> None:
    with pytest.raises(TypeError):
        Settings(colour="red")  # type: ignore[call-arg]  # what is under test
    with pytest.raises(TypeError):
        Settings("chat_")  # type: ignore[call-arg]  # what is under test
