"""Entries of a mapping: ids, links as the file has them, and which are messages of the conversation."""

from typing import Any

import pytest

from convotree.interchange.chatgpt_entries import Entry, Standing, linked, read_entries
from convotree.interchange.file_ids import FileIds
from convotree.interchange.json_span import scan_json
from convotree.interchange.problems import Problems
from tests.interchange.forms import chatgpt_entry, chatgpt_message, text_of

HIDDEN = {"is_visually_hidden_from_conversation": True}
CUSTOM = {"content_type": "user_editable_context", "user_profile": "", "user_instructions": ""}
THOUGHTS: dict[str, Any] = {"content_type": "thoughts", "thoughts": []}


def read(mapping: str | dict[str, Any]) -> tuple[list[Entry], FileIds, Problems]:
    problems = Problems("f")
    ids = FileIds(problems)
    text = mapping if isinstance(mapping, str) else text_of(mapping)
    return read_entries(scan_json(text), place="mapping", ids=ids, problems=problems), ids, problems


@pytest.mark.parametrize(
    ("message", "standing"),
    [
        (None, Standing.NO_MESSAGE),
        (chatgpt_message("m", "user", ""), Standing.REVISION),
        (chatgpt_message("m", "assistant", ""), Standing.REVISION),
        (chatgpt_message("m", "tool", "", metadata=HIDDEN), Standing.REVISION),
        (chatgpt_message("m", "user", "", metadata=HIDDEN), Standing.NO_CONTENT),
        (chatgpt_message("m", "assistant", "", metadata=HIDDEN), Standing.NO_CONTENT),
        (chatgpt_message("m", "assistant", "", metadata=HIDDEN, recipient="python"), Standing.REVISION),
        (chatgpt_message("m", "user", "said", metadata=HIDDEN), Standing.REVISION),
        (chatgpt_message("m", "system", ""), Standing.NO_CONTENT),
        (chatgpt_message("m", "system", "said"), Standing.REVISION),
        (chatgpt_message("m", "system", content=None), Standing.NO_CONTENT),
        (chatgpt_message("m", "user", content=CUSTOM), Standing.CUSTOM_INSTRUCTIONS),
        (chatgpt_message("m", "system", content=CUSTOM, metadata=HIDDEN), Standing.CUSTOM_INSTRUCTIONS),
        (chatgpt_message("m", "system", content=THOUGHTS), Standing.REVISION),
        ({}, Standing.REVISION),
        ("no object", Standing.REVISION),
    ],
)
def test_standing(message: Any, standing: Standing) -> None:
    (entry,), _, _ = read({"m": chatgpt_entry("m", None, [], message)})

    assert entry.standing is standing


def test_links_are_those_of_the_file() -> None:
    entries, ids, problems = read(
        {"b": chatgpt_entry("b", "a", ["c", "gone"]), "a": chatgpt_entry("a", None, ["b"])}
    )

    assert [
        (one.id, one.parent_id, one.children) for one in (linked(entry, ids, problems) for entry in entries)
    ] == [
        ("b", "a", ("c", "gone")),
        ("a", None, ("b",)),
    ]
    assert problems.found() == ()


def test_links_through_an_id_that_had_to_be_replaced() -> None:
    entries, ids, problems = read(
        {"a\x00": chatgpt_entry("a\x00", None, ["b"]), "b": chatgpt_entry("b", "a\x00")}
    )

    first, second = (linked(entry, ids, problems) for entry in entries)

    assert second.parent_id == first.id != "a\x00"
    assert [problem.place for problem in problems.found()] == ["mapping['a\\x00']"]


@pytest.mark.parametrize(
    ("entry", "reported"),
    [
        ({"id": "m", "parent": 7, "children": []}, 1),
        ({"id": "m", "parent": None, "children": "x"}, 1),
        ({"id": "m", "parent": None, "children": [None, "c"]}, 1),
        ({"id": "other", "parent": None, "children": []}, 1),
        ({"parent": None, "children": []}, 0),
        ({}, 0),
        (None, 1),
        ("x", 1),
    ],
)
def test_entries_of_a_wrong_shape_are_reported(entry: Any, reported: int) -> None:
    (found,), ids, problems = read({"m": entry})
    link = linked(found, ids, problems)

    assert (found.id, link.parent_id) == ("m", None)
    assert [problem.place for problem in problems.found()] == ["mapping['m']"] * reported


def test_two_entries_of_one_key() -> None:
    one, other = (
        text_of(chatgpt_entry("m", None, [], chatgpt_message("m", text=text))) for text in ("x", "y")
    )

    entries, _, problems = read(f'{{"m":{one},"m":{other},"m":{one}}}')

    assert [entry.id for entry in entries] == ["m", "m~2"]
    assert [entry.content.only_text for entry in entries] == ["x", "y"]
    assert len(problems.found()) == 2


def test_what_is_missing_has_its_default() -> None:
    (entry,), _, _ = read({"m": {"message": {"author": None, "metadata": None, "recipient": None}}})

    assert (entry.role, entry.recipient, dict(entry.metadata), entry.is_hidden) == (None, "all", {}, False)
