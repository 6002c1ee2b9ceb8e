"""What a reader of one format offers, and what all of them share: a bad conversation does not sink the good ones."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Protocol

from convotree.domain.parsed import ParsedConversation, ParsedExport
from convotree.errors import InvalidFileError, InvalidRequestError
from convotree.interchange.json_span import JsonSpan
from convotree.interchange.problems import Problems
from convotree.interchange.source import SourceText

__all__ = ["Confidence", "ReadConversation", "Reader", "read_conversations"]


class Confidence(IntEnum):
    """How sure a reader is that a text is of its format, by what only that format has."""

    NONE = 0
    LIKELY = 1
    CERTAIN = 2


class Reader(Protocol):
    """Reads one format."""

    @property
    def format(self) -> str:
        """The name of the format, as in ``ParsedExport.format``."""

    def detect(self, source: SourceText) -> Confidence:
        """How sure this is the format, by the outermost levels; of any text, and without raising."""

    def read(self, source: SourceText) -> ParsedExport:
        """Everything in the text.

        Raises:
            InvalidFileError: if no conversation in it can be read.
        """


class ReadConversation(Protocol):
    """Makes a conversation of what stands at ``place``, or raises an ``InvalidRequestError`` that says why not."""

    def __call__(self, span: JsonSpan, *, place: str, problems: Problems) -> ParsedConversation: ...


def read_conversations(
    format_name: str,
    found: Sequence[tuple[str, JsonSpan]],
    read: ReadConversation,
    *,
    file: str,
) -> ParsedExport:
    """Read each conversation; one that cannot be read is a problem of the file, if another can.

    Raises:
        InvalidFileError: if there are conversations and none can be read: what is wrong with the first.
    """
    of_file = Problems(file)
    conversations: list[ParsedConversation] = []
    refusals: list[InvalidFileError] = []
    first_place: dict[str, str] = {}
    for place, span in found:
        try:
            conversation = read(span, place=place, problems=Problems(file))
        except InvalidRequestError as error:
            refusal = _refusal(error, place, file)
            refusals.append(refusal)
            of_file.report(refusal.place, f"the conversation was skipped: {refusal.reason}")
            continue
        if conversation.id in first_place:
            of_file.report(
                place,
                f"the conversation id {conversation.id!r} occurs at {first_place[conversation.id]}, too",
            )
        first_place.setdefault(conversation.id, place)
        conversations.append(conversation)
    if refusals and not conversations:
        raise refusals[0]
    return ParsedExport(format_name, tuple(conversations), of_file.found())


def _refusal(error: InvalidRequestError, place: str, file: str) -> InvalidFileError:
    if isinstance(error, InvalidFileError):
        return error
    inner = getattr(error, "place", "")
    reason = getattr(error, "reason", str(error))
    refusal = InvalidFileError(
        file=file, place=inner if isinstance(inner, str) and inner else place, reason=reason
    )
    refusal.__cause__ = error
    return refusal
