"""How a struct is filled from JSON: keys in any case, null as absence, zero values, unknown keys."""

from typing import Any

import pytest

from convotree import ExactJson
from convotree.interchange.go_json import read_json
from convotree.interchange.go_struct import (
    Struct,
    Unknown,
    list_of,
    read_any,
    read_count,
    read_flag,
    read_object,
    read_text,
    read_texts,
)
from convotree.replay.reading import MisreadError

FIELDS = {"skyText": read_text, "flag": read_flag, "count": read_count, "open": read_any}
STRICT = Struct(FIELDS)


def tree(text: str) -> Any:
    return read_json(text, place="x")[0]


def test_zero_values_are_left_out_and_fields_are_in_order() -> None:
    read = STRICT.read(tree('{"open":[],"count":1,"flag":false,"skyText":""}'))

    assert list(read.items()) == [("count", 1), ("open", ExactJson.parse("[]"))]
    assert STRICT.read(None) == {}


def test_what_is_always_written_has_its_zero_value() -> None:
    struct = Struct(FIELDS, always={"skyText": "", "count": 0})

    assert struct.read(tree('{"count":null}')) == {"skyText": "", "count": 0}


@pytest.mark.parametrize("key", ["skyText", "SKYTEXT", "skytext", "sKyTeXt", "\u017f\u212ayText"])
def test_keys_are_matched_as_go_folds_them(key: str) -> None:
    assert STRICT.read(tree('{"' + key + '":"x"}')) == {"skyText": "x"}


def test_the_last_of_a_repeated_key_counts() -> None:
    assert STRICT.read(tree('{"count":1,"COUNT":2,"count":3}')) == {"count": 3}
    assert STRICT.read(tree('{"count":1,"COUNT":null}')) == {}


def test_unknown_keys() -> None:
    value = tree('{"zone":{"b":1.0,"a":2},"flag":true,"Alpha":null}')

    with pytest.raises(MisreadError, match='unknown field "zone"'):
        STRICT.read(value)
    assert Struct(FIELDS, Unknown.DROPPED).read(value) == {"flag": True}
    kept = Struct(FIELDS, Unknown.KEPT).read(value)
    assert list(kept) == ["Alpha", "flag", "zone"]
    assert kept["zone"] == ExactJson.parse('{"a":2,"b":1.0}')
    assert kept["Alpha"] == ExactJson.parse("null")


@pytest.mark.parametrize("value", ['"x"', "[]", "3", "true"])
def test_a_struct_is_an_object(value: str) -> None:
    with pytest.raises(MisreadError, match="an object was expected"):
        STRICT.read(tree(value))


@pytest.mark.parametrize(
    ("read", "good", "found"),
    [
        (read_text, '"x"', "x"),
        (read_flag, "true", True),
        (read_count, "-9223372036854775808", -(2**63)),
        (read_count, "9223372036854775807", 2**63 - 1),
        (read_count, "-0", None),
        (read_object, "{}", None),
        (read_object, '{"a":1.0}', ExactJson.parse('{"a":1.0}')),
        (read_texts, '["a",null]', ["a", ""]),
        (read_texts, "[]", None),
    ],
)
def test_readers_take_what_they_are_for(read: Any, good: str, found: object) -> None:
    assert read(tree(good)) == found


@pytest.mark.parametrize(
    ("read", "bad"),
    [
        (read_text, "3"),
        (read_flag, "0"),
        (read_flag, '"true"'),
        (read_count, '"3"'),
        (read_count, "1.0"),
        (read_count, "1e3"),
        (read_count, "9223372036854775808"),
        (read_count, "-9223372036854775809"),
        (read_count, "true"),
        (read_object, "[]"),
        (read_texts, '"a"'),
    ],
)
def test_readers_refuse_what_they_are_not_for(read: Any, bad: str) -> None:
    with pytest.raises(MisreadError, match="was expected"):
        read(tree(bad))


def test_the_place_of_an_error_is_put_together_on_the_way_up() -> None:
    outer = Struct({"items": list_of(STRICT.read)})

    with pytest.raises(MisreadError) as refused:
        outer.read(tree('{"items":[{},{"count":"x"}]}'))

    assert refused.value.place == ".items[1].count"
