"""The parts of a message: what each kind holds. Values only; their JSON form is ``part_codec``'s concern.

Two fields are common to all kinds. ``provider_data`` is a JSON object keyed by provider name: what that
provider sent with the part and no typed field holds, untouched, given back to that provider only.
``cache_marker`` is the caller's prompt-cache marker (Anthropic's ``cache_control`` value); it is no content
and enters no chained digest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import MediaSource
from convotree.errors import InvalidMessageError

__all__ = [
    "AudioPart",
    "CompactionPart",
    "DocumentPart",
    "HostedCallPart",
    "HostedResultPart",
    "ImagePart",
    "OpaquePart",
    "Part",
    "ReasoningPart",
    "RefusalPart",
    "TextPart",
    "ToolCallPart",
    "ToolResultPart",
]


def _require_str(owner: object, *fields: str) -> None:
    for field in fields:
        if not isinstance(getattr(owner, field), str):
            raise InvalidMessageError(place=f"{type(owner).__name__}.{field}", reason="a string was expected")


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text. ``citations``: the provider's JSON array. ``signature``: Gemini's thought signature."""

    text: str
    citations: ExactJson | None = None
    signature: str | None = None
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None

    def __post_init__(self) -> None:
        _require_str(self, "text")


@dataclass(frozen=True, slots=True)
class ReasoningPart:
    """Reasoning as the provider returned it.

    ``signature`` is Anthropic's signature over ``text``; ``encrypted`` is content only the provider can read
    (Anthropic's ``redacted_thinking`` data, OpenAI's ``encrypted_content``). Withheld text is ``""``.
    """

    text: str = ""
    signature: str | None = None
    encrypted: str | None = None
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None

    def __post_init__(self) -> None:
        _require_str(self, "text")


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image."""

    source: MediaSource
    signature: str | None = None
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A document such as a PDF or plain text; ``name`` is its title or file name."""

    source: MediaSource
    name: str | None = None
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None


@dataclass(frozen=True, slots=True)
class AudioPart:
    """A recording."""

    source: MediaSource
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None


@dataclass(frozen=True, slots=True)
class ToolCallPart:
    """The model asks the caller to run a tool; the spelling of ``arguments`` is kept exactly."""

    tool_call_id: str
    name: str
    arguments: ExactJson
    signature: str | None = None
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None

    def __post_init__(self) -> None:
        _require_str(self, "tool_call_id", "name")
        arguments: object = self.arguments
        if not isinstance(arguments, ExactJson):
            object.__setattr__(self, "arguments", ExactJson.of(arguments, place="ToolCallPart.arguments"))


@dataclass(frozen=True, slots=True)
class ToolResultPart:
    """The answer to a tool call. ``as_string``: the content is one text, given as a bare string."""

    tool_call_id: str
    content: tuple[Part, ...] = ()
    is_error: bool | None = None
    name: str | None = None
    as_string: bool = False
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None

    def __post_init__(self) -> None:
        _require_str(self, "tool_call_id")
        if type(self.content) is not tuple:
            object.__setattr__(self, "content", tuple(self.content))


@dataclass(frozen=True, slots=True)
class HostedCallPart:
    """A tool that the provider ran itself; ``kind`` is its own type name, such as ``server_tool_use``."""

    provider: str
    kind: str
    tool_call_id: str
    name: str
    arguments: ExactJson
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None


@dataclass(frozen=True, slots=True)
class HostedResultPart:
    """What a hosted call returned; ``content`` is the provider's JSON."""

    provider: str
    kind: str
    tool_call_id: str
    content: ExactJson
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None


@dataclass(frozen=True, slots=True)
class RefusalPart:
    """The model's refusal, where a provider marks it as one."""

    text: str
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None


@dataclass(frozen=True, slots=True)
class CompactionPart:
    """A summary that stands for what came before it on the path."""

    text: str | None
    signature: str | None = None
    encrypted: str | None = None
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None


@dataclass(frozen=True, slots=True)
class OpaquePart:
    """Something the library does not know: ``content`` is its whole JSON, ``kind`` the provider's type name."""

    provider: str
    kind: str
    content: ExactJson
    cache_marker: ExactJson | None = None


Part: TypeAlias = (
    TextPart
    | ReasoningPart
    | ImagePart
    | DocumentPart
    | AudioPart
    | ToolCallPart
    | ToolResultPart
    | HostedCallPart
    | HostedResultPart
    | RefusalPart
    | CompactionPart
    | OpaquePart
)
