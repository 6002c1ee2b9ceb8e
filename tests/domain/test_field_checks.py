"""What constructors do with their fields."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.field_checks import (
    keep_all,
    keep_json,
    keep_object,
    keep_optional_json,
    keep_optional_object,
    keep_optional_text,
    keep_text,
    misplaced,
)
from convotree.errors import InvalidJsonError, InvalidMessageError


@dataclass
class Owner:
    field: Any


class Colour(StrEnum):
    RED = "red"


def kept(check: Any, value: Any) -> Any:
    owner = Owner(value)
    check(owner, "field")
    return owner.field


def test_text() -> None:
    for check in (keep_text, keep_optional_text):
        assert kept(check, "x") == "x"
        assert type(kept(check, Colour.RED)) is str
        for wrong in (3, b"x", ["x"]):
            with pytest.raises(InvalidMessageError) as refused:
                kept(check, wrong)
            assert refused.value.place == "Owner.field"
            assert type(wrong).__name__ in refused.value.reason


def test_json() -> None:
    for check in (keep_json, keep_optional_json):
        assert kept(check, ExactJson.parse("1.10")) == ExactJson.parse("1.10")
        assert kept(check, [1, {"a": None}]) == ExactJson.parse('[1,{"a":null}]')
        with pytest.raises(InvalidMessageError):
            kept(check, "[]")
        with pytest.raises(InvalidJsonError) as refused:
            kept(check, {1: 2})
        assert refused.value.place == "Owner.field"


def test_objects() -> None:
    for check in (keep_object, keep_optional_object):
        assert kept(check, {"a": 1}) == ExactJson.parse('{"a":1}')
        wrongs: list[Any] = [[], 3, ExactJson.parse("[]"), ExactJson.parse('"{}"')]
        for wrong in wrongs:
            with pytest.raises(InvalidMessageError):
                kept(check, wrong)


def test_only_optional_fields_may_be_none() -> None:
    for check in (keep_optional_text, keep_optional_json, keep_optional_object):
        assert kept(check, None) is None
    for strict in (keep_text, keep_json, keep_object):
        with pytest.raises(InvalidMessageError):
            kept(strict, None)


def test_sequences() -> None:
    owner = Owner([1, 2])
    keep_all(owner, "field", int)
    assert owner.field == (1, 2)

    for wrong, step in ((3, ""), ("ab", ""), ({1: 2}, ""), ([1, True], "[1]")):
        with pytest.raises(InvalidMessageError) as refused:
            keep_all(Owner(wrong), "field", int)
        assert refused.value.place == f"Owner.field{step}"


def test_the_place_may_be_given() -> None:
    assert misplaced(Owner(3), "field", "a string", 3).place == "Owner.field"
    assert misplaced(Owner(3), "field", "a string", 3, within="messages[1]").place == "messages[1].field"
    assert misplaced(Owner(3), "field", "a string", 3, within="").place == "field"
    with pytest.raises(InvalidMessageError) as refused:
        keep_text(Owner(3), "field", within="generation")
    assert str(refused.value) == "generation.field: a string was expected, not int"
