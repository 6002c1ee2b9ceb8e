"""Plain values for an SDK, and a note for each that it cannot carry."""

import json
from decimal import Decimal
from math import isfinite
from sys import float_info

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.replay.plain_body import plain_body

_numbers = st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,4})?", fullmatch=True)


@pytest.mark.parametrize("number", ["1.10", "0.1", "1e2", "-0.0", "0.0", "100.0", "1E-7", str(2**70), "-0"])
def test_a_number_of_equal_value_needs_no_note(number: str) -> None:
    body, notes = plain_body(f'{{"n":{number}}}')
    assert Decimal(repr(body["n"])) == Decimal(number)
    assert notes == []


@pytest.mark.parametrize(
    ("number", "carried"),
    [
        ("1e400", float_info.max),
        ("-1e400", -float_info.max),
        ("1e-400", 0.0),
        ("1e99999999999999999999", float_info.max),
        ("1e-99999999999999999999", 0.0),
        ("3.14159265358979323846", 3.141592653589793),
        ("1" * 5000, float_info.max),
        ("9007199254740993.0", 9007199254740992.0),
    ],
)
def test_another_becomes_the_nearest_finite_float(number: str, carried: float) -> None:
    body, notes = plain_body(f'{{"a":{{"b":[1,{number}]}}}}')
    assert body == {"a": {"b": [1, carried]}}
    assert [(note.place, note.rule) for note in notes] == [("body.a.b[1]", "X1")]
    assert len(notes[0].reason) < 200


def test_lone_surrogates_are_replaced_in_values_and_keys() -> None:
    body, notes = plain_body('{"a":{"k\\ud800":"\\udfff"},"b":"\\ud83d\\ude00","c":"\\\\ud800"}')
    assert body == {"a": {"k\ufffd": "\ufffd"}, "b": "😀", "c": "\\ud800"}
    assert [note.rule for note in notes] == ["X2", "X2"]


@given(number=_numbers)
def test_what_is_not_noted_is_exact_and_everything_is_finite(number: str) -> None:
    body, notes = plain_body(f'{{"n":{number}}}')
    assert isfinite(body["n"])
    assert (Decimal(repr(body["n"])) == Decimal(number)) is not bool(notes)
    json.dumps(body, allow_nan=False)


def test_a_number_too_long_for_an_int_costs_no_note_of_its_neighbours() -> None:
    body, notes = plain_body('{"a":1.10,"b":%s,"c":"x"}' % ("1" * 5000))
    assert (body["a"], body["c"]) == (1.1, "x")
    assert [note.place for note in notes] == ["body.b"]


def test_notes_come_in_the_order_of_the_text() -> None:
    _, notes = plain_body('{"b":{"x":1e400},"a":[1e401,[1e402]],"c":1e403}')
    assert [note.place for note in notes] == ["body.b.x", "body.a[0]", "body.a[1][0]", "body.c"]
