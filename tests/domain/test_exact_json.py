"""Exact JSON: what comes in comes out, and nothing that is no JSON comes in."""

import copy
import json
import pickle
import types
from collections import OrderedDict, UserDict, namedtuple
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.domain.exact_json import MAX_NESTING, ExactJson, NumberText, parse_value, quote
from convotree.errors import InvalidJsonError
from tests.domain.json_values import layouts, number_texts, plain_values, texts, values

MARKER = "\ufdd0"
EXACT_TEXTS = [
    "1.10",
    "1e400",
    "-0",
    "-0.0",
    "1E5",
    "0.1",
    str(2**70),
    "7" * 5000,
    '"\\u0000"',
    '"\\ud800"',
    '"\\uDC00 \\uD800"',
    '"\\/ \\b"',
    '{"$where":1,"a.b":2,"":3}',
    '{"b":1,"a":2,"b":3}',
    "[]",
    "{}",
    '[null,true,false,""]',
    '"😀"',
    '"\\ud83d\\ude00"',
]


def nested(levels: int, kind: str = "[") -> str:
    return "[" * levels + "]" * levels if kind == "[" else '{"a":' * levels + "1" + "}" * levels


def list_of(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


class Sealed(Mapping[str, Any]):
    """A mapping that is no dict."""

    def __init__(self, members: dict[str, Any]) -> None:
        self.members = members

    def __getitem__(self, key: str) -> Any:
        return self.members[key]

    def __iter__(self) -> Any:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)


class TestParse:
    @pytest.mark.parametrize("text", EXACT_TEXTS, ids=lambda text: text[:20])
    def test_exact_text_stays(self, text: str) -> None:
        assert ExactJson.parse(text).text == text
        assert ExactJson.parse(text.encode()).text == text
        assert ExactJson.parse(f" \t\r\n{text}\n ").text == text

    @given(layouts())
    def test_only_white_space_between_tokens_goes(self, layout: tuple[str, str]) -> None:
        compact, loose = layout

        kept = ExactJson.parse(loose)

        assert kept.text == compact
        assert ExactJson.parse(kept.text) == kept
        assert ExactJson.parse(bytearray(loose.encode())) == kept
        assert json.loads(kept.text, parse_int=str, parse_float=str) == json.loads(
            loose, parse_int=str, parse_float=str
        )

    def test_white_space_in_strings_stays(self) -> None:
        assert (
            ExactJson.parse('{ "a b" : "c  d\\n" , "e\\"  " : [ 1 , 2 ] }').text
            == '{"a b":"c  d\\n","e\\"  ":[1,2]}'
        )

    def test_repeated_keys_stay_and_the_last_counts(self) -> None:
        kept = ExactJson.parse('{"a":1,"a":2}')

        assert kept.text == '{"a":1,"a":2}'
        assert kept.value == {"a": 2}

    def test_raw_lone_surrogates_become_escapes(self) -> None:
        assert ExactJson.parse('"a\ud800"').text == '"a\\ud800"'
        assert ExactJson.parse('"a\ud800"').value == "a\ud800"
        assert ExactJson.parse('"\\\\\udfff"').value == "\\\udfff"

    def test_surrogates_side_by_side_become_one_character(self) -> None:
        assert ExactJson.parse('"\ud83d\ude00"').text == '"\\ud83d\\ude00"'
        assert ExactJson.parse('"\ud83d\ude00"').value == "😀"

    def test_the_text_is_always_utf8(self) -> None:
        assert ExactJson.parse('["\ud800","é"]').to_bytes() == '["\\ud800","é"]'.encode()

    @pytest.mark.parametrize(
        ("source", "position"),
        [
            ("", 0),
            (" ", 1),
            ("nul", 0),
            ("[1,]", 3),
            ("[1 2]", 3),
            ("1 2", 2),
            ('"a" "b"', 4),
            ("tr ue", 0),
            ("{'a':1}", 1),
            ('{"a" 1}', 5),
            ('{"a":1;"b":2}', 6),
            ('{"a":1}}', 7),
            ("01", 1),
            ("1.", 1),
            (".5", 0),
            ("+1", 0),
            ("١", 0),
            ('"a', 0),
            ('"\\x"', 1),
            ('"\\u12g4"', 3),
            ('"\x00"', 1),
            ('"a\nb"', 2),
            ("\ufeff[]", 0),
            (b"\xef\xbb\xbf[]", 0),
            (b'"ab\xff"', 3),
            (b'"\xed\xa0\x80"', 1),
            ("\u00a0[]", 0),
            ("NaN", None),
            ("[Infinity]", None),
            ("-Infinity", None),
        ],
        ids=repr,
    )
    def test_what_is_no_json_is_refused_with_its_position(
        self, source: str | bytes, position: int | None
    ) -> None:
        with pytest.raises(InvalidJsonError) as refused:
            ExactJson.parse(source, place="body")

        assert refused.value.place == "body"
        found = refused.value.position
        if position is None:
            assert found is None
        else:
            # Python's own releases differ by one: at a comma too many, or at what comes after it.
            assert found is not None
            assert abs(found - position) <= 1

    @pytest.mark.parametrize("source", [None, 3, ["[]"], {"a": 1}, object()])
    def test_other_types_are_refused(self, source: Any) -> None:
        with pytest.raises(InvalidJsonError) as refused:
            ExactJson.parse(source)

        assert type(source).__name__ in refused.value.reason

    @pytest.mark.parametrize("kind", "[{")
    def test_nesting_is_bounded(self, kind: str) -> None:
        for levels in (1, 200, MAX_NESTING):
            assert ExactJson.parse(nested(levels, kind)).text == nested(levels, kind)
            assert ExactJson.of(parse_value(nested(levels, kind))).text == nested(levels, kind)
        for levels in (MAX_NESTING + 1, 5_000, 200_000):
            with pytest.raises(InvalidJsonError) as refused:
                ExactJson.parse(nested(levels, kind))
            assert str(MAX_NESTING) in refused.value.reason

    def test_brackets_in_strings_are_no_nesting(self) -> None:
        text = json.dumps(["[{" * 300, {'\\"[': "[" * 300}, *([[]] * 300)], separators=(",", ":"))

        assert ExactJson.parse(text).text == text

    def test_an_envelope_may_nest_deeper(self) -> None:
        assert ExactJson.parse(nested(300), max_nesting=300).text == nested(300)
        with pytest.raises(InvalidJsonError):
            ExactJson.parse(nested(301), max_nesting=300)

    def test_deep_nesting_that_does_not_end_is_refused(self) -> None:
        for text in ("[" * 300, '{"a":' * 300, "[" * 100_000):
            with pytest.raises(InvalidJsonError):
                ExactJson.parse(text)


