"""Titles and metadata fitted to a header: nothing cut in silence."""

import json

import pytest

from convotree.domain.exact_json import ExactJson, split_object
from convotree.domain.limits import MAX_METADATA_BYTES, MAX_TITLE_BYTES
from convotree.interchange.conversation_header import metadata_of, title_of
from convotree.interchange.json_span import scan_json
from convotree.interchange.problems import Problems


@pytest.mark.parametrize(
    ("text", "title", "reported"),
    [
        ('"A talk"', "A talk", 0),
        ("null", None, 0),
        ('"a\\u0000b\\ud800"', "a\ufffdb\ufffd", 1),
        ('"\\\\u0000"', "\\u0000", 0),
        ("12", None, 1),
    ],
)
def test_titles(text: str, title: str | None, reported: int) -> None:
    problems = Problems("f")

    assert title_of(scan_json(text), place="title", problems=problems) == title
    assert len(problems.found()) == reported


def test_no_title() -> None:
    assert title_of(None, place="title", problems=Problems("f")) is None


def test_a_long_title_is_cut_between_characters_and_reported() -> None:
    problems = Problems("f")

    title = title_of(scan_json(json.dumps("x" + "é" * MAX_TITLE_BYTES)), place="title", problems=problems)

    assert title == "x" + "é" * ((MAX_TITLE_BYTES - 1) // 2)
    assert [problem.place for problem in problems.found()] == ["title"]


def test_metadata_keeps_spelling_and_order() -> None:
    members = {"b": ExactJson("1714585031.150442"), "$a.b": ExactJson('{"$gt":1.10}')}

    metadata = metadata_of("chatgpt", members, place="c", problems=Problems("f"))

    assert metadata.text == '{"chatgpt":{"b":1714585031.150442,"$a.b":{"$gt":1.10}}}'


def test_of_too_much_metadata_the_largest_members_are_left_out_and_reported() -> None:
    problems = Problems("f")
    large = ExactJson.of("x" * MAX_METADATA_BYTES)
    members = {
        "small": ExactJson("1"),
        "large": large,
        "larger": ExactJson.of("y" * (MAX_METADATA_BYTES + 1)),
    }

    metadata = metadata_of("chatgpt", members, place="c", problems=problems)

    assert metadata.text == '{"chatgpt":{"small":1}}'
    assert [problem.place for problem in problems.found()] == ["c.larger", "c.large"]


def test_as_much_is_kept_as_fits_of_very_many_members() -> None:
    problems = Problems("f")
    members = {f"key {number}": ExactJson.of("é" * 100) for number in range(20_000)}

    metadata = metadata_of("chatgpt", members, place="c", problems=problems)

    size = len(metadata.to_bytes())
    one = len(b'"key 19999":""') + 200
    assert MAX_METADATA_BYTES - 2 * one < size <= MAX_METADATA_BYTES
    kept = len(split_object(split_object(metadata.text)["chatgpt"]))
    assert kept + len(problems.found()) == len(members)
