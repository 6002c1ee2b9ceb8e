"""Collecting problems: in the order they were met, with a repeated key among them."""

from convotree.domain.parsed import ImportProblem
from convotree.interchange.json_span import scan_json
from convotree.interchange.problems import Problems


def test_problems_come_in_order() -> None:
    problems = Problems("f.json")
    problems.report("a", "one")
    problems.report("b", "two")

    assert problems.found() == (ImportProblem("a", "one"), ImportProblem("b", "two"))


def test_of_a_repeated_key_the_last_counts_and_it_is_reported() -> None:
    problems = Problems("f.json")

    members = problems.members(scan_json('{"a":1,"b":2,"a":3}'), "here")

    assert {key: span.raw for key, span in members.items()} == {"a": "3", "b": "2"}
    assert [problem.place for problem in problems.found()] == ["here"]


def test_a_refusal_names_the_file() -> None:
    refusal = Problems("f.json").refusal("[3].mapping", "no object")

    assert (refusal.file, refusal.place, refusal.reason) == ("f.json", "[3].mapping", "no object")