class TestOf:
    @given(values)
    def test_a_value_comes_back(self, value: Any) -> None:
        kept = ExactJson.of(value)

        back = kept.value
        assert back == value
        assert repr(back) == repr(value)  # -0.0, 1 and 1.0, True and 1, the order of keys
        assert ExactJson.parse(kept.text) == kept

    @given(plain_values)
    def test_the_text_is_what_json_dumps_writes(self, value: Any) -> None:
        dumped = json.dumps(value, ensure_ascii=False, separators=(",", ":"))

        assert ExactJson.of(value) == ExactJson.parse(dumped)

    @given(number_texts)
    def test_numbers_keep_their_spelling(self, text: str) -> None:
        assert ExactJson.of(NumberText(text)).text == text
        assert ExactJson.of([ExactJson.parse(text).value]).text == f"[{text}]"

    def test_exact_texts_stand_where_they_were_put(self) -> None:
        inner = ExactJson.parse('{"z":1.10,"a":1e400,"a":-0}')
        value = {
            "before": "text",
            "inner": inner,
            "list": [inner, NumberText("2.50"), (inner, {"deep": inner})],
            "decimals": [Decimal("1.10"), Decimal("1E+400"), Decimal("-0")],
            "after": 1,
        }

        assert ExactJson.of(value).text == (
            '{"before":"text","inner":I,"list":[I,2.50,[I,{"deep":I}]],"decimals":[1.10,1E+400,-0],"after":1}'
        ).replace("I", inner.text)
        assert ExactJson.of(inner) is inner

    @given(
        st.recursive(
            st.sampled_from(
                [MARKER, f'"{MARKER}"', f'x"{MARKER}', f'{MARKER}"', f'\\"{MARKER}\\"', MARKER * 2, ""]
            )
            | texts,
            lambda inner: (
                st.lists(inner | st.just(ExactJson.parse("1.10")), max_size=4)
                | st.dictionaries(
                    st.sampled_from([MARKER, f'"{MARKER}', "k"]),
                    inner | st.just(NumberText("-0")),
                    max_size=3,
                )
                | inner.map(lambda one: types.MappingProxyType({MARKER: one}))
            ),
            max_leaves=12,
        )
    )
    def test_values_that_hold_the_marker_itself(self, value: Any) -> None:
        def plain(one: Any) -> Any:
            if isinstance(one, ExactJson):
                return one.value
            if isinstance(one, Mapping):
                return {key: plain(member) for key, member in one.items()}
            return [plain(member) for member in one] if isinstance(one, list) else one

        assert ExactJson.of(value).value == plain(value)

    def test_nested_mappings_with_the_marker_do_not_multiply_the_work(self) -> None:
        value: Mapping[str, Any] = {"leaf": MARKER, "exact": NumberText("1.10")}
        for _ in range(100):
            value = types.MappingProxyType({"m": MARKER, "inner": value})

        found = ExactJson.of(value).value
        for _ in range(100):
            found = found["inner"]

        assert found == {"leaf": MARKER, "exact": NumberText("1.10")}

    def test_what_behaves_like_json_is_taken(self) -> None:
        class Level(IntEnum):
            HIGH = 3

        class Colour(StrEnum):
            RED = "red"

        pair = namedtuple("pair", "x y")
        value = [
            (1, 2),
            pair(1, 2),
            OrderedDict(b=1, a=2),
            UserDict({"k": [1]}),
            types.MappingProxyType({"k": {"l": NumberText("1.0")}}),
            Level.HIGH,
            Colour.RED,
        ]

        assert ExactJson.of(value).text == '[[1,2],[1,2],{"b":1,"a":2},{"k":[1]},{"k":{"l":1.0}},3,"red"]'

    @pytest.mark.parametrize(
        "value",
        [
            float("nan"),
            float("inf"),
            [-float("inf")],
            Decimal("NaN"),
            Decimal("Infinity"),
            b"bytes",
            {1, 2},
            object(),
            1j,
            iter([1]),
            {1: "a"},
            {None: "a"},
            {True: "a"},
            {("a",): 1},
            [{"a": [{2.5: 1}]}],
            types.MappingProxyType({1: 2}),
            [Sealed({"k": {3: 4}})],
            10**5000,
        ],
        ids=lambda value: repr(value)[:24] if value != 10**5000 else "5001 digits",
    )
    def test_what_has_no_json_form_is_refused(self, value: Any) -> None:
        with pytest.raises(InvalidJsonError) as refused:
            ExactJson.of(value, place="parts[0].arguments")

        assert refused.value.place == "parts[0].arguments"

    def test_a_key_that_is_no_plain_string_is_shown_briefly(self) -> None:
        class Key(str):
            pass

        with pytest.raises(InvalidJsonError) as refused:
            ExactJson.of({Key("k" * 100_000): 1})

        assert len(refused.value.reason) < 300

    @pytest.mark.parametrize(
        "wrap",
        [
            lambda inner: [inner],
            lambda inner: (inner,),
            lambda inner: {"k": inner},
            lambda inner: types.MappingProxyType({"k": inner}),
            lambda inner: Sealed({"k": inner}),
            lambda inner: [Sealed({"k": inner})],
        ],
        ids=["list", "tuple", "dict", "proxy", "mapping", "list of mapping"],
    )
    def test_nesting_is_bounded(self, wrap: Callable[[Any], Any]) -> None:
        value: Any = 1
        while ExactJson.of(value).text.count("[") + ExactJson.of(value).text.count("{") < MAX_NESTING - 1:
            value = wrap(value)
        assert ExactJson.parse(ExactJson.of(value).text) == ExactJson.of(value)

        for _ in range(2):
            value = wrap(value)
        with pytest.raises(InvalidJsonError):
            ExactJson.of(value)

        for _ in range(5_000):
            value = wrap(value)
        with pytest.raises(InvalidJsonError):
            ExactJson.of(value)
        # Taken apart by hand: Python before 3.12 recurses when it frees such a chain of mappings.
        while not isinstance(value, int):
            (value,) = value.values() if isinstance(value, Mapping) else value

    def test_exact_json_adds_to_the_nesting(self) -> None:
        deepest = ExactJson.parse(nested(MAX_NESTING))

        with pytest.raises(InvalidJsonError):
            ExactJson.of([deepest])

    def test_circles_end(self) -> None:
        narrow: list[Any] = []
        narrow.append(narrow)
        wide: list[Any] = []
        wide.extend([wide] * 1000)
        through_dict: dict[str, Any] = {}
        through_dict.update(a=[through_dict, through_dict], b=through_dict)
        members: dict[str, Any] = {}
        sealed = Sealed(members)
        members.update(a=sealed, b=[sealed, sealed])

        for value in (narrow, wide, through_dict, sealed):
            with pytest.raises(InvalidJsonError):
                ExactJson.of(value)

    def test_small_values_that_would_never_end_are_refused(self) -> None:
        value: list[Any] = []
        for _ in range(60):
            value = [value, value]

        with pytest.raises(InvalidJsonError):
            ExactJson.of(value)

    def test_separate_surrogates_side_by_side_become_one_character(self) -> None:
        assert ExactJson.of("\ud83d\ude00").value == "😀"


