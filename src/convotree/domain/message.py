"""A message: a role, its parts in order and, for an answer, where it came from; nothing of trees or storage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import get_args

from convotree.domain.exact_json import ExactJson
from convotree.domain.field_checks import keep_optional_object, keep_optional_text, misplaced
from convotree.domain.ingestion import ingest_message
from convotree.domain.outcome import Outcome
from convotree.domain.parts import Part, TextPart, ToolCallPart, ToolResultPart, checked_parts
from convotree.errors import InvalidMessageError

__all__ = ["Content", "Message", "Provenance", "Role", "parts_of"]

Content = str | Part | Iterable[Part]
"""What the makers of messages take: a text, one part, or parts in order."""

_PART_TYPES = get_args(Part)


class Role(Enum):
    """Who speaks. ``DEVELOPER``: instructions in the middle of a path; ``TOOL``: the caller's tools."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    DEVELOPER = "developer"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who made an answer: provider (``anthropic``), api (``messages``) and model; each may be unknown."""

    provider: str | None = None
    api: str | None = None
    model: str | None = None

    def __post_init__(self) -> None:
        keep_optional_text(self, "provider", "api", "model", within="provenance")


@dataclass(frozen=True, slots=True)
class Message:
    """One immutable message. Two messages with equal content are equal.

    ``as_string``: the content is one text, given as a bare string. ``provider_data``: a JSON object keyed by
    provider, what it sent with the message and no field holds. ``outcome``: how an answer ended; all others are
    ``COMPLETE``.
    """

    role: Role
    parts: tuple[Part, ...]
    provenance: Provenance | None = None
    as_string: bool = False
    provider_data: ExactJson | None = None
    outcome: Outcome = Outcome.COMPLETE

    def __post_init__(self) -> None:
        if type(self.role) is not Role:
            raise misplaced(self, "role", "a Role", self.role, within="")
        object.__setattr__(self, "parts", checked_parts(self.parts, place="parts"))
        if self.provenance is not None and type(self.provenance) is not Provenance:
            raise misplaced(self, "provenance", "a Provenance", self.provenance, within="")
        if type(self.as_string) is not bool:
            raise misplaced(self, "as_string", "True or False", self.as_string, within="")
        if self.as_string and [type(part) for part in self.parts].count(TextPart) != 1:
            raise InvalidMessageError(place="as_string", reason="the content is not one text")
        keep_optional_object(self, "provider_data", within="")
        if self.outcome is not Outcome.COMPLETE:
            if type(self.outcome) is not Outcome:
                raise misplaced(self, "outcome", "an Outcome", self.outcome, within="")
            if self.role is not Role.ASSISTANT:
                raise InvalidMessageError(
                    place="outcome",
                    reason=f"only an answer can be {self.outcome.value}, not {self.role.value!r}",
                )

    @classmethod
    def user(cls, content: Content) -> Message:
        """A user's message.

        Raises:
            InvalidMessageError: if ``content`` is neither text nor parts.
        """
        return cls(Role.USER, parts_of(content), as_string=isinstance(content, str))

    @classmethod
    def assistant(
        cls,
        content: Content = (),
        *,
        provider: str | None = None,
        api: str | None = None,
        model: str | None = None,
        outcome: Outcome = Outcome.COMPLETE,
    ) -> Message:
        """A model's answer; ``provider``, ``api`` and ``model`` say where it came from, if known, ``outcome`` how it
        ended.

        Raises:
            InvalidMessageError: if ``content`` is neither text nor parts.
        """
        known = provider is not None or api is not None or model is not None
        provenance = Provenance(provider, api, model) if known else None
        as_string = isinstance(content, str)
        return cls(Role.ASSISTANT, parts_of(content), provenance, as_string, outcome=outcome)

    @classmethod
    def tool_result(
        cls, call_id: str, content: Content = (), *, is_error: bool | None = None, name: str | None = None
    ) -> Message:
        """The result of the tool call ``call_id``.

        Raises:
            InvalidMessageError: if ``content`` is neither text nor parts.
        """
        part = ToolResultPart(call_id, parts_of(content), is_error, name, as_string=isinstance(content, str))
        return cls(Role.TOOL, (part,))

    @classmethod
    def developer(cls, content: Content) -> Message:
        """Instructions of the application in the middle of a path.

        Raises:
            InvalidMessageError: if ``content`` is neither text nor parts.
        """
        return cls(Role.DEVELOPER, parts_of(content), as_string=isinstance(content, str))

    @classmethod
    def from_provider(cls, provider: str, answer: object, *, model: str | None = None) -> Message:
        """The answer a provider returned, every block kept. ``answer``: its JSON as text, bytes, or parsed.

        Give text or bytes where you can: parsed JSON has already lost its number spelling.

        Raises:
            UnsupportedProviderError: if the provider is not known.
            InvalidJsonError: if text or bytes are not JSON.
            InvalidMessageError: if the JSON is not an answer of that provider; ``place`` says where.
        """
        return ingest_message(provider, answer, model=model)

    @property
    def text(self) -> str:
        """All text parts, joined without separator."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def tool_calls(self) -> tuple[ToolCallPart, ...]:
        """The calls the caller must answer, in order (hosted calls are not among them)."""
        return tuple(part for part in self.parts if isinstance(part, ToolCallPart))

    @property
    def tool_results(self) -> tuple[ToolResultPart, ...]:
        """The results this message holds, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolResultPart))


def parts_of(content: Content) -> tuple[Part, ...]:
    """``content`` as parts; one text becomes one ``TextPart``.

    Raises:
        InvalidMessageError: if it is neither text nor parts.
    """
    if isinstance(content, str):
        return (TextPart(content),)
    if isinstance(content, _PART_TYPES):
        content = (content,)
    return checked_parts(content, place="content")
