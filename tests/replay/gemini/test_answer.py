"""How answers end, and what is known of their making."""

from __future__ import annotations

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message
from convotree.domain.outcome import Outcome
from tests.replay.gemini.sample import MODEL

CONTENT = {"role": "model", "parts": [{"text": "Hi"}]}


@pytest.mark.parametrize(
    ("candidate", "outcome"),
    [
        ({"finishReason": "STOP"}, Outcome.COMPLETE),
        ({"finishReason": "MAX_TOKENS"}, Outcome.COMPLETE),
        ({"finish_reason": "SAFETY"}, Outcome.COMPLETE),
        ({"finishReason": "MALFORMED_FUNCTION_CALL"}, Outcome.FAILED),
        ({"finishReason": "MISSING_THOUGHT_SIGNATURE"}, Outcome.FAILED),
        ({"finishReason": "FINISH_REASON_UNSPECIFIED"}, Outcome.ABORTED),
        ({"finishReason": None}, Outcome.ABORTED),
        ({}, Outcome.ABORTED),
    ],
    ids=str,
)
def test_the_outcome_of_a_whole_answer(candidate: dict[str, Any], outcome: Outcome) -> None:
    answer = {"candidates": [{"content": CONTENT, **candidate}], "responseId": "r1"}
    assert Message.from_provider("gemini", answer).outcome is outcome


def test_a_content_alone_is_complete() -> None:
    assert Message.from_provider("gemini", CONTENT).outcome is Outcome.COMPLETE


def test_a_blocked_prompt_is_an_answer_that_says_nothing() -> None:
    answer = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"totalTokenCount": 5}}
    message = Message.from_provider("gemini", answer)
    assert (message.parts, message.outcome) == ((), Outcome.COMPLETE)
    assert GenerationRecord.from_provider("gemini", answer).stop_reason == "SAFETY"


def test_the_facts_of_the_call() -> None:
    text = (
        f'{{"candidates":[{{"content":{{"parts":[]}},"finishReason":"STOP"}}],"modelVersion":"{MODEL}",'
        '"responseId":"r1","usageMetadata":{"promptTokenCount":10,"n":1.10,"totalTokenCount":1e2}}'
    )
    assert GenerationRecord.from_provider("gemini", text, model="gemini-flash-latest") == GenerationRecord(
        provider="google",
        api="generate-content",
        model="gemini-flash-latest",
        model_answered=MODEL,
        response_id="r1",
        stop_reason="STOP",
        usage=ExactJson('{"promptTokenCount":10,"n":1.10,"totalTokenCount":1e2}'),
    )
