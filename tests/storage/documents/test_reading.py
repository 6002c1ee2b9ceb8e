"""Reading safely: the schema first, then every field by its type; whatever fails is damage that says what and where."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from convotree.domain.limits import SCHEMA_NUMBER
from convotree.errors import CorruptTreeError, InvalidMessageError, SchemaTooNewError
from convotree.storage.documents.reading import check_schema, read_document, text_or_none, typed


def test_this_release_reads_its_own_schema() -> None:
    check_schema({"schema": SCHEMA_NUMBER}, "things")


def test_a_newer_schema_is_refused_before_anything_is_read() -> None:
    def build(document: Mapping[str, Any]) -> None:
        raise AssertionError("it was read")

    with pytest.raises(SchemaTooNewError) as caught:
        read_document({"schema": SCHEMA_NUMBER + 1}, "things", build)

    assert (caught.value.found, caught.value.supported, caught.value.collection) == (
        SCHEMA_NUMBER + 1,
        SCHEMA_NUMBER,
        "things",
    )


@pytest.mark.parametrize(
    "document", [{}, {"schema": None}, {"schema": "1"}, {"schema": True}, {"schema": 1.0}]
)
def test_a_document_without_a_schema_number_is_damage(document: dict[str, object]) -> None:
    with pytest.raises(CorruptTreeError):
        check_schema(document, "things")


def missing(document: Mapping[str, Any]) -> object:
    return document["field"]


def misplaced(document: Mapping[str, Any]) -> object:
    raise InvalidMessageError(place="parts[0]", reason="what is wrong")


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (missing, "field 'field' is missing"),
        (misplaced, "parts[0]: what is wrong"),
        (lambda one: typed(one["revision_id"], int, "depth"), "field 'depth' holds str, not int"),
        (lambda one: typed(True, int, "depth"), "field 'depth' holds bool, not int"),
        (lambda one: one["revision_id"].nothing, "AttributeError"),
        (lambda one: b"\xff".decode(), "UnicodeDecodeError"),
    ],
)
def test_what_cannot_be_read_names_the_field_and_the_document(
    build: Callable[[Mapping[str, Any]], object], said: str
) -> None:
    document = {"schema": SCHEMA_NUMBER, "conversation_id": "c", "revision_id": "r"}

    with pytest.raises(CorruptTreeError) as caught:
        read_document(document, "things", build)

    assert said in caught.value.problem
    assert (caught.value.conversation_id, caught.value.revision_id) == ("c", "r")


def test_ids_that_are_no_text_are_not_repeated() -> None:
    assert text_or_none({"$ne": None}) is None
    assert text_or_none("r") == "r"