class TestLargeTexts:
    """Linear or it does not end here: a quadratic step would take hours on these."""

    def test_fourteen_megabytes_in_one_string(self) -> None:
        for text in ("x" * 14_000_000, '\\"' * 7_000_000, "é\n" * 7_000_000):
            kept = ExactJson.of({"text": text})
            assert ExactJson.parse(kept.text).value == {"text": text}

    def test_a_megabyte_of_numbers_in_any_layout(self) -> None:
        numbers = ["1.10", "1e400", "-0", "12", "0.5"] * 40_000
        compact = "[" + ",".join(numbers) + "]"

        assert ExactJson.parse("[ " + " ,\n".join(numbers) + " ]").text == compact
        assert ExactJson.of(parse_value(compact)).text == compact

    def test_one_number_of_a_megabyte(self) -> None:
        for number in ("1" * 1_000_000, "0." + "1" * 1_000_000, "1e" + "9" * 1_000_000):
            kept = ExactJson.parse(number)
            assert kept.text == number
            assert kept.value == NumberText(number)

    def test_many_small_containers(self) -> None:
        text = "[" + ",".join(['{"a":[{}]}'] * 100_000) + "]"

        assert ExactJson.parse(text).text == text
        assert ExactJson.of(parse_value(text)).text == text

    def test_many_exact_texts(self) -> None:
        kept = ExactJson.of([NumberText("1.10"), MARKER] * 50_000)

        assert kept.text == "[" + ",".join(["1.10", f'"{MARKER}"'] * 50_000) + "]"


