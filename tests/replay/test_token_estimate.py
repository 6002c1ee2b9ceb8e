"""The estimate of tokens: by rule of thumb, anchored on what a provider counted."""

from dataclasses import replace

import pytest

from convotree import (
    Base64Source,
    CompactionPart,
    ExactJson,
    GenerationRecord,
    HostedCallPart,
    HostedResultPart,
    ImagePart,
    InvalidArgumentError,
    Message,
    OpaquePart,
    Outcome,
    Part,
    PrefixBreak,
    ReasoningPart,
    RefusalPart,
    Request,
    TextPart,
    TokenEstimate,
    Tool,
    ToolCallPart,
    ToolResultPart,
)
from convotree.replay import Differs

PICTURE = ImagePart(Base64Source("image/png", "AAAA"))


@pytest.mark.parametrize(
    ("part", "tokens"),
    [
        (TextPart(""), 0),
        (TextPart("abcd"), 1),
        (TextPart("abcde"), 2),
        (TextPart("日本語日本"), 2),
        (ReasoningPart("abcd", signature="x" * 1000), 1),
        (RefusalPart("abcd"), 1),
        (PICTURE, 1200),
        (CompactionPart("abcde", encrypted="x" * 1000), 2),
        (ToolCallPart("id" * 100, "look", ExactJson("{}")), 1 + 1),
        (ToolCallPart("c", "look", ExactJson('{"a":"<&>"}')), 1 + 7),
        (ToolCallPart("c", "look", ExactJson(r'{"a":"\u00e9\u00e9"}')), 1 + 3),
        (ToolResultPart("c", (TextPart("abcd"), PICTURE)), 1201),
        (HostedCallPart("p", "k", "h", "look", ExactJson("{}")), 1 + 1),
        (HostedResultPart("p", "k", "h", ExactJson('{"a":1}')), 2),
        (OpaquePart("p", "k", ExactJson('{"a":1}')), 2),
    ],
)
def test_a_part_counts(part: Part, tokens: int) -> None:
    message = Message.user(part) if isinstance(part, ToolResultPart) else Message.assistant(part)
    assert Request(messages=(message,)).estimate_tokens().tokens == tokens


def test_system_prompt_and_tools_count() -> None:
    tool = Tool("look", "See.", ExactJson('{"type":"object"}'))
    text = '[{"name":"look","description":"See.","inputSchema":{"type":"object"}}]'
    assert Request(system="abcde", tools=(tool,)).estimate_tokens().tokens == 2 + -(-len(text) // 4)
    assert Request(system=(TextPart("abcd"), TextPart("abcd"))).estimate_tokens().tokens == 2


CALL = GenerationRecord(usage=ExactJson('{"input_tokens":90,"output_tokens":10}'))


def talk(*records: GenerationRecord | None) -> Request:
    messages = [
        message
        for number in range(len(records))
        for message in (Message.user("abcd"), Message.assistant(f"abc{number}"))
    ]
    generations = [one for record in records for one in (None, record)]
    return Request(
        system="s" * 400, messages=(*messages, Message.user("abcd" * 3)), generations=(*generations, None)
    )


def test_what_a_provider_counted_is_taken_and_the_rest_estimated() -> None:
    assert talk(CALL, None).estimate_tokens() == TokenEstimate(105, 100, 5, 1)
    assert talk(None, CALL).estimate_tokens() == TokenEstimate(103, 100, 3, 3)
    assert talk(None, None).estimate_tokens() == TokenEstimate(107, 0, 107, None)


@pytest.mark.parametrize("usage", [{}, {"total_tokens": 0}])
def test_an_empty_count_is_none(usage: dict[str, int]) -> None:
    assert talk(CALL, GenerationRecord(usage=ExactJson.of(usage))).estimate_tokens().anchor == 1


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.ABORTED])
def test_the_count_of_a_broken_answer_is_not_taken(outcome: Outcome) -> None:
    request = talk(CALL, CALL)
    messages = list(request.messages)
    messages[3] = replace(messages[3], outcome=outcome)
    assert replace(request, messages=tuple(messages)).estimate_tokens().anchor == 1


def test_a_count_of_another_prefix_is_not_taken() -> None:
    request = replace(talk(CALL, CALL), prefix_breaks=(PrefixBreak(3, (Differs.SYSTEM,)),))
    assert request.estimate_tokens().anchor == 1


def test_a_tokenizer_can_be_given() -> None:
    request = Request(system="a b", messages=(Message.user("c d e"),))
    assert request.estimate_tokens(lambda text: len(text.split())).tokens == 5
    with pytest.raises(InvalidArgumentError):
        request.estimate_tokens(3)  # type: ignore[arg-type]  # the point of the test
