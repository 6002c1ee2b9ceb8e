"""The parts of a message: what each kind holds. Values only; their JSON form is ``part_codec``'s concern.

Two fields are common to all kinds. ``provider_data`` is a JSON object keyed by provider name: what that
provider sent with the part and no typed field holds, untouched, given back to that provider only.
``cache_marker`` is the caller's prompt-cache marker (Anthropic's ``cache_control`` value); it is no content
and enters no chained digest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, get_args

from convotree.domain.brief_repr import brief_repr
from convotree.domain.exact_json import ExactJson
from convotree.domain.field_checks import (
    keep_json,
    keep_optional_json,
    keep_optional_object,
    keep_optional_text,
    keep_text,
    misplaced,
)
from convotree.domain.media import MediaSource
from convotree.errors import InvalidMessageError

__all__ = [
    "MAX_RESULT_NESTING",
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
    "checked_parts",
]


MAX_RESULT_NESTING: Final = 16
"""Deepest nesting of tool results within tool results: no provider nests them at all, and readers recurse."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text. ``citations``: the provider's JSON array. ``signature``: Gemini's thought signature."""

    text: str
    citations: ExactJson | None = None
    signature: str | None = None
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        # A long path makes thousands of parts: the common cases below are tested without a call.
        if type(self.text) is str and (
            self.citations is None
            and self.signature is None
            and self.provider_data is None
            and self.cache_marker is None
        ):
            return
        keep_text(self, "text")
        keep_optional_text(self, "signature")
        keep_optional_json(self, "citations", "cache_marker")
        keep_optional_object(self, "provider_data")


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

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        if type(self.text) is not str or type(self.signature) is not str or self.encrypted is not None:
            keep_text(self, "text")
            keep_optional_text(self, "signature", "encrypted")
        if self.provider_data is not None or self.cache_marker is not None:
            _keep_common(self)


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image."""

    source: MediaSource
    signature: str | None = None
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        _keep_source(self, self.source)
        keep_optional_text(self, "signature")
        _keep_common(self)


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A document such as a PDF or plain text; ``name`` is its title or file name."""

    source: MediaSource
    name: str | None = None
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        _keep_source(self, self.source)
        keep_optional_text(self, "name")
        _keep_common(self)


@dataclass(frozen=True, slots=True)
class AudioPart:
    """A recording."""

    source: MediaSource
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        _keep_source(self, self.source)
        _keep_common(self)


@dataclass(frozen=True, slots=True)
class ToolCallPart:
    """The model asks the caller to run a tool; the spelling of ``arguments`` is kept exactly."""

    tool_call_id: str
    name: str
    arguments: ExactJson
    signature: str | None = None
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        if type(self.tool_call_id) is not str or type(self.name) is not str:
            keep_text(self, "tool_call_id", "name")
        if type(self.arguments) is not ExactJson:
            keep_json(self, "arguments")
        if self.signature is not None:
            keep_optional_text(self, "signature")
        if self.provider_data is not None or self.cache_marker is not None:
            _keep_common(self)


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

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        keep_text(self, "tool_call_id")
        if self.name is not None:
            keep_optional_text(self, "name")
        if self.provider_data is not None or self.cache_marker is not None:
            _keep_common(self)
        if self.is_error is not None and type(self.is_error) is not bool:
            raise misplaced(self, "is_error", "True, False or None", self.is_error)
        if type(self.as_string) is not bool:
            raise misplaced(self, "as_string", "True or False", self.as_string)
        content = checked_parts(self.content, place="ToolResultPart.content")
        if self.as_string and (len(content) != 1 or type(content[0]) is not TextPart):
            raise InvalidMessageError(place="ToolResultPart.as_string", reason="the content is not one text")
        if _depth_of_results(content) >= MAX_RESULT_NESTING:
            raise InvalidMessageError(
                place="ToolResultPart.content",
                reason=f"tool results are nested deeper than {MAX_RESULT_NESTING} levels",
            )
        object.__setattr__(self, "content", content)


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

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        keep_text(self, "provider", "kind", "tool_call_id", "name")
        keep_json(self, "arguments")
        _keep_common(self)


@dataclass(frozen=True, slots=True)
class HostedResultPart:
    """What a hosted call returned; ``content`` is the provider's JSON."""

    provider: str
    kind: str
    tool_call_id: str
    content: ExactJson
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        keep_text(self, "provider", "kind", "tool_call_id")
        keep_json(self, "content")
        _keep_common(self)


@dataclass(frozen=True, slots=True)
class RefusalPart:
    """The model's refusal, where a provider marks it as one."""

    text: str
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        keep_text(self, "text")
        _keep_common(self)


@dataclass(frozen=True, slots=True)
class CompactionPart:
    """A summary that stands for what came before it on the path."""

    text: str | None = None
    signature: str | None = None
    encrypted: str | None = None
    provider_data: ExactJson | None = None
    cache_marker: ExactJson | None = None

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        keep_optional_text(self, "text", "signature", "encrypted")
        _keep_common(self)


@dataclass(frozen=True, slots=True)
class OpaquePart:
    """Something the library does not know: ``content`` is its whole JSON, ``kind`` the provider's type name."""

    provider: str
    kind: str
    content: ExactJson
    cache_marker: ExactJson | None = None

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        keep_text(self, "provider", "kind")
        keep_json(self, "content")
        keep_optional_json(self, "cache_marker")


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

_PART_TYPES: Final = frozenset(get_args(Part))
_SOURCE_TYPES: Final = frozenset(get_args(MediaSource))


def checked_parts(content: object, *, place: str) -> tuple[Part, ...]:
    """``content`` as a tuple of parts.

    Raises:
        InvalidMessageError: if it is no sequence of parts; ``place`` with the index of what is none.
    """
    if type(content) is not tuple:
        if not isinstance(content, Iterable) or isinstance(content, (str, bytes, bytearray, Mapping)):
            raise InvalidMessageError(
                place=place, reason=f"parts were expected, not {type(content).__name__}"
            )
        content = tuple(content)
    for index, part in enumerate(content):
        if type(part) not in _PART_TYPES:
            raise InvalidMessageError(
                place=f"{place}[{index}]", reason=f"a part was expected, not {type(part).__name__}"
            )
    return content


def _keep_common(part: object) -> None:
    keep_optional_object(part, "provider_data")
    keep_optional_json(part, "cache_marker")


def _keep_source(part: object, source: object) -> None:
    if type(source) not in _SOURCE_TYPES:
        raise misplaced(part, "source", "a media source such as UrlSource", source)


def _depth_of_results(content: tuple[Part, ...]) -> int:
    """How deep tool results stand in ``content``; each was measured when it was made, so this ends."""
    inner = [part.content for part in content if type(part) is ToolResultPart]
    return 1 + max(map(_depth_of_results, inner)) if inner else 0
