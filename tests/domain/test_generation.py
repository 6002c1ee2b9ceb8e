"""Generation records: every field comes back exactly, and a wrong one is refused by place."""

import copy
import pickle
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.errors import InvalidJsonError, InvalidMessageError
from tests.domain.json_values import texts
from tests.domain.part_values import exact_objects

OBJECTS = ("params", "usage", "timings", "deployment", "handles")
TEXTS = tuple(field.name for field in fields(GenerationRecord) if field.name not in OBJECTS)

records = st.builds(
    GenerationRecord,
    **{name: st.none() | texts for name in TEXTS},
    **{name: st.none() | exact_objects for name in OBJECTS},
)


def wrong_fields() -> list[tuple[str, Any]]:
    no_texts: list[Any] = [3, b"x", ["x"], {"a": 1}]
    no_objects: list[Any] = ["{}", 3, [], [{}], ExactJson.parse("[]"), {1: 2}, {"a": {1}}]
    wrong = [(name, value) for name in TEXTS for value in no_texts]
    return wrong + [(name, value) for name in OBJECTS for value in no_objects]


@given(records)
def test_a_record_comes_back(record: GenerationRecord) -> None:
    text = record.to_text()

    assert GenerationRecord.from_text(text) == record
    assert ExactJson.parse(text).text == text


@given(records, records)
def test_equal_records_have_equal_texts_and_others_have_not(
    one: GenerationRecord, other: GenerationRecord
) -> None:
    assert (one == other) == (one.to_text() == other.to_text())


def test_the_text_of_a_record() -> None:
    usage: Any = {"input": 3, "cost": 1.5}  # taken for convenience
    record = GenerationRecord(model="m", usage=usage, params=ExactJson.parse('{"t":1.10}'))

    assert record.to_text() == '{"model":"m","params":{"t":1.10},"usage":{"input":3,"cost":1.5}}'
    assert GenerationRecord().to_text() == "{}"
    assert GenerationRecord.from_text("{}") == GenerationRecord()


@pytest.mark.parametrize(
    ("name", "value"),
    wrong_fields(),
    ids=repr,
)
def test_a_field_of_a_wrong_type_is_refused_by_place(name: str, value: Any) -> None:
    with pytest.raises((InvalidMessageError, InvalidJsonError)) as refused:
        GenerationRecord(**{name: value})

    assert str(refused.value).startswith(f"generation.{name}: ")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"model":3}', "generation.model"),
        ('{"model":null}', "generation.model"),
        ('{"model":["m"]}', "generation.model"),
        ('{"model":"m","model":"n"}', "generation.model"),
        ('{"usage":{},"usage":{}}', "generation.usage"),
        ('{"usage":null}', "generation.usage"),
        ('{"usage":[]}', "generation.usage"),
        ('{"usage":"{}"}', "generation.usage"),
        ('{"colour":1}', "generation.colour"),
        ("", "generation"),
        ("[]", "generation"),
        ("null", "generation"),
        ('{"model":"m"', "generation"),
        ('{"model":"m"}x', "generation"),
        ('{"model":"m', "generation"),
    ],
)
def test_other_text_is_refused_by_place(text: str, place: str) -> None:
    with pytest.raises((InvalidMessageError, InvalidJsonError)) as refused:
        GenerationRecord.from_text(text)

    assert str(refused.value).startswith(f"{place}: ")


@given(records)
def test_records_are_values(record: GenerationRecord) -> None:
    for copied in (copy.deepcopy(record), pickle.loads(pickle.dumps(record))):  # noqa: S301  # own bytes
        assert copied == record
        assert hash(copied) == hash(record)


def test_repr_names_only_what_is_known() -> None:
    assert repr(GenerationRecord(model="m")) == "GenerationRecord(model='m')"
