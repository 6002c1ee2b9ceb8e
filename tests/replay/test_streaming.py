"""Streams of any provider: what all of them have in common."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from openai.types.chat import ChatCompletionChunk

from convotree.domain.exact_json import ExactJson
from convotree.domain.outcome import Outcome
from convotree.errors import InvalidJsonError, InvalidMessageError, UnsupportedProviderError
from convotree.replay import StreamedAnswer
from convotree.replay.providers import known_providers

CHUNK: dict[str, Any] = {
    "id": "c",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "gpt-5",
    "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}, "finish_reason": None}],
}

FORMS: list[Callable[[], Any]] = [
    lambda: CHUNK,
    lambda: json.dumps(CHUNK),
    lambda: json.dumps(CHUNK).encode(),
    lambda: ChatCompletionChunk.model_validate(CHUNK),
]


@pytest.mark.parametrize("form", FORMS, ids=["mapping", "text", "bytes", "sdk"])
def test_an_event_comes_in_any_form(form: Callable[[], Any]) -> None:
    stream = StreamedAnswer("openai-chat")
    stream.add(form())
    assert (stream.message().text, stream.message().outcome) == ("Hi", Outcome.ABORTED)
    assert not stream.complete
    record = stream.generation(model="gpt-5", request_id="req_1", timings={"ms": 3})
    assert (record.response_id, record.request_id, record.timings) == ("c", "req_1", ExactJson('{"ms":3}'))


@pytest.mark.parametrize("provider", sorted(known_providers()))
def test_every_provider_has_streams_that_begin_empty(provider: str) -> None:
    stream = StreamedAnswer(provider)
    assert not stream.complete
    for ask in (stream.answer, stream.message, stream.generation):
        with pytest.raises(InvalidMessageError):
            ask()


@pytest.mark.parametrize("provider", sorted(known_providers()))
@pytest.mark.parametrize(
    ("event", "error"),
    [
        ("{", InvalidJsonError),
        ("[1]", InvalidMessageError),
        (7, InvalidMessageError),
        (b"\xff", InvalidJsonError),
    ],
    ids=str,
)
def test_what_is_no_event_is_refused_with_its_number(
    provider: str, event: Any, error: type[Exception]
) -> None:
    with pytest.raises(error) as caught:
        StreamedAnswer(provider).add(event)
    assert caught.value.place.startswith("events[0]")  # type: ignore[attr-defined]  # both have it


@pytest.mark.parametrize("provider", ["nobody", "", None, 3])
def test_an_unknown_provider_is_refused(provider: Any) -> None:
    with pytest.raises(UnsupportedProviderError):
        StreamedAnswer(provider)
