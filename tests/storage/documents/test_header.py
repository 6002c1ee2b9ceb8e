"""The header's document, there and back, lean and damaged."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from convotree.domain.limits import SCHEMA_NUMBER
from convotree.domain.selection import remembered
from convotree.errors import CorruptTreeError, SchemaTooNewError
from convotree.identity import Key
from convotree.storage.documents.header import header_document, listing_key, read_header
from tests.domain.stored_values import Grove, header


def test_a_header_comes_back() -> None:
    grove = Grove()
    point = grove.add("q", None).point

    for one in (header(None), replace(header(point), memory=(remembered(point),), title=None)):
        assert read_header(header_document(one)) == one


def test_a_lean_header_lacks_what_was_left_out() -> None:
    document = header_document(header(None))
    for field in ("title", "metadata", "memory"):
        del document[field]

    lean = read_header(document)

    assert (lean.title, lean.metadata.text, lean.memory) == (None, "{}", ())


def test_listing_keys_sort_by_time_and_are_never_equal() -> None:
    time = datetime(2026, 1, 1, tzinfo=UTC)
    keys = [
        listing_key(time, Key("b" * 24)),
        listing_key(time, Key("c" * 24)),
        listing_key(time + timedelta(milliseconds=1), Key("a" * 24)),
        listing_key(datetime(9999, 12, 31, tzinfo=UTC), Key("a" * 24)),
    ]

    assert keys == sorted(set(keys))


@pytest.mark.parametrize(
    "field", ["tenant_id", "conversation_id", "version", "moves", "epoch", "created_at", "updated_at"]
)
def test_a_damaged_header_is_reported(field: str) -> None:
    document = header_document(header(None))
    document[field] = ["damaged"]

    with pytest.raises(CorruptTreeError) as caught:
        read_header(document)

    assert field in caught.value.problem


def test_a_newer_header_is_refused() -> None:
    with pytest.raises(SchemaTooNewError):
        read_header(header_document(header(None)) | {"schema": SCHEMA_NUMBER + 1})
