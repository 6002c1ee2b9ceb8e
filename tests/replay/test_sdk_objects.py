"""The raw JSON behind what the official SDKs return."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from anthropic.types import Message as AnthropicMessage
from openai.types.chat import ChatCompletion

from convotree.domain.message import Message
from convotree.domain.parts import TextPart
from convotree.errors import InvalidMessageError
from convotree.replay.sdk_objects import raw_json_of

ANSWER: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5",
    "content": [{"type": "text", "text": "Hi", "later": 1}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 1, "output_tokens": 2},
}
COMPLETION: dict[str, Any] = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-4o",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi"}}],
}


def test_an_answer_of_the_anthropic_sdk_brings_nothing_that_did_not_come() -> None:
    raw = raw_json_of(AnthropicMessage.construct(**ANSWER))
    assert isinstance(raw, str)
    assert json.loads(raw) == ANSWER


def test_an_answer_of_the_openai_sdk_ingests() -> None:
    message = Message.from_provider("openai-chat", ChatCompletion.model_validate(COMPLETION))
    assert message.parts == (TextPart("Hi"),)


def test_a_raw_response_gives_its_very_bytes() -> None:
    # What both SDKs give for ``with_raw_response`` holds the HTTP client's response under this name.
    content = json.dumps(ANSWER, indent=1).encode()
    raw = SimpleNamespace(http_response=SimpleNamespace(content=content))
    assert raw_json_of(raw) == content
    assert Message.from_provider("anthropic", raw).text == "Hi"


def test_a_model_of_the_google_sdk_gives_its_json() -> None:
    types = pytest.importorskip("google.genai.types")
    answer = types.GenerateContentResponse.model_validate(
        {
            "candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}}],
            "modelVersion": "gemini-3",
        }
    )
    raw = raw_json_of(answer)
    assert isinstance(raw, str)
    assert json.loads(raw) == {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}}],
        "modelVersion": "gemini-3",
    }


@pytest.mark.parametrize("value", [None, 3, object(), [ANSWER]])
def test_anything_else_is_left_as_it_is(value: object) -> None:
    assert raw_json_of(value) is value
    with pytest.raises(InvalidMessageError):
        Message.from_provider("anthropic", value)
