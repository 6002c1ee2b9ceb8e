"""Titles and metadata: what may be stored, how metadata is merged, how a creation is told from another."""

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.header_content import check_title, creation_digest, merged_metadata, metadata_json
from convotree.domain.limits import MAX_METADATA_BYTES, MAX_TITLE_BYTES
from convotree.errors import ContentTooLargeError, InvalidArgumentError, InvalidJsonError


@pytest.mark.parametrize("title", [None, "", "Über $where.x", "x" * MAX_TITLE_BYTES])
def test_a_title_is_kept(title: str | None) -> None:
    assert check_title(title) == title


@pytest.mark.parametrize("title", [1, b"x", {"$ne": None}, "a\x00b", "\ud800"])
def test_a_title_that_cannot_be_stored_is_refused(title: object) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        check_title(title)

    assert caught.value.argument == "title"


def test_a_title_has_a_limit() -> None:
    with pytest.raises(ContentTooLargeError) as caught:
        check_title("ü" * (MAX_TITLE_BYTES // 2 + 1))

    assert caught.value.limit == MAX_TITLE_BYTES


def test_metadata_is_kept_exactly() -> None:
    exact = ExactJson.parse('{"$set": {"a.b": 1.10}, "": 1e400}')

    assert metadata_json(exact).text == '{"$set":{"a.b":1.10},"":1e400}'
    assert metadata_json(None).text == "{}"
    assert metadata_json({"a": [1, None]}).text == '{"a":[1,null]}'


@pytest.mark.parametrize(
    "metadata", ["x", 1, [], ExactJson("[]"), {"a\x00": 1}, ExactJson.parse('{"a\\u0000":1}')]
)
def test_metadata_that_is_no_plain_object_is_refused(metadata: object) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        metadata_json(metadata)  # type: ignore[arg-type]  # the point of the test

    assert caught.value.argument == "metadata"


@pytest.mark.parametrize("metadata", [{1: 1}, {"a": object()}, {"a": float("nan")}])
def test_metadata_without_json_form_is_refused(metadata: dict[str, object]) -> None:
    with pytest.raises(InvalidJsonError):
        metadata_json(metadata)


def test_metadata_has_a_limit_also_when_merged() -> None:
    half = {"a": "x" * (MAX_METADATA_BYTES // 2)}

    with pytest.raises(ContentTooLargeError):
        metadata_json({"a": "x" * MAX_METADATA_BYTES})
    with pytest.raises(ContentTooLargeError):
        merged_metadata(metadata_json(half), metadata_json({"b": half["a"]}), ())


def test_merging_sets_and_removes_top_level_keys_and_touches_no_other_spelling() -> None:
    current = ExactJson.parse('{"a":1.10,"b":{"deep":1},"c":3}')

    merged = merged_metadata(current, ExactJson.parse('{"b":{"other":2},"d":4}'), ["c", "absent"])

    assert merged.text == '{"a":1.10,"b":{"other":2},"d":4}'


def test_merging_touches_no_spelling_of_keys() -> None:
    current = ExactJson.parse(r'{"caf\u00e9":1,"\u0061":2,"b":3}')

    assert (
        merged_metadata(current, ExactJson.parse('{"d":4}'), ["b"]).text
        == r'{"caf\u00e9":1,"\u0061":2,"d":4}'
    )
    # The same key in another spelling is the same key, in its place.
    assert merged_metadata(current, ExactJson.parse('{"a":5}'), []).text == r'{"caf\u00e9":1,"a":5,"b":3}'


def test_every_fact_of_a_creation_counts() -> None:
    empty = ExactJson("{}")
    digests = {
        creation_digest(None, empty, None, None),
        creation_digest("", empty, None, None),
        creation_digest("t", empty, None, None),
        creation_digest(None, ExactJson('{"a":1}'), None, None),
        creation_digest(None, empty, "t", None),
        creation_digest(None, empty, None, "t"),
        creation_digest(None, empty, "", "t"),
    }

    assert len(digests) == 7
    assert creation_digest("t", empty, "p", "s") == creation_digest("t", empty, "p", "s")
