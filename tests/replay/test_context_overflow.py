"""Errors and answers that say that the context window is full, and those that only look alike."""

from typing import Any

import pytest

from convotree import ExactJson, GenerationRecord, InvalidArgumentError, is_context_overflow

OVERFLOWS = [
    "prompt is too long: 213462 tokens > 200000 maximum",
    "Error code: 413 - {'type': 'error', 'error': {'type': 'request_too_large'}}",
    "Input is too long for requested model.",
    "Your input exceeds the context window of this model.",
    "This endpoint's request exceeds the model's maximum context length of 128,000 tokens.",
    "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "Please reduce the length of the messages or completion.",
    "The input (80000 tokens) is longer than the model's context length (65536 tokens).",
    "prompt token count of 210000 exceeds the limit of 200000",
    "the request exceeds the available context size. try increasing the context size",
    "tokens to keep from the initial prompt is greater than the context length",
    "invalid params, context window exceeds limit",
    "Your request exceeded model token limit: 262144",
    "Prompt contains 200000 tokens, too large for model with 131072 maximum context length",
    "model_context_window_exceeded",
    "context_length_exceeded",
    "too many tokens in the request",
    "400 status code (no body)",
    "413 (no body)",
]
OTHERS = [
    "",
    "Throttling error: Too many tokens, please wait before trying again.",
    "Service unavailable: too many tokens",
    "Rate limit reached: too many tokens per minute",
    "429 Too Many Requests: token limit exceeded",
    "invalid x-api-key",
    "see 400 status code (no body)",
    "Overloaded",
]


@pytest.mark.parametrize("text", OVERFLOWS)
def test_an_overflow_is_seen_in_every_form(text: str) -> None:
    assert is_context_overflow(text)
    assert is_context_overflow(text.encode())
    assert is_context_overflow(RuntimeError(text))
    assert is_context_overflow(
        {"type": "error", "error": {"details": [None, 4, {"message": text}]}}
    ) or text.startswith("4")


@pytest.mark.parametrize("text", OTHERS)
def test_other_errors_are_none(text: str) -> None:
    assert not is_context_overflow(text)


@pytest.mark.parametrize(
    ("stop_reason", "usage", "window", "full"),
    [
        ("end_turn", {"input_tokens": 900, "cache_read_input_tokens": 200}, 1000, True),
        ("end_turn", {"input_tokens": 900}, 1000, False),
        ("stop", {"prompt_tokens": 1001}, 1000, True),
        ("stop", {"prompt_tokens": 1001}, 0, False),
        ("length", {"prompt_tokens": 990, "completion_tokens": 0}, 1000, True),
        ("length", {"prompt_tokens": 989, "completion_tokens": 0}, 1000, False),
        ("length", {"prompt_tokens": 999, "completion_tokens": 1}, 1000, False),
        ("tool_use", {"input_tokens": 2000}, 1000, False),
        ("model_context_window_exceeded", None, 0, True),
        (None, None, 1000, False),
    ],
)
def test_an_answer_tells_by_its_usage(
    stop_reason: str | None, usage: dict[str, int] | None, window: int, full: bool
) -> None:
    record = GenerationRecord(stop_reason=stop_reason, usage=None if usage is None else ExactJson.of(usage))
    assert is_context_overflow(record, window) is full


@pytest.mark.parametrize("answer", [None, 3, ["prompt is too long"]])
def test_what_is_no_answer_is_refused(answer: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        is_context_overflow(answer)


@pytest.mark.parametrize("window", [-1, True, 1.5, None])
def test_a_window_is_a_number_of_tokens(window: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        is_context_overflow("x", window)


def test_a_huge_error_is_looked_at_quickly() -> None:
    assert not is_context_overflow("input token count " * 200_000)
