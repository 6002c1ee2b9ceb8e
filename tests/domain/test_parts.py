"""Parts: every field's type is checked where the part is made, and equal parts are equal values."""

import copy
import pickle
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import UrlSource
from convotree.domain.part_codec import part_type
from convotree.domain.parts import (
    MAX_RESULT_NESTING,
    AudioPart,
    CompactionPart,
    DocumentPart,
    HostedCallPart,
    HostedResultPart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    checked_parts,
)
from convotree.errors import InvalidJsonError, InvalidMessageError
from tests.domain.part_values import one_of_each, parts

URL = UrlSource("https://example.org/a.png")
EMPTY = ExactJson.parse("{}")

# class, arguments that are right; each wrong field is put in by name
RIGHT: dict[type[Any], dict[str, Any]] = {
    TextPart: {"text": "x"},
    ReasoningPart: {"text": "x"},
    ImagePart: {"source": URL},
    DocumentPart: {"source": URL},
    AudioPart: {"source": URL},
    ToolCallPart: {"tool_call_id": "t", "name": "f", "arguments": EMPTY},
    ToolResultPart: {"tool_call_id": "t", "content": (TextPart("x"),)},
    HostedCallPart: {"provider": "p", "kind": "k", "tool_call_id": "t", "name": "f", "arguments": EMPTY},
    HostedResultPart: {"provider": "p", "kind": "k", "tool_call_id": "t", "content": EMPTY},
    RefusalPart: {"text": "x"},
    CompactionPart: {"text": "x"},
    OpaquePart: {"provider": "p", "kind": "k", "content": EMPTY},
}
TEXTS = {"text", "tool_call_id", "name", "provider", "kind"}
OPTIONAL_TEXTS = {"signature", "encrypted"}
WRONG_TEXTS: list[Any] = [3, b"x", ["x"], {"text": "x"}, True, TextPart("x")]
WRONG_OBJECTS: list[Any] = [
    "{}",
    b"{}",
    3,
    [],
    [{}],
    ExactJson.parse("[]"),
    ExactJson.parse('"{}"'),
    True,
    object(),
]
WRONG_JSON: list[Any] = ["{}", '{"a":1}', b"{}", {1, 2}, object(), {1: 2}, float("nan")]


def wrong_fields() -> list[tuple[type[Any], str, Any]]:
    wrong: list[tuple[type[Any], str, Any]] = []
    for cls, right in RIGHT.items():
        names = cls.__dataclass_fields__
        wrong += [(cls, name, value) for name in sorted(TEXTS & set(names)) for value in WRONG_TEXTS]
        wrong += [(cls, name, value) for name in sorted(OPTIONAL_TEXTS & set(names)) for value in WRONG_TEXTS]
        wrong += [(cls, name, None) for name in sorted(TEXTS & set(right)) if cls is not CompactionPart]
        if "provider_data" in names:
            wrong += [(cls, "provider_data", value) for value in WRONG_OBJECTS]
        wrong += [(cls, "cache_marker", value) for value in WRONG_JSON]
        if "source" in names:
            wrong += [
                (cls, "source", value) for value in (None, "https://example.org", {"url": "x"}, UrlSource, 3)
            ]
    wrong += [(ToolCallPart, "arguments", value) for value in [None, *WRONG_JSON]]
    wrong += [(HostedCallPart, "arguments", value) for value in [None, *WRONG_JSON]]
    wrong += [(HostedResultPart, "content", value) for value in [None, *WRONG_JSON]]
    wrong += [(OpaquePart, "content", value) for value in [None, *WRONG_JSON]]
    wrong += [(TextPart, "citations", value) for value in WRONG_JSON]
    wrong += [(ToolResultPart, "is_error", value) for value in (1, 0, "true", ())]
    wrong += [(ToolResultPart, "as_string", value) for value in (1, 0, "true", None)]
    wrong += [
        (ToolResultPart, "content", value)
        for value in (None, 3, "text", b"text", {"type": "text"}, ["text"], [None])
    ]
    return wrong


@pytest.mark.parametrize(
    ("cls", "name", "value"), wrong_fields(), ids=lambda value: getattr(value, "__name__", repr(value)[:20])
)
def test_a_field_of_a_wrong_type_is_refused_by_place(cls: type[Any], name: str, value: Any) -> None:
    with pytest.raises((InvalidMessageError, InvalidJsonError)) as refused:
        cls(**{**RIGHT[cls], name: value})

    assert str(refused.value).startswith(f"{cls.__name__}.{name}")


@pytest.mark.parametrize("cls", RIGHT, ids=lambda cls: cls.__name__)
def test_the_right_fields_are_right(cls: type[Any]) -> None:
    assert cls(**RIGHT[cls]) == cls(**RIGHT[cls])


