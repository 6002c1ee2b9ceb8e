"""Which function reads an answer of which provider."""

from typing import Any

import pytest

from convotree.domain import ingestion
from convotree.domain.generation import GenerationRecord
from convotree.domain.ingestion import (
    find_stream,
    ingest_generation,
    ingest_message,
    register_answer_reader,
)
from convotree.domain.message import Message
from convotree.errors import UnsupportedProviderError


class Stream:
    """Its answer is its events, joined."""

    def __init__(self) -> None:
        self._words: list[str] = []

    @property
    def complete(self) -> bool:
        return bool(self._words)

    def add(self, event: dict[str, Any]) -> None:
        self._words.append(str(event["word"]))

    def answer(self) -> dict[str, Any]:
        return {"words": self._words}


def generation_of(answer: object, *, model: str | None) -> GenerationRecord:
    return GenerationRecord(provider="shouting", model=model, response_id=str(answer))


def register(provider: str) -> None:
    register_answer_reader(provider, message=read_shouting, generation=generation_of, stream=Stream)


def read_shouting(answer: object, *, model: str | None) -> Message:
    return Message.assistant(str(answer).upper(), provider="shouting", model=model)


def test_a_registered_reader_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingestion, "_READERS", {})
    register("shouting")

    expected = Message.assistant("HI", provider="shouting", model="m")
    assert ingest_message("shouting", "hi", model="m") == expected
    assert Message.from_provider("shouting", "hi", model="m") == expected
    record = GenerationRecord(provider="shouting", model="m", response_id="hi")
    assert ingest_generation("shouting", "hi", model="m") == record
    assert GenerationRecord.from_provider("shouting", "hi", model="m") == record
    assert isinstance(find_stream("shouting"), Stream)


@pytest.mark.parametrize(
    "provider", ["acme", "Shouting", "", None, 3, ["shouting"], {"shouting": 1}, object()]
)
def test_another_provider_is_refused_and_the_known_ones_listed(
    monkeypatch: pytest.MonkeyPatch, provider: Any
) -> None:
    monkeypatch.setattr(ingestion, "_READERS", {})
    register("shouting")
    register("mumbling")

    with pytest.raises(UnsupportedProviderError) as refused:
        ingest_message(provider, "hi", model=None)

    for attempt in (lambda: ingest_generation(provider, "hi", model=None), lambda: find_stream(provider)):
        with pytest.raises(UnsupportedProviderError):
            attempt()
    assert refused.value.supported == ("mumbling", "shouting")
    assert refused.value.provider == (provider if isinstance(provider, str) else repr(provider))
