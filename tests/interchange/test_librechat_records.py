"""Records of a LibreChat export, flat and nested."""

from typing import Any

import pytest

from convotree.interchange.file_ids import FileIds
from convotree.interchange.json_span import scan_json
from convotree.interchange.librechat_records import NO_PARENT, Record, linked, read_records
from convotree.interchange.problems import Problems
from tests.interchange.forms import librechat_message, text_of


def read(*messages: Any) -> tuple[list[Record], list[str | None], list[str], list[str]]:
    """The records, the parents they name, the raw texts of what is no record, and the places of the problems."""
    problems = Problems("f")
    ids = FileIds(problems)
    records, junk = read_records(
        scan_json(text_of(list(messages))), place="messages", ids=ids, problems=problems
    )
    parents = [linked(record, ids, problems).parent_id for record in records]
    return records, parents, [one.span.raw for one in junk], [problem.place for problem in problems.found()]


def ids_of(records: list[Record]) -> list[str]:
    return [record.id for record in records]


@pytest.mark.parametrize("root", [NO_PARENT, None, ""])
def test_flat_records(root: str | None) -> None:
    records, parents, junk, problems = read(librechat_message("b", "a"), librechat_message("a", root))

    assert (ids_of(records), parents, junk, problems) == (["b", "a"], ["a", None], [], [])


@pytest.mark.parametrize("with_parents", [True, False])
def test_nested_records_come_after_the_one_they_are_in(with_parents: bool) -> None:
    tree = librechat_message("a", NO_PARENT)
    tree["children"] = [librechat_message("b", "a"), librechat_message("c", "a")]
    tree["children"][0]["children"] = [librechat_message("d", "b")]
    if not with_parents:
        for message in (*tree["children"], tree["children"][0]["children"][0]):
            del message["parentMessageId"]

    records, parents, _, problems = read(tree, librechat_message("e", NO_PARENT))

    assert (ids_of(records), parents, problems) == (
        ["a", "b", "d", "c", "e"],
        [None, "a", "b", "a", None],
        [],
    )


@pytest.mark.parametrize(("named", "kept_below"), [(NO_PARENT, "a"), ("gone", "a"), ("e", "e"), (7, "a")])
def test_a_nested_record_that_names_another_parent_is_reported(named: Any, kept_below: str) -> None:
    tree = librechat_message("a", NO_PARENT)
    tree["children"] = [librechat_message("b", named)]

    records, parents, _, problems = read(librechat_message("e", NO_PARENT), tree)

    assert (ids_of(records), parents) == (["e", "a", "b"], [None, None, kept_below])
    assert problems == ["message 'a': children[0]"]


def test_a_parent_that_is_not_there_is_left_to_the_rules_for_links() -> None:
    _, parents, _, _ = read(librechat_message("b", "gone"))

    assert parents == ["gone"]


def test_what_is_no_message_is_kept_aside_and_reported() -> None:
    records, _, junk, problems = read(
        None, librechat_message("a", None), 7, {**librechat_message("b", "a"), "children": 1}
    )

    assert (ids_of(records), junk) == (["a", "b"], ["null", "7"])
    assert problems == ["messages[0]", "messages[2]", "messages[3]"]


def test_a_message_without_an_id_gets_one_that_follows_from_it() -> None:
    message = librechat_message("", None)
    del message["messageId"]

    first, _, _, problems = read(message, message)
    again, _, _, _ = read(message, message)

    assert ids_of(first) == ids_of(again)
    assert len(set(ids_of(first))) == 2
    assert problems == ["messages[0]", "messages[1]"]


def test_two_messages_of_one_id() -> None:
    one, other = librechat_message("a", None, text="x"), librechat_message("a", None, text="y")

    records, parents, _, problems = read(one, one, other, librechat_message("b", "a"))

    assert (ids_of(records), parents) == (["a", "a~2", "b"], [None, None, "a"])
    assert problems == ["messages[1]", "messages[2]"]
