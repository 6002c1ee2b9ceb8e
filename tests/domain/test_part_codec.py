"""The JSON form of parts: what is written is read back equal, and nothing else is read."""

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.domain.exact_json import MAX_NESTING, ExactJson, split_array, split_object
from convotree.domain.media import MediaSource
from convotree.domain.part_codec import (
    MAX_PARTS_NESTING,
    decode_part,
    decode_parts,
    encode_part,
    encode_parts,
    part_type,
)
from convotree.domain.parts import (
    MAX_RESULT_NESTING,
    CompactionPart,
    ImagePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.errors import ConvotreeError, InvalidJsonError, InvalidMessageError
from tests.domain.json_values import layouts
from tests.domain.part_values import one_of_each, parts


def results_within(levels: int) -> str:
    opening = '{"type":"tool_result","tool_call_id":"t","content":['
    return opening * levels + '{"type":"text","text":"x"}' + "]}" * levels


class TestRoundTrip:
    @given(parts)
    def test_every_part_comes_back(self, part: Part) -> None:
        text = encode_part(part)

        assert decode_part(text) == part
        assert ExactJson.parse(text, max_nesting=MAX_PARTS_NESTING).text == text

    @given(st.lists(parts, max_size=4).map(tuple))
    def test_parts_come_back_in_order(self, several: tuple[Part, ...]) -> None:
        text = encode_parts(several)

        assert decode_parts(text) == several
        assert split_array(text) == [encode_part(part) for part in several]

    @given(parts, st.randoms())
    def test_the_order_of_members_does_not_matter(self, part: Part, random: Any) -> None:
        members = list(split_object(encode_part(part)).items())
        random.shuffle(members)

        assert decode_part("{" + ",".join(f'"{key}":{text}' for key, text in members) + "}") == part

    @given(parts, parts)
    def test_equal_parts_have_equal_texts_and_others_have_not(self, one: Part, other: Part) -> None:
        assert (one == other) == (encode_part(one) == encode_part(other))

    def test_every_kind_is_covered(self) -> None:
        made = one_of_each()

        assert {type(part) for part in made} == set(get_args(Part))
        assert {type(part.source) for part in made if hasattr(part, "source")} == set(get_args(MediaSource))
        assert decode_parts(encode_parts(tuple(made))) == tuple(made)

    @pytest.mark.parametrize("part", one_of_each(), ids=part_type)
    def test_the_type_stands_first(self, part: Part) -> None:
        assert json.loads(encode_part(part))["type"] == part_type(part)
        assert encode_part(part).startswith('{"type":"' + part_type(part) + '"')

    @pytest.mark.parametrize(
        ("part", "text"),
        [
            (TextPart("a\u0000\n"), '{"type":"text","text":"a\\u0000\\n"}'),
            (TextPart("\ud800"), '{"type":"text","text":"\\ud800"}'),
            (ReasoningPart(), '{"type":"reasoning","text":""}'),
            (CompactionPart(), '{"type":"compaction"}'),
            (
                ToolCallPart("t", "f", ExactJson.parse('{"b":1.10,"a":1e400,"b":-0}')),
                '{"type":"tool_call","tool_call_id":"t","name":"f","arguments":{"b":1.10,"a":1e400,"b":-0}}',
            ),
            (
                ToolResultPart("t", (TextPart("4"),), is_error=False, as_string=True),
                '{"type":"tool_result","tool_call_id":"t","content":[{"type":"text","text":"4"}],'
                '"is_error":false,"as_string":true}',
            ),
            (ToolResultPart("t"), '{"type":"tool_result","tool_call_id":"t","content":[]}'),
        ],
        ids=lambda value: part_type(value) if not isinstance(value, str) else "",
    )
    def test_the_text_of_a_part(self, part: Part, text: str) -> None:
        assert encode_part(part) == text
        assert decode_part(text) == part

    @given(layouts())
    def test_json_of_callers_is_untouched(self, layout: tuple[str, str]) -> None:
        compact, _ = layout
        text = f'{{"type":"tool_call","tool_call_id":"t","name":"f","arguments":{compact}}}'

        part = decode_part(text)

        assert isinstance(part, ToolCallPart)
        assert part.arguments.text == compact
        assert encode_part(part) == text


class TestRefusals:
    @pytest.mark.parametrize(
        ("text", "place"),
        [
            ("5", "part"),
            ("[]", "part"),
            ('"text"', "part"),
            ("null", "part"),
            ("{}", "part.type"),
            ('{"text":"x"}', "part.type"),
            ('{"type":"poem"}', "part.type"),
            ('{"type":"url","url":"x"}', "part.type"),
            ('{"type":5}', "part.type"),
            ('{"type":null,"text":"x"}', "part.type"),
            ('{"text":"x","type":5}', "part.type"),
            ('{"type":"text","type":"text","text":"x"}', "part.type"),
            ('{"text":"x","type":"text","type":"text"}', "part.type"),
            ('{"type":5,"type":"text","text":"x"}', "part.type"),
            ('{"type":"text"}', "part.text"),
            ('{"type":"text","text":5}', "part.text"),
            ('{"type":"text","text":null}', "part.text"),
            ('{"type":"text","text":["x"]}', "part.text"),
            ('{"type":"text","text":"x","text":"y"}', "part.text"),
            ('{"text":"x","text":"y","type":"text"}', "part.text"),
            ('{"type":"text","text":"x","colour":1}', "part.colour"),
            ('{"type":"text","text":"x","signature":null}', "part.signature"),
            ('{"type":"text","text":"x","signature":3}', "part.signature"),
            ('{"type":"text","text":"x","provider_data":[]}', "part.provider_data"),
            ('{"type":"text","text":"x","provider_data":null}', "part.provider_data"),
            ('{"type":"tool_call","name":"f","arguments":{}}', "part.tool_call_id"),
            ('{"type":"tool_call","tool_call_id":"t","name":"f"}', "part.arguments"),
            ('{"type":"tool_result","tool_call_id":"t"}', "part.content"),
            ('{"type":"tool_result","tool_call_id":"t","content":"x"}', "part.content"),
            ('{"type":"tool_result","tool_call_id":"t","content":{}}', "part.content"),
            ('{"type":"tool_result","tool_call_id":"t","content":[],"is_error":1}', "part.is_error"),
            ('{"type":"tool_result","tool_call_id":"t","content":[],"is_error":null}', "part.is_error"),
            ('{"type":"tool_result","tool_call_id":"t","content":[],"as_string":true}', "part.as_string"),
            ('{"type":"tool_result","tool_call_id":"t","content":[5]}', "part.content[0]"),
            (
                '{"type":"tool_result","tool_call_id":"t","content":[{"type":"text","text":"x"},{"type":"text"}]}',
                "part.content[1].text",
            ),
            (
                '{"type":"tool_result","tool_call_id":"t","content":[{"type":"tool_result","tool_call_id":"u",'
                '"content":[{"type":"image","source":{"type":"url","url":7}}]}]}',
                "part.content[0].content[0].source.url",
            ),
            ('{"type":"image"}', "part.source"),
            ('{"type":"image","source":"x"}', "part.source"),
            ('{"type":"image","source":{}}', "part.source.type"),
            ('{"type":"image","source":{"type":"text_part"}}', "part.source.type"),
            ('{"type":"image","source":{"type":"base64","data":"x"}}', "part.source.media_type"),
            ('{"type":"image","source":{"type":"url","url":"x","x":1}}', "part.source.x"),
        ],
    )
    def test_json_that_is_no_part_is_refused_by_place(self, text: str, place: str) -> None:
        with pytest.raises(InvalidMessageError) as refused:
            decode_part(text)

        assert refused.value.place == place
        with pytest.raises(InvalidMessageError) as within:
            decode_parts(f'[{{"type":"text","text":"x"}},{text}]', place="messages[3].parts")
        assert within.value.place == place.replace("part", "messages[3].parts[1]", 1)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "{",
            '{"type"',
            '{"type":',
            '{"type":"text',
            '{"type":"text"',
            '{"type":"text",',
            '{"type":"text","text"',
            '{"type":"text","text":',
            '{"type":"text","text":"x',
            '{"type":"text","text":"x"',
            '{"type":"text","text":"x",}',
            '{"type":"text","text":"x"]',
            '{"type":"refusal","text":"x"]',
            '{"type":"text";"text":"x"}',
            '{"type":"text","text""x"}',
            '{"type":"text",text:"x"}',
            '{"type":"text","text":"x"}x',
            '{"type":"text","text":"x"}}',
            '{"type":"text","text":"\x00"}',
            '{"type":"text","text":"\\x"}',
            '{"type":"text","text":"x","citations":nul}',
            '{"type":"text","text":"x","citations":NaN}',
            '{"type":"text","text":"x","citations":}',
            '{"type":"tool_result","tool_call_id":"t","content":[',
            '{"type":"tool_result","tool_call_id":"t","content":[}',
            '{"type":"tool_result","tool_call_id":"t","content":[{"type":"text","text":"x"}',
            '{"type":"tool_result","tool_call_id":"t","content":[{"type":"text","text":"x"};]}',
            '{"type":"tool_result","tool_call_id":"t","content":[],"is_error":',
            ' {"type":"text","text":"x"}',
            '{"text":"x","type":"text"',
        ],
    )
    def test_text_that_is_no_compact_json_is_refused(self, text: str) -> None:
        with pytest.raises((InvalidJsonError, InvalidMessageError)) as refused:
            decode_part(text, place="stored")

        assert str(refused.value).startswith("stored")
        with pytest.raises((InvalidJsonError, InvalidMessageError)):
            decode_parts(f"[{text}")

    @pytest.mark.parametrize("text", ["", "[", "[]]", "[,]", "[] ", '[{"type":"text","text":"x"},]'])
    def test_broken_arrays_are_refused(self, text: str) -> None:
        with pytest.raises(ConvotreeError):
            decode_parts(text)

    def test_what_is_no_array_is_refused(self) -> None:
        with pytest.raises(InvalidMessageError) as refused:
            decode_parts("{}", place="system")

        assert refused.value.place == "system"

    @given(parts, st.data())
    def test_no_damage_gives_another_error(self, part: Part, data: st.DataObject) -> None:
        """Stored bytes may come back damaged: cut, or with one character changed."""
        text = encode_part(part)
        position = data.draw(st.integers(0, len(text) - 1))
        character = data.draw(
            st.sampled_from(["", "x", '"', "{", "}", "[", "]", ",", ":", "\\", "1", "\x00", " "])
        )

        for damaged in (text[:position], text[:position] + character + text[position + 1 :]):
            try:
                read = decode_part(damaged)
            except (InvalidJsonError, InvalidMessageError):
                continue
            assert decode_part(encode_part(read)) == read

    @given(layouts())
    def test_no_json_gives_another_error(self, layout: tuple[str, str]) -> None:
        for text in layout:
            for read in (decode_part, decode_parts):
                try:
                    read(text)
                except (InvalidJsonError, InvalidMessageError):
                    continue
                assert text == "[]"

    @pytest.mark.parametrize("value", [None, 3, "text", object(), UserWarning, ("t",)])
    def test_only_parts_are_written(self, value: Any) -> None:
        for write in (encode_part, part_type, lambda part: encode_parts((part,))):
            with pytest.raises(InvalidMessageError):
                write(value)

    def test_a_source_is_no_part(self) -> None:
        image = next(part for part in one_of_each() if isinstance(part, ImagePart))

        with pytest.raises(InvalidMessageError):
            encode_part(image.source)  # type: ignore[arg-type]  # that is the test

    def test_long_names_are_not_repeated_at_length(self) -> None:
        for text in ('{"type":"' + "x" * 100_000 + '"}', '{"type":"text","' + "x" * 100_000 + '":1}'):
            with pytest.raises(InvalidMessageError) as refused:
                decode_part(text)
            assert len(str(refused.value)) < 1000


