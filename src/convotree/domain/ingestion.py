"""Which function reads an answer of which provider.

``domain`` knows no provider; ``replay`` fills this table when it is imported, so that
``Message.from_provider`` can be a method of the value that it makes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from convotree.domain.brief_repr import brief
from convotree.errors import UnsupportedProviderError

if TYPE_CHECKING:
    from convotree.domain.message import Message

__all__ = ["AnswerReader", "ingest_message", "register_answer_reader"]


class AnswerReader(Protocol):
    """Reads one provider's answer into a ``Message``."""

    def __call__(self, answer: object, *, model: str | None) -> Message: ...


_READERS: dict[str, AnswerReader] = {}


def register_answer_reader(provider: str, reader: AnswerReader) -> None:
    """Let ``reader`` read answers of ``provider``."""
    _READERS[provider] = reader


def ingest_message(provider: object, answer: object, *, model: str | None) -> Message:
    """The message in ``answer``.

    Raises:
        UnsupportedProviderError: if nothing reads answers of ``provider``.
    """
    reader = _READERS.get(provider) if isinstance(provider, str) else None
    if reader is None:
        named = provider if isinstance(provider, str) else brief(provider)
        raise UnsupportedProviderError(provider=named, supported=sorted(_READERS))
    return reader(answer, model=model)
