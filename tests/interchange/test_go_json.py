"""JSON as Go reads and writes it: spelling, order, floats, halves of characters."""

import inspect
import json
import struct
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree import ExactJson, InvalidJsonError
from convotree.interchange.go_json import (
    KeyOrder,
    Pairs,
    canonical,
    canonical_json,
    escape_markup,
    float_text,
    kind_of,
    read_json,
    whole_characters,
)
from convotree.replay.reading import MisreadError


def test_members_keep_their_order_and_numbers_their_spelling() -> None:
    tree, rest = read_json('{"b": 1.10, "a": [true, null, -0], "b": 1e400} ', place="x")

    assert tree == Pairs([("b", "1.10"), ("a", [True, None, "-0"]), ("b", "1e400")])
    assert rest is None
    assert canonical(tree) == '{"a":[true,null,-0],"b":1e400}'
    assert canonical(tree, order=KeyOrder.AS_WRITTEN) == '{"b":1.10,"a":[true,null,-0],"b":1e400}'


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{}", "an object"),
        ("[]", "an array"),
        ('"x"', "a string"),
        ("1.0", "a number"),
        ("1", "a number"),
        ("true", "true or false"),
        ("null", "null"),
    ],
)
def test_kinds_of_values(text: str, kind: str) -> None:
    assert kind_of(read_json(text, place="x")[0]) == kind


def test_what_follows_the_value_is_told_not_refused() -> None:
    assert read_json("{} {}", place="x") == (Pairs(), 3)
    assert read_json(b"1 x", place="x") == ("1", 2)


@pytest.mark.parametrize("text", ["", "{", "[1,]", '{"a":NaN}', "x", "\ufeff1", b"\xff"])
def test_what_starts_with_no_value_is_refused_with_its_place(text: str | bytes) -> None:
    with pytest.raises(InvalidJsonError) as refused:
        read_json(text, place="here")

    assert refused.value.place == "here"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    )
)
def test_what_is_written_is_the_same_value(value: object) -> None:
    written = canonical(read_json(json.dumps(value), place="x")[0])

    if "\ufffd" not in written:
        assert json.loads(written) == value
    assert canonical(read_json(written, place="x")[0]) == written
    assert json.loads(escape_markup(written)) == json.loads(written)


def test_the_deepest_json_there_is_can_be_written() -> None:
    deep = "[" * 256 + "]" * 256

    assert canonical(read_json(deep, place="x")[0]) == deep


def test_a_stack_that_is_nearly_used_up_is_a_typed_error() -> None:
    tree, _ = read_json("[" * 256 + "]" * 256, place="x")

    def descend(levels: int) -> str:
        return descend(levels - 1) if levels else canonical(tree)

    # The frames that are in use already differ from run to run; 150 are too few for 256 levels.
    levels = sys.getrecursionlimit() - len(inspect.stack(0)) - 150
    with pytest.raises(MisreadError, match="nested deeper"):
        descend(levels)


@pytest.mark.parametrize(
    ("text", "mended", "halves"),
    [
        (r'"\ud83d\ude00"', r'"\ud83d\ude00"', 0),
        (r'"\uD800"', r'"\ufffd"', 1),
        (r'"\ud800\ud83d\ude00\udc00"', r'"\ufffd\ud83d\ude00\ufffd"', 2),
        (r'"\\ud800"', r'"\\ud800"', 0),
        (r'"\\\ud800\u0041"', r'"\\\ufffd\u0041"', 1),
        ('"plain"', '"plain"', 0),
    ],
)
def test_half_a_character_becomes_the_replacement_character(text: str, mended: str, halves: int) -> None:
    assert whole_characters(text) == (mended, halves)


@pytest.mark.parametrize(
    ("spelling", "written"),
    [
        ("1.50", "1.5"),
        ("9007199254740993", "9007199254740992"),
        ("1E+05", "100000"),
        ("-0", "-0"),
        ("0.0", "0"),
        ("100", "100"),
        ("1e20", "100000000000000000000"),
        ("1e21", "1e+21"),
        ("123456789e20", "1.23456789e+28"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("-12.5e-10", "-1.25e-9"),
        ("1e-10", "1e-10"),
        ("5e-324", "5e-324"),
        ("1e-400", "0"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
    ],
)
def test_floats_are_written_as_go_writes_them(spelling: str, written: str) -> None:
    assert float_text(spelling) == written


@given(
    st.binary(min_size=8, max_size=8)
    .map(lambda raw: struct.unpack("<d", raw)[0])
    .filter(lambda one: abs(one) < 1e309)
)
def test_a_float_is_the_same_float_when_it_is_read_again(value: float) -> None:
    assert float(float_text(repr(value))) == value


def test_a_number_beyond_float64_is_refused() -> None:
    with pytest.raises(MisreadError, match="1e400"):
        float_text("1e400")
    with pytest.raises(MisreadError) as refused:
        float_text("9" * 10_000)
    assert len(refused.value.reason) < 120


def test_exact_json_can_be_written_as_go_would() -> None:
    assert canonical_json(ExactJson.parse('{"b":"\\u0041","a":2.0}')).text == '{"a":2.0,"b":"A"}'
    assert canonical_json(ExactJson.parse("[2.0]"), number=float_text).text == "[2]"