class TestValue:
    def test_calling_the_class_is_parsing(self) -> None:
        assert ExactJson(' {"a" : 1.10} ') == ExactJson.parse('{"a":1.10}')
        for text in ("{}}", "not json", "", 3):
            with pytest.raises(InvalidJsonError):
                ExactJson(text)  # type: ignore[arg-type]  # one of them is the wrong type on purpose

    def test_it_is_a_value(self) -> None:
        one, other = ExactJson.parse('{"a":1.10}'), ExactJson.parse('{"a": 1.10}')

        assert one == other
        assert hash(one) == hash(other)
        assert one != ExactJson.parse('{"a":1.1}')
        for copied in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):  # noqa: S301  # own bytes
            assert copied == one
        with pytest.raises(AttributeError):
            one.text = "{}"  # type: ignore[misc]  # frozen: that is the test

    def test_changing_the_parsed_value_changes_nothing(self) -> None:
        kept = ExactJson.parse('{"a":[1]}')

        kept.value["a"].append(2)

        assert kept.value == {"a": [1]}

    def test_a_subclass_of_str_leaves_only_its_text(self) -> None:
        class Marked(str):
            def __str__(self) -> str:
                return "no"

        assert type(ExactJson.parse(Marked("[1]")).text) is str
        assert ExactJson.parse(Marked("[1]")).text == "[1]"

    def test_only_objects_are_objects(self) -> None:
        assert ExactJson.parse(' {"a":1}').is_object
        assert not any(ExactJson.parse(text).is_object for text in ("[]", '"{"', "1", "null"))

    def test_repr_is_short(self) -> None:
        assert repr(ExactJson.parse("[1]")) == "ExactJson(text='[1]')"
        assert len(repr(ExactJson.of("x" * 1_000_000))) < 300

    def test_damaged_text_is_a_typed_error(self) -> None:
        with pytest.raises(InvalidJsonError):
            _ = ExactJson.stored('{"a":').value


@given(texts)
def test_quote_writes_a_json_string(text: str) -> None:
    quoted = quote(text)

    assert json.loads(quoted) == text
    assert quoted == ExactJson.of(text).text
    assert quoted.encode()


def test_reading_gives_python_numbers_where_they_spell_the_same() -> None:
    assert parse_value("[1,1.5,1e+16,-0.0,1.10,-0,1e16]") == [
        1,
        1.5,
        1e16,
        -0.0,
        NumberText("1.10"),
        NumberText("-0"),
        NumberText("1e16"),
    ]
    with pytest.raises(InvalidJsonError):
        parse_value("[")


def test_brackets_inside_a_string_are_no_nesting() -> None:
    text = "[" * 300
    assert ExactJson.of(text) == ExactJson.parse(f'"{text}"')
