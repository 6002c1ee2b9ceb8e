"""Prompt versions and tool sets: named by their exact JSON, equal names for equal texts only, and back again."""

import copy
import pickle
import types
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.domain.exact_json import ExactJson
from convotree.domain.limits import MAX_PROMPT_BYTES
from convotree.domain.part_codec import encode_parts
from convotree.domain.parts import Part, TextPart
from convotree.domain.prompt import PromptVersion, SystemPrompt, Tool, ToolSet, content_id
from convotree.errors import (
    ContentTooLargeError,
    ConvotreeError,
    InvalidArgumentError,
    InvalidJsonError,
    InvalidMessageError,
)
from tests.domain.json_values import layouts, objects, texts
from tests.domain.part_values import exact, exact_objects, parts

optional = st.none() | texts
tools = st.builds(
    Tool,
    texts,
    optional,
    st.none() | exact_objects | st.sampled_from([ExactJson.parse("true"), ExactJson.parse("false")]),
    optional,
    st.none() | exact_objects,
    st.none() | exact_objects,
    st.none() | exact,
)
prompts: st.SearchStrategy[SystemPrompt] = texts | st.lists(parts, max_size=3).map(tuple)

SCHEMA = ExactJson.parse('{"type":"object","properties":{"n":{"maximum":1.10}}}')
FULL = Tool(
    "f", "does it", SCHEMA, "anthropic", SCHEMA, ExactJson.parse('{"a":{}}'), ExactJson.parse('{"t":1}')
)


class TestTool:
    @given(tools)
    def test_a_tool_comes_back(self, tool: Tool) -> None:
        text = tool.to_text()

        assert Tool.from_text(text) == tool
        assert ExactJson.parse(text).text == text

    @given(tools, tools)
    def test_equal_tools_have_equal_texts_and_others_have_not(self, one: Tool, other: Tool) -> None:
        assert (one == other) == (one.to_text() == other.to_text())

    def test_the_text_of_a_tool(self) -> None:
        assert Tool("f").to_text() == '{"name":"f"}'
        assert FULL.to_text() == (
            '{"name":"f","description":"does it","input_schema":S,"provider":"anthropic","definition":S,'
            '"provider_data":{"a":{}},"cache_marker":{"t":1}}'
        ).replace("S", SCHEMA.text)

    def test_from_itself_and_from_a_mapping(self) -> None:
        assert Tool.of(FULL) is FULL
        assert Tool.of({"name": "f"}) == Tool("f")
        assert Tool.of({"name": "f", "description": None, "input_schema": {"a": 1.5}}) == Tool(
            "f", None, ExactJson.parse('{"a":1.5}')
        )
        assert Tool.of(types.MappingProxyType({"name": "f", "input_schema": SCHEMA})) == Tool(
            "f", None, SCHEMA
        )

    @pytest.mark.parametrize(
        ("value", "place"),
        [
            (None, "tools[2]"),
            ("f", "tools[2]"),
            (["f"], "tools[2]"),
            ({}, "tools[2].name"),
            ({"description": "x"}, "tools[2].name"),
            ({"name": None}, "tools[2].name"),
            ({"name": 3}, "tools[2].name"),
            ({"name": "f", "description": 3}, "tools[2].description"),
            ({"name": "f", "provider": b"p"}, "tools[2].provider"),
            ({"name": "f", "input_schema": "{}"}, "tools[2].input_schema"),
            ({"name": "f", "input_schema": []}, "tools[2].input_schema"),
            ({"name": "f", "input_schema": 3}, "tools[2].input_schema"),
            ({"name": "f", "input_schema": {"a": {1, 2}}}, "tools[2].input_schema"),
            ({"name": "f", "input_schema": {1: 2}}, "tools[2].input_schema"),
            ({"name": "f", "input_schema": {"a": float("nan")}}, "tools[2].input_schema"),
            ({"name": "f", "definition": True}, "tools[2].definition"),
            ({"name": "f", "provider_data": []}, "tools[2].provider_data"),
            ({"name": "f", "cache_marker": "x"}, "tools[2].cache_marker"),
            ({"name": "f", "parameters": {}}, "tools[2].parameters"),
            ({"name": "f", 3: {}}, "tools[2].3"),
            ({"name": "f", None: {}}, "tools[2].None"),
        ],
    )
    def test_anything_else_is_refused_by_place(self, value: Any, place: str) -> None:
        with pytest.raises((InvalidMessageError, InvalidJsonError)) as refused:
            Tool.of(value, place="tools[2]")
        assert str(refused.value).startswith(f"{place}: ")

        with pytest.raises((InvalidMessageError, InvalidJsonError)) as within:
            ToolSet.of([FULL, FULL, value])
        assert str(within.value).startswith(f"{place}: ")

    @pytest.mark.parametrize(
        ("text", "place"),
        [
            ("{}", "tool.name"),
            ('{"name":null}', "tool.name"),
            ('{"name":3}', "tool.name"),
            ('{"name":"f","name":"g"}', "tool.name"),
            ('{"name":"f","description":null}', "tool.description"),
            ('{"name":"f","input_schema":null}', "tool.input_schema"),
            ('{"name":"f","input_schema":[]}', "tool.input_schema"),
            ('{"name":"f","definition":"x"}', "tool.definition"),
            ('{"name":"f","colour":1}', "tool.colour"),
            ("", "tool"),
            ("[]", "tool"),
            ('"f"', "tool"),
            ('{"name":"f"', "tool"),
            ('{"name":"f"}}', "tool"),
        ],
    )
    def test_other_text_is_refused_by_place(self, text: str, place: str) -> None:
        with pytest.raises((InvalidMessageError, InvalidJsonError)) as refused:
            Tool.from_text(text)

        assert str(refused.value).startswith(f"{place}: ")

    @pytest.mark.parametrize("field", ["name", "description", "provider"])
    def test_the_constructor_checks_too(self, field: str) -> None:
        wrong: dict[str, Any] = {"name": "f", field: 3}

        with pytest.raises(InvalidMessageError) as refused:
            Tool(**wrong)

        assert refused.value.place == f"Tool.{field}"

    def test_tools_are_values(self) -> None:
        for copied in (copy.deepcopy(FULL), pickle.loads(pickle.dumps(FULL))):  # noqa: S301  # own bytes
            assert copied == FULL
            assert hash(copied) == hash(FULL)