class TestNesting:
    def test_tool_results_nest_up_to_the_limit(self) -> None:
        text = results_within(MAX_RESULT_NESTING)

        assert encode_part(decode_part(text)) == text

    @pytest.mark.parametrize("levels", [MAX_RESULT_NESTING + 1, 100, 300, 1_000, 50_000])
    def test_deeper_is_refused_at_any_depth(self, levels: int) -> None:
        for text in (results_within(levels), results_within(levels)[: levels * 20]):
            with pytest.raises((InvalidMessageError, InvalidJsonError)):
                decode_part(text)

    def test_the_first_level_too_many_is_named(self) -> None:
        for levels in (MAX_RESULT_NESTING + 1, 100, 1_000):
            with pytest.raises(InvalidMessageError) as refused:
                decode_part(results_within(levels))
            assert refused.value.place == "part" + ".content[0]" * MAX_RESULT_NESTING + ".content"

    def test_deep_results_with_their_type_elsewhere_are_refused(self) -> None:
        text = '{"text":"x","type":"text"}'
        for _ in range(300):
            text = f'{{"content":[{text}],"tool_call_id":"t","type":"tool_result"}}'

        with pytest.raises((InvalidMessageError, InvalidJsonError)):
            decode_part(text)

    def test_the_deepest_json_in_the_deepest_result(self) -> None:
        part: Part = ToolCallPart("t", "f", ExactJson.parse("[" * MAX_NESTING + "]" * MAX_NESTING))
        for _ in range(MAX_RESULT_NESTING):
            part = ToolResultPart("t", (part,))
        text = encode_parts((part,))

        assert decode_parts(ExactJson.parse(text, max_nesting=MAX_PARTS_NESTING + 1).text) == (part,)
        assert decode_part(ExactJson.parse(text[1:-1], max_nesting=MAX_PARTS_NESTING).text) == part


class TestLargeParts:
    def test_fourteen_megabytes(self) -> None:
        for part in (
            TextPart("é" * 7_000_000),
            ToolCallPart("t", "f", ExactJson.of({"x": "y" * 14_000_000})),
        ):
            assert decode_part(encode_part(part)) == part

    def test_many_parts(self) -> None:
        result = ToolResultPart(
            "t", (TextPart("x"), ToolCallPart("t", "f", ExactJson.of({"n": 1.5}))) * 50_000
        )

        assert decode_part(encode_part(result)) == result
