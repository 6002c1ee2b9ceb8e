"""Splitting compact JSON: what ``json`` reads, without its values; what is broken is a typed error."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.domain.exact_json import ExactJson, parse_value
from convotree.domain.json_scan import members_of, only_member_of, scan_string, split_array, split_object
from convotree.errors import InvalidJsonError
from tests.domain.json_values import layouts, texts, values

BROKEN = [
    "",
    "{",
    "[",
    "{}{",
    "[][",
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    '{"a":1}x',
    '{"a":1}}',
    '{"a":1]',
    '{"a"x1}',
    '{"a":1;"b":2}',
    '{xa":1}',
    "{a:1}",
    "{1:1}",
    '{"a":nul}',
    '{"a":NaN}',
    '{"a":"x}',
    '{"a":1 }',
    '{ "a":1}',
    "[1",
    "[1,",
    "[1,]",
    "[1}",
    "[1]x",
    "[1 ,2]",
    "[ 1]",
    "[1;2]",
    "[,]",
    "[Infinity]",
    '["\x00"]',
]


class TestSplitObject:
    @given(st.dictionaries(texts, values, max_size=5))
    def test_members_are_those_that_json_reads(self, value: dict[str, Any]) -> None:
        found = split_object(ExactJson.of(value).text)

        assert list(found) == list(value)
        assert {key: repr(parse_value(text)) for key, text in found.items()} == {
            key: repr(member) for key, member in value.items()
        }

    @given(layouts().filter(lambda layout: layout[0].startswith("{")))
    def test_any_spelling_and_repeated_keys(self, layout: tuple[str, str]) -> None:
        compact, _ = layout

        pairs = members_of(compact)

        expected = json.loads(compact, object_pairs_hook=list, parse_int=str, parse_float=str)
        assert [key for key, _ in pairs] == [key for key, _ in expected]
        assert split_object(compact) == dict(pairs)
        assert compact.endswith("".join(f"{text}}}" for _, text in pairs[-1:]))

    def test_the_last_of_a_repeated_key_counts_at_its_own_place(self) -> None:
        assert list(split_object('{"a":1,"b":2,"a":3}').items()) == [("b", "2"), ("a", "3")]
        assert members_of('{"a":1,"b":2,"a":3}') == [("a", "1"), ("b", "2"), ("a", "3")]


class TestSplitArray:
    @given(st.lists(values, max_size=5))
    def test_elements_are_those_that_json_reads(self, value: list[Any]) -> None:
        found = split_array(ExactJson.of(value).text)

        assert [repr(parse_value(text)) for text in found] == [repr(element) for element in value]

    @given(layouts().filter(lambda layout: layout[0].startswith("[")))
    def test_the_texts_make_the_array_again(self, layout: tuple[str, str]) -> None:
        compact, _ = layout

        assert "[" + ",".join(split_array(compact)) + "]" == compact


@pytest.mark.parametrize("text", [*BROKEN, "null", "3", '"text"', "true"], ids=repr)
def test_what_is_broken_is_refused_by_place(text: str) -> None:
    for split in (split_object, split_array, members_of):
        with pytest.raises(InvalidJsonError) as refused:
            split(text, place="stored")
        assert refused.value.place == "stored"
        assert refused.value.position is not None


def test_the_other_container_is_named() -> None:
    with pytest.raises(InvalidJsonError) as refused:
        split_object("[1]")
    assert "object" in refused.value.reason
    with pytest.raises(InvalidJsonError) as refused:
        split_array('{"a":1}')
    assert "array" in refused.value.reason


def test_nesting_beyond_the_parser_is_refused() -> None:
    for text in ('{"a":' + "[" * 100_000 + "]" * 100_000 + "}", "[" * 100_000 + "]" * 100_000):
        for split in (split_object, split_array):
            with pytest.raises(InvalidJsonError):
                split(text)


def test_many_members_are_split_in_one_pass() -> None:
    assert len(split_array("[" + ",".join(["[1.5]"] * 200_000) + "]")) == 200_000
    assert len(split_object("{" + ",".join(f'"{n}":{n}' for n in range(200_000)) + "}")) == 200_000


@given(texts)
def test_a_string_is_read_where_it_starts(text: str) -> None:
    quoted = ExactJson.of(text).text

    assert scan_string(f"[{quoted}]", 1) == (text, len(quoted) + 1)


def test_what_is_no_string_is_refused() -> None:
    with pytest.raises(ValueError, match="string"):
        scan_string("[1]", 1)
    with pytest.raises(IndexError):
        scan_string("[", 1)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ('{"k":{"a":1.10,"b":{"c":"}}"}}}', [("a", "1.10"), ("b", '{"c":"}}"}')]),
        ('{"k":{"\\u0061":[]}}', [("a", "[]")]),
        ('{"k":{}}', None),
        ('{"k":{"a":1},"l":2}', None),
        ('{"l":{"a":1}}', None),
        ('{"k":[1]}', None),
        ('{"k":{"a":1}', None),
        ("{}", None),
        ("", None),
    ],
)
def test_the_only_member_of_an_object_is_read_at_once(
    text: str, members: list[tuple[str, str]] | None
) -> None:
    assert only_member_of(text, "k") == members