class TestPromptVersion:
    @given(prompts)
    def test_a_prompt_comes_back(self, system: SystemPrompt) -> None:
        version = PromptVersion.of(system)

        assert version.system == system
        assert version.id == content_id(version.text) == "sha256:" + sha256(version.text.encode()).hexdigest()
        assert ExactJson.parse(version.text).text == version.text

    @given(prompts, prompts)
    def test_ids_are_equal_exactly_when_the_texts_are(self, one: SystemPrompt, other: SystemPrompt) -> None:
        first, second = PromptVersion.of(one), PromptVersion.of(other)

        assert (first.id == second.id) == (first.text == second.text) == (one == other)

    def test_one_text_is_a_string_and_parts_are_an_array(self) -> None:
        assert PromptVersion.of("Be brief.").text == '"Be brief."'
        assert PromptVersion.of([TextPart("Be brief.")]).text == encode_parts((TextPart("Be brief."),))
        assert PromptVersion.of(TextPart("x")) == PromptVersion.of((TextPart("x"),))  # type: ignore[arg-type]  # one part is taken too
        assert PromptVersion.of("x").id != PromptVersion.of([TextPart("x")]).id

    def test_a_known_id(self) -> None:
        """Stored ids must stay what they are: this is the form they have had since the first release."""
        assert (
            PromptVersion.of("Be brief.").id
            == "sha256:" + sha256(b'"Be brief."').hexdigest()
            == "sha256:fecef222d7732bb717f79edfbfe005707890d72608deefc4dd8171a5980dd5d0"
        )

    @given(layouts(), layouts())
    def test_spelling_counts(self, one: tuple[str, str], other: tuple[str, str]) -> None:
        def version(text: str) -> PromptVersion:
            return PromptVersion.of([TextPart("x", cache_marker=ExactJson.parse(text))])

        assert version(one[0]) == version(one[1])
        assert (version(one[0]).id == version(other[0]).id) == (one[0] == other[0])

    @pytest.mark.parametrize(
        "system", [None, 3, b"x", {"type": "text"}, ["x"], [TextPart("x"), None], object()]
    )
    def test_what_is_no_prompt_is_refused(self, system: Any) -> None:
        with pytest.raises(InvalidMessageError):
            PromptVersion.of(system)

    def test_size_is_bounded_in_bytes(self) -> None:
        fits = "é" * ((MAX_PROMPT_BYTES - 2) // 2)
        assert PromptVersion.of(fits).system == fits

        with pytest.raises(ContentTooLargeError) as refused:
            PromptVersion.of(fits + "x")
        assert (refused.value.size, refused.value.limit) == (MAX_PROMPT_BYTES + 1, MAX_PROMPT_BYTES)

    @pytest.mark.parametrize("text", ["", '"', "[", "3", "{}", '[{"type":"poem"}]', '"a"b'])
    def test_damaged_text_is_a_typed_error(self, text: str) -> None:
        with pytest.raises(ConvotreeError):
            _ = PromptVersion("sha256:0", text).system


class TestToolSet:
    @given(st.lists(tools, max_size=3))
    def test_tools_come_back_in_order(self, several: list[Tool]) -> None:
        tool_set = ToolSet.of(several)

        assert tool_set.tools == tuple(several)
        assert tool_set.id == content_id(tool_set.text)
        assert ToolSet.of(tool for tool in several) == tool_set
        assert ToolSet.of(tool_set.tools) == tool_set

    @given(st.lists(tools, max_size=2), st.lists(tools, max_size=2))
    def test_ids_are_equal_exactly_when_the_tools_are(self, one: list[Tool], other: list[Tool]) -> None:
        assert (ToolSet.of(one).id == ToolSet.of(other).id) == (one == other)

    @given(objects)
    def test_a_mapping_and_its_exact_json_are_the_same_tool(self, schema: dict[str, Any]) -> None:
        assert ToolSet.of([{"name": "f", "input_schema": schema}]) == ToolSet.of(
            [Tool("f", input_schema=ExactJson.of(schema))]
        )

    def test_order_and_spelling_count(self) -> None:
        one, other = Tool("a", input_schema=ExactJson.parse('{"m":1.10}')), Tool("b")

        assert ToolSet.of([one, other]).id != ToolSet.of([other, one]).id
        assert ToolSet.of([one]).id != ToolSet.of([Tool("a", input_schema=ExactJson.parse('{"m":1.1}'))]).id

    @pytest.mark.parametrize("given_tools", [None, 3, "f", b"f", {"name": "f"}, FULL])
    def test_what_is_no_sequence_is_refused(self, given_tools: Any) -> None:
        with pytest.raises(InvalidArgumentError) as refused:
            ToolSet.of(given_tools)

        assert refused.value.argument == "tools"

    def test_size_is_bounded(self) -> None:
        with pytest.raises(ContentTooLargeError):
            ToolSet.of([Tool("f", "x" * MAX_PROMPT_BYTES)])

    @pytest.mark.parametrize("text", ["", "[", "{}", "[3]", '[{"name":3}]'])
    def test_damaged_text_is_a_typed_error(self, text: str) -> None:
        with pytest.raises(ConvotreeError):
            _ = ToolSet("sha256:0", text).tools


def test_repr_is_short() -> None:
    part: Part = TextPart("x" * 1_000_000)

    assert len(repr(PromptVersion.of([part]))) < 500
    assert len(repr(ToolSet.of([Tool("f", "x" * 1_000_000)]))) < 500
    assert len(repr(Tool("f", "x" * 1_000_000))) < 500
