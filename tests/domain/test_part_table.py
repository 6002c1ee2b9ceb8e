"""The table has a row for every kind, and a field for every field of its class."""

from dataclasses import MISSING, fields
from typing import get_args

import pytest

from convotree.domain.media import MediaSource
from convotree.domain.part_table import PART_ROWS, PARTS, SOURCE_ROWS, SOURCES, FieldKind, Row
from convotree.domain.parts import Part

ROWS = [*PARTS.values(), *SOURCES.values()]


def test_every_kind_has_its_row() -> None:
    assert set(PART_ROWS) == set(get_args(Part))
    assert set(SOURCE_ROWS) == set(get_args(MediaSource))
    assert [row.name for row in PARTS.values()] == list(PARTS)
    assert [row.name for row in SOURCES.values()] == list(SOURCES)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.cls.__name__)
def test_every_field_of_the_class_is_in_its_row(row: Row) -> None:
    of_class = {field.name: field for field in fields(row.cls)}

    assert {field.name for field in row.fields} == set(of_class)
    assert len(row.fields) == len(of_class)
    # A field that the text may leave out must have a default, or reading would fail outside of the library's errors.
    assert {name for name, field in of_class.items() if field.default is MISSING} <= set(row.required)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.cls.__name__)
def test_the_kind_of_a_field_is_that_of_its_annotation(row: Row) -> None:
    kinds = {
        "str": FieldKind.STR,
        "bool": FieldKind.FLAG,
        "ExactJson": FieldKind.JSON,
        "tuple[Part, ...]": FieldKind.PARTS,
        "MediaSource": FieldKind.SOURCE,
    }

    assert row.kinds == {
        field.name: kinds[str(field.type).removesuffix(" | None")] for field in fields(row.cls)
    }


def test_no_field_is_called_type() -> None:
    assert all("type" not in row.kinds for row in ROWS)
