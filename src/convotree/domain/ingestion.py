"""Which functions read an answer of which provider.

``domain`` knows no provider; ``replay`` fills this table when it is imported, so that ``Message.from_provider`` and
``GenerationRecord.from_provider`` can be methods of the values that they make.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from convotree.domain.brief_repr import brief
from convotree.errors import UnsupportedProviderError

if TYPE_CHECKING:
    from convotree.domain.generation import GenerationRecord
    from convotree.domain.message import Message

__all__ = [
    "AnswerStream",
    "find_stream",
    "ingest_generation",
    "ingest_message",
    "register_answer_reader",
]


class _ReadMessage(Protocol):
    def __call__(self, answer: object, *, model: str | None) -> Message: ...


class _ReadGeneration(Protocol):
    def __call__(self, answer: object, *, model: str | None) -> GenerationRecord: ...


class AnswerStream(Protocol):
    """Puts one provider's streamed answer together."""

    @property
    def complete(self) -> bool:
        """Whether the event that ends an answer has come."""

    def add(self, event: dict[str, Any]) -> None:
        """Take the next event, parsed."""

    def answer(self) -> dict[str, Any]:
        """The answer so far, as the provider gives it unstreamed."""


@dataclass(frozen=True, slots=True)
class _AnswerReader:
    message: _ReadMessage
    generation: _ReadGeneration
    stream: Callable[[], AnswerStream]


_READERS: dict[str, _AnswerReader] = {}


def register_answer_reader(
    provider: str,
    *,
    message: _ReadMessage,
    generation: _ReadGeneration,
    stream: Callable[[], AnswerStream],
) -> None:
    """Let these read answers of ``provider``."""
    _READERS[provider] = _AnswerReader(message, generation, stream)


def ingest_message(provider: object, answer: object, *, model: str | None) -> Message:
    """The message in ``answer``.

    Raises:
        UnsupportedProviderError: if nothing reads answers of ``provider``.
    """
    return _reader(provider).message(answer, model=model)


def ingest_generation(provider: object, answer: object, *, model: str | None) -> GenerationRecord:
    """The facts of the call in ``answer``.

    Raises:
        UnsupportedProviderError: if nothing reads answers of ``provider``.
    """
    return _reader(provider).generation(answer, model=model)


def find_stream(provider: object) -> AnswerStream:
    """What puts a streamed answer of ``provider`` together, empty yet.

    Raises:
        UnsupportedProviderError: if nothing reads answers of ``provider``.
    """
    return _reader(provider).stream()


def _reader(provider: object) -> _AnswerReader:
    reader = _READERS.get(provider) if isinstance(provider, str) else None
    if reader is None:
        named = provider if isinstance(provider, str) else brief(provider)
        raise UnsupportedProviderError(provider=named, supported=sorted(_READERS))
    return reader
