"""What readers share: a bad conversation does not sink the good ones."""

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.parsed import ParsedConversation
from convotree.errors import InvalidFileError, InvalidJsonError
from convotree.interchange.json_span import JsonSpan, scan_json
from convotree.interchange.problems import Problems
from convotree.interchange.reader import Confidence, read_conversations


def read(span: JsonSpan, *, place: str, problems: Problems) -> ParsedConversation:
    if span.raw == "0":
        raise problems.refusal(f"{place}.inner", "nothing in it")
    if span.is_array:
        ExactJson.parse("[" * 300 + "]" * 300, place=f"{place}.deep")
    return ParsedConversation(span.raw, ())


def places(text: str) -> list[tuple[str, JsonSpan]]:
    return [(f"[{number}]", span) for number, span in enumerate(scan_json(text).elements())]


def test_a_bad_conversation_is_a_problem_of_the_file() -> None:
    export = read_conversations("toy", places("[1,0,[],2]"), read, file="f")

    assert [conversation.id for conversation in export] == ["1", "2"]
    assert [problem.place for problem in export.problems] == ["[1].inner", "[2].deep"]
    assert all("was skipped" in problem.what for problem in export.problems)


@pytest.mark.parametrize(("text", "place"), [("[0]", "[0].inner"), ("[[],0]", "[0].deep")])
def test_nothing_but_bad_conversations_is_an_error_that_names_the_first(text: str, place: str) -> None:
    with pytest.raises(InvalidFileError) as caught:
        read_conversations("toy", places(text), read, file="f")

    assert (caught.value.file, caught.value.place) == ("f", place)


def test_an_error_of_a_value_is_the_cause() -> None:
    with pytest.raises(InvalidFileError) as caught:
        read_conversations("toy", places("[[]]"), read, file="f")

    assert isinstance(caught.value.__cause__, InvalidJsonError)


def test_an_id_that_occurs_twice_is_reported() -> None:
    export = read_conversations("toy", places("[1,2,1]"), read, file="f")

    assert len(export) == 3
    assert [problem.place for problem in export.problems] == ["[2]"]


def test_confidence_grows() -> None:
    assert Confidence.NONE < Confidence.LIKELY < Confidence.CERTAIN
