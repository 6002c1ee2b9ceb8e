"""Numbers kept as they are spelled."""

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.domain.number_text import NumberText, float_of, int_of
from convotree.errors import InvalidJsonError
from tests.domain.json_values import number_texts


@given(number_texts)
def test_every_json_number_is_taken(text: str) -> None:
    number = NumberText(text)

    assert number.text == str(number) == text
    assert float(number) == float(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "+1",
        "01",
        "-01",
        "1.",
        ".5",
        "1e",
        "1e+",
        "0x10",
        "1_000",
        " 1",
        "1 ",
        "1\n",
        "١",
        "NaN",
        "--1",
    ],
    ids=repr,
)
def test_what_is_no_json_number_is_refused(text: str) -> None:
    with pytest.raises(InvalidJsonError):
        NumberText(text)


@pytest.mark.parametrize("value", [None, 3, 1.5, b"1", ["1"]])
def test_only_text_is_taken(value: Any) -> None:
    with pytest.raises(InvalidJsonError):
        NumberText(value)


def test_the_refusal_is_short() -> None:
    with pytest.raises(InvalidJsonError) as refused:
        NumberText("x" * 1_000_000)

    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("1.10", 1),
        ("-1.99", -1),
        ("-0", 0),
        ("1e3", 1000),
        ("1.5e1", 15),
        ("1e-400", 0),
        ("0e99999999999999999999999", 0),
        ("1e-99999999999999999999999", 0),
        ("0.0", 0),
        (str(2**70), 2**70),
        ("7" * 5000, (10**5000 - 1) // 9 * 7),
        ("1e19999", 10**19999),
    ],
    ids=lambda value: str(value)[:12] if isinstance(value, str) else "",
)
def test_int_cuts_the_fraction(text: str, whole: int) -> None:
    assert int(NumberText(text)) == whole


@pytest.mark.parametrize("text", ["1e20000", "-1e999999999", "1e99999999999999999999999", "1" * 20_001])
def test_a_short_text_cannot_make_an_endless_int(text: str) -> None:
    with pytest.raises(InvalidJsonError):
        int(NumberText(text))


def test_float_gives_the_nearest() -> None:
    assert float(NumberText("1.10")) == 1.1
    assert float(NumberText("1e400")) == float("inf")


def test_numbers_are_compared_by_spelling() -> None:
    assert NumberText("1.10") == NumberText("1.10")
    assert hash(NumberText("1.10")) == hash(NumberText("1.10"))
    assert NumberText("1.10") != NumberText("1.1")
    for copied in (copy.copy(NumberText("1.10")), pickle.loads(pickle.dumps(NumberText("1.10")))):  # noqa: S301  # own bytes
        assert copied == NumberText("1.10")


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_what_python_writes_is_read_as_its_own_type(value: float) -> None:
    text = json.dumps(value)

    read = int_of(text) if isinstance(value, int) else float_of(text)

    assert type(read) is type(value)
    assert repr(read) == repr(value)


def test_other_spellings_stay_text() -> None:
    for text in ("1.10", "1e400", "1E5", "-0.00", "1e22"):
        assert float_of(text) == NumberText(text)
    for text in ("-0", "9" * 4001):
        assert int_of(text) == NumberText(text)
