"""Which function reads an answer of which provider."""

from typing import Any

import pytest

from convotree.domain import ingestion
from convotree.domain.ingestion import ingest_message, register_answer_reader
from convotree.domain.message import Message
from convotree.errors import UnsupportedProviderError


def read_shouting(answer: object, *, model: str | None) -> Message:
    return Message.assistant(str(answer).upper(), provider="shouting", model=model)


def test_a_registered_reader_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingestion, "_READERS", {})
    register_answer_reader("shouting", read_shouting)

    expected = Message.assistant("HI", provider="shouting", model="m")
    assert ingest_message("shouting", "hi", model="m") == expected
    assert Message.from_provider("shouting", "hi", model="m") == expected


@pytest.mark.parametrize(
    "provider", ["acme", "Shouting", "", None, 3, ["shouting"], {"shouting": 1}, object()]
)
def test_another_provider_is_refused_and_the_known_ones_listed(
    monkeypatch: pytest.MonkeyPatch, provider: Any
) -> None:
    monkeypatch.setattr(ingestion, "_READERS", {})
    register_answer_reader("shouting", read_shouting)
    register_answer_reader("mumbling", read_shouting)

    with pytest.raises(UnsupportedProviderError) as refused:
        ingest_message(provider, "hi", model=None)

    assert refused.value.supported == ("mumbling", "shouting")
    assert refused.value.provider == (provider if isinstance(provider, str) else repr(provider))
