"""A streamed answer, put together from its events into what the provider gives unstreamed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GeneratedFrom, GenerationRecord
from convotree.domain.ingestion import find_stream
from convotree.domain.message import Message
from convotree.domain.outcome import Outcome
from convotree.errors import InvalidMessageError
from convotree.replay.exact_text import exact_leaf
from convotree.replay.reading import MisreadError, load_document

__all__ = ["StreamedAnswer"]


class StreamedAnswer:
    """Collects the events of one answer of ``provider``, in the order they come.

    At any time ``answer``, ``message`` and ``generation`` give what has come so far, so that a reply that breaks off
    can be kept: its message then has the outcome ``ABORTED``, or what its last event said.

    Raises:
        UnsupportedProviderError: if the provider is not known.
    """

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._stream = find_stream(provider)
        self._count = 0

    @property
    def complete(self) -> bool:
        """Whether the event that ends an answer has come."""
        return self._stream.complete

    def add(self, event: object) -> None:
        """Take the next event: its JSON (what follows ``data:``) as text or bytes, parsed, or the SDK's object.

        Raises:
            InvalidJsonError: if it is not JSON.
            InvalidMessageError: if it is no event of that provider, or cannot follow the events before it. ``place``
                begins with ``events[n]``. The events taken before stay.
        """
        place = f"events[{self._count}]"
        try:
            self._stream.add(load_document(event, place=place))
        except MisreadError as error:
            raise InvalidMessageError(place=place + error.place, reason=error.reason) from None
        self._count += 1

    def answer(self) -> ExactJson:
        """The answer as the provider gives it unstreamed.

        Raises:
            InvalidMessageError: if nothing of an answer has come yet.
        """
        try:
            return exact_leaf(self._stream.answer(), place="answer")
        except MisreadError as error:
            raise error.as_invalid() from None

    def message(self, *, model: str | None = None) -> Message:
        """The message, as ``Message.from_provider`` reads it from the unstreamed answer.

        Raises:
            InvalidMessageError: if nothing of an answer has come yet, or it is none.
        """
        message = Message.from_provider(self._provider, self.answer().text, model=model)
        if not self.complete and message.outcome is Outcome.COMPLETE:
            return replace(message, outcome=Outcome.ABORTED)
        return message

    def generation(
        self,
        *,
        model: str | None = None,
        params: Mapping[str, Any] | ExactJson | None = None,
        request_id: str | None = None,
        timings: Mapping[str, Any] | ExactJson | None = None,
        deployment: Mapping[str, Any] | ExactJson | None = None,
        request: GeneratedFrom | None = None,
    ) -> GenerationRecord:
        """The facts of the call, as far as the events told them; the rest as for ``GenerationRecord.from_provider``.

        Raises:
            InvalidMessageError: if nothing of an answer has come yet, or it is none.
        """
        return GenerationRecord.from_provider(
            self._provider,
            self.answer().text,
            model=model,
            params=params,
            request_id=request_id,
            timings=timings,
            deployment=deployment,
            request=request,
        )