class TestJsonFields:
    def test_plain_values_become_exact_json(self) -> None:
        part = ToolCallPart("t", "f", {"a": 1.5}, provider_data={"openai": {}}, cache_marker={"type": "x"})  # type: ignore[arg-type]  # taken for convenience

        assert part.arguments == ExactJson.parse('{"a":1.5}')
        assert part == ToolCallPart(
            "t",
            "f",
            ExactJson.parse('{"a":1.5}'),
            provider_data=ExactJson.parse('{"openai":{}}'),
            cache_marker=ExactJson.parse('{"type":"x"}'),
        )

    def test_a_string_of_json_must_say_which_it_is(self) -> None:
        with pytest.raises(InvalidMessageError) as refused:
            ToolCallPart("t", "f", '{"a":1}')  # type: ignore[arg-type]  # that is the test

        assert "ExactJson.parse" in refused.value.reason
        assert ToolCallPart("t", "f", ExactJson.of("not json")).arguments.value == "not json"

    def test_null_is_a_value(self) -> None:
        assert TextPart("x", cache_marker=ExactJson.parse("null")) != TextPart("x")


class TestToolResults:
    def test_any_sequence_of_parts_becomes_a_tuple(self) -> None:
        expected = ToolResultPart("t", (TextPart("a"), TextPart("b")))

        assert ToolResultPart("t", [TextPart("a"), TextPart("b")]) == expected  # type: ignore[arg-type]  # taken for convenience
        assert ToolResultPart("t", (TextPart(one) for one in "ab")) == expected  # type: ignore[arg-type]  # taken for convenience

    def test_a_wrong_element_is_named(self) -> None:
        with pytest.raises(InvalidMessageError) as refused:
            ToolResultPart("t", (TextPart("a"), "b"))  # type: ignore[arg-type]  # that is the test

        assert refused.value.place == "ToolResultPart.content[1]"

    @pytest.mark.parametrize(
        "content", [(), (TextPart("a"), TextPart("b")), (ImagePart(URL),), (ReasoningPart("a"),)], ids=len
    )
    def test_only_one_text_is_a_bare_string(self, content: tuple[Part, ...]) -> None:
        with pytest.raises(InvalidMessageError) as refused:
            ToolResultPart("t", content, as_string=True)

        assert refused.value.place == "ToolResultPart.as_string"
        assert ToolResultPart("t", (TextPart(""),), as_string=True).as_string

    def test_nesting_is_bounded(self) -> None:
        part = ToolResultPart("t")
        for _ in range(MAX_RESULT_NESTING - 1):
            part = ToolResultPart("t", (TextPart("x"), part, part))

        with pytest.raises(InvalidMessageError) as refused:
            ToolResultPart("t", (part,))
        assert refused.value.place == "ToolResultPart.content"


class TestValues:
    @given(parts)
    def test_parts_are_values(self, part: Part) -> None:
        for copied in (copy.copy(part), copy.deepcopy(part), pickle.loads(pickle.dumps(part))):  # noqa: S301  # own bytes
            assert copied == part
            assert hash(copied) == hash(part)

    @pytest.mark.parametrize("part", one_of_each(), ids=part_type)
    def test_parts_are_frozen_and_hold_nothing_else(self, part: Part) -> None:
        with pytest.raises(AttributeError):
            part.cache_marker = None  # type: ignore[misc]  # frozen: that is the test
        assert not hasattr(part, "__dict__")

    @pytest.mark.parametrize("part", one_of_each(), ids=part_type)
    def test_each_field_counts_for_equality(self, part: Part) -> None:
        for name in part.__dataclass_fields__:
            if name in {"as_string", "source"}:
                continue
            other = copy.copy(part)
            object.__setattr__(other, name, "other")
            assert other != part, name

    def test_a_subclass_of_str_leaves_only_its_text(self) -> None:
        class Colour(StrEnum):
            RED = "red"

        for part in (
            TextPart(Colour.RED),
            ReasoningPart(Colour.RED, Colour.RED),
            RefusalPart(Colour.RED),
            CompactionPart(Colour.RED),
        ):
            assert type(part.text) is str
            assert part.text == "red"
        call = ToolCallPart(Colour.RED, Colour.RED, EMPTY, Colour.RED)
        assert [type(one) for one in (call.tool_call_id, call.name, call.signature)] == [str, str, str]

    def test_repr_is_short(self) -> None:
        long = "x" * 1_000_000

        assert repr(TextPart("hi")) == "TextPart(text='hi')"
        for part in (
            TextPart(long),
            ReasoningPart("", long, long),
            ToolResultPart("t", (TextPart(long),) * 5000),
        ):
            assert len(repr(part)) < 1000


class TestCheckedParts:
    def test_a_tuple_of_parts_is_itself(self) -> None:
        given_parts = (TextPart("a"), ImagePart(URL))

        assert checked_parts(given_parts, place="parts") is given_parts

    def test_a_subclass_of_a_part_is_no_part(self) -> None:
        class Louder(TextPart):
            pass

        with pytest.raises(InvalidMessageError) as refused:
            checked_parts([TextPart("a"), Louder("b")], place="messages[1].parts")
        assert refused.value.place == "messages[1].parts[1]"
