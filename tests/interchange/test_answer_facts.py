"""Stop reason and usage of an answer, from wherever they are known."""

import pytest

from convotree import ExactJson, GenerationRecord, Message, Role
from convotree.domain.parts import TextPart
from convotree.interchange.answer_facts import AnswerFacts

RECORD = GenerationRecord(
    stop_reason="end_turn",
    usage=ExactJson.parse('{"a":1}'),
    model_answered="m",
    response_id="r",
    request_id="q",
)


def facts(
    data: str | None, *, role: Role = Role.ASSISTANT, record: GenerationRecord | None = RECORD
) -> AnswerFacts:
    exact = None if data is None else ExactJson.parse(data)
    return AnswerFacts.of(Message(role, (TextPart("x"),), provider_data=exact), record, "sigma")


def test_the_record_of_the_call_tells_them() -> None:
    assert facts(None) == AnswerFacts("end_turn", ExactJson.parse('{"a":1}'), "m", "r", "q")
    assert facts('{"anthropic":{}}') == facts(None)
    assert facts(None, record=None) == AnswerFacts()


def test_another_shape_tells_them_before_the_record() -> None:
    data = '{"or_llm":{"stopReason":"stop","usage":{"input":1.0},"timestamp":3}}'

    assert facts(data) == AnswerFacts(
        "stop", ExactJson.parse('{"input":1.0}'), carried=("stopReason", "usage")
    )


@pytest.mark.parametrize("data", ['{"or_llm":{}}', '{"or_llm":{"stopReason":3,"usage":[]}}'])
def test_what_another_shape_does_not_say_is_not_known(data: str) -> None:
    assert facts(data) == AnswerFacts(carried=("stopReason", "usage"))


def test_a_message_of_the_shape_itself_or_of_another_role_has_none() -> None:
    assert facts('{"sigma":{}}') == AnswerFacts()
    assert facts(None, role=Role.USER) == AnswerFacts()
