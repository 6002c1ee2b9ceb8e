"""Spans of JSON text: what the standard parser reads is read alike, and what it refuses is refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.errors import InvalidJsonError
from convotree.interchange.json_span import JsonSpan, exact_members, line_and_column, scan_json, string_in

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


def opened(span: JsonSpan) -> Any:
    """The value, one level at a time down to the scalars."""
    if span.is_object:
        return {key: opened(inner) for key, inner in span.pairs()}
    if span.is_array:
        return [opened(inner) for inner in span.elements()]
    return json.loads(span.raw)


@given(JSON_VALUES, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_every_value_is_cut_into_what_it_holds(value: Any, indent: Any, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    assert opened(scan_json(f"\n {text}\t\r\n")) == json.loads(text)


@given(JSON_VALUES, st.data())
def test_damaged_text_is_refused_whenever_the_standard_parser_refuses_it(
    value: Any, data: st.DataObject
) -> None:
    text = json.dumps(value)
    position = data.draw(st.integers(0, len(text)))
    damage = data.draw(st.sampled_from(["", ",", ":", "]", "}", "[", "{", '"', "1", "\\", "\x01", "x"]))
    damaged = text[:position] + damage + text[position + 1 :]
    try:
        expected = json.loads(damaged)
    except json.JSONDecodeError:
        with pytest.raises(InvalidJsonError):
            scan_json(damaged)
    else:
        assert opened(scan_json(damaged)) == expected


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        (" \n", 0),
        ("[1,]", 3),
        ('{"a":1,}', 7),
        ("[1, NaN]", 4),
        ("[Infinity]", 1),
        ("[1 2]", 3),
        ("[01]", 2),
        ("[1]x", 3),
        ("1 2", 2),
        ('{"a":\n [1,2', 11),
        ('"abc', 0),
        ('["\x01"]', 2),
        ("{1:2}", 1),
        ('{"a":{"b":1}"c":2}', 12),
        ("[" * 2000 + "1 1", 2000),
    ],
)
def test_the_place_of_the_damage_is_named(text: str, position: int) -> None:
    with pytest.raises(InvalidJsonError) as caught:
        scan_json(text)

    assert caught.value.position == position


def test_nesting_has_no_limit_of_its_own() -> None:
    span = scan_json("[" * 100_000 + "]" * 100_000)

    assert len(span.elements()) == 1


def test_what_is_kept_keeps_its_spelling() -> None:
    text = '{"n": 1.10, "e": 1e400, "z": -0, "big": 1180591620717411303424, "t": "\\u0000\\ud800é", "n": 2}'
    span = scan_json(text)

    assert span.exact("x").text == text.replace(", ", ",").replace(": ", ":")
    assert [key for key, _ in span.pairs()] == ["n", "e", "z", "big", "t", "n"]
    assert string_in(dict(span.pairs()), "t") == "\x00\ud800é"
    assert {
        key: exact.text for key, exact in exact_members(dict(span.pairs()), "x", without={"t", "n"}).items()
    } == {
        "e": "1e400",
        "z": "-0",
        "big": "1180591620717411303424",
    }


def test_keys_are_read_whatever_stands_in_them() -> None:
    span = scan_json('{ "a\\"b" :1,"":[ ],\n"$x.y" : { } , "\\u00e9" : true}')

    assert [(key, inner.kind) for key, inner in span.pairs()] == [
        ('a"b', "number"),
        ("", "array"),
        ("$x.y", "object"),
        ("é", "true"),
    ]


def test_a_value_nested_too_deep_to_be_kept_names_its_place() -> None:
    span = scan_json("[" * 300 + "]" * 300)

    with pytest.raises(InvalidJsonError) as caught:
        span.value("here")
    assert caught.value.place == "here"


def test_looking_into_a_scalar_finds_nothing() -> None:
    span = scan_json(" 1.10 ")

    assert (span.pairs(), span.elements(), span.string, span.kind, span.raw) == (
        [],
        [],
        None,
        "number",
        "1.10",
    )
    assert scan_json("null").is_null
    assert str(span.value("x")) == "1.10"


def test_line_and_column_count_from_one() -> None:
    assert line_and_column("ab\ncd\nef", 0) == "line 1, column 1"
    assert line_and_column("ab\ncd\nef", 4) == "line 2, column 2"
