"""Reading a provider's JSON: what is taken, and errors that name their place."""

from typing import Any

import pytest

from convotree.domain.exact_json import NumberText
from convotree.errors import InvalidJsonError, InvalidMessageError
from convotree.replay.reading import MisreadError, leaf, load_document, member, text_member, wrong_type


@pytest.mark.parametrize("source", ['{"a": 1.10}', b'{"a":1.10}', bytearray(b'{"a":1.10}')])
def test_text_and_bytes_keep_their_spelling(source: Any) -> None:
    assert load_document(source, place="body") == {"a": NumberText("1.10")}


def test_a_mapping_is_taken_with_tuples_and_all() -> None:
    assert load_document({"a": (1, {"b": None})}, place="body") == {"a": [1, {"b": None}]}


@pytest.mark.parametrize("source", ["", "{", b"\xff", '{"a":NaN}', "[" * 100_000, {"a": object()}, {1: 2}])
def test_what_is_no_json_is_refused(source: Any) -> None:
    with pytest.raises(InvalidJsonError) as caught:
        load_document(source, place="body")
    assert caught.value.place == "body"


@pytest.mark.parametrize("source", ["[]", "7", None, 7, [1]])
def test_what_is_no_object_is_refused(source: Any) -> None:
    with pytest.raises(InvalidMessageError) as caught:
        load_document(source, place="body")
    assert caught.value.place == "body"


def test_a_place_grows_on_the_way_up() -> None:
    with pytest.raises(MisreadError) as caught:
        text_member({"id": 7}, "id")
    error = caught.value.within(".content[0]").within(".messages[3]").as_invalid()
    assert (error.place, error.reason) == ("messages[3].content[0].id", "a string was expected, not a number")


def test_missing_members() -> None:
    for read in (member, text_member):
        with pytest.raises(MisreadError, match="this member is missing"):
            read({}, "id")


@pytest.mark.parametrize(
    ("found", "kind"),
    [
        (None, "null"),
        ({}, "an object"),
        ([], "an array"),
        (True, "true or false"),
        (NumberText("1.0"), "a number"),
    ],
)
def test_types_have_the_names_of_json(found: Any, kind: str) -> None:
    with pytest.raises(MisreadError, match=f"not {kind}"):
        wrong_type("x", "a string", found)


def test_a_leaf_too_deep_names_its_member() -> None:
    deep: Any = []
    for _ in range(300):
        deep = [deep]
    with pytest.raises(MisreadError) as caught:
        leaf(deep, "input")
    assert caught.value.place == ".input"
