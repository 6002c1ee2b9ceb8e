"""Where the bytes of an image, document or recording are: the sources that a part can name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from convotree.domain.brief_repr import brief_repr
from convotree.domain.exact_json import ExactJson
from convotree.domain.field_checks import keep_json, keep_optional_text, keep_text

__all__ = ["Base64Source", "FileSource", "InlineTextSource", "MediaSource", "OpaqueSource", "UrlSource"]


@dataclass(frozen=True, slots=True)
class UrlSource:
    """Bytes behind a URL; ``media_type`` where it is known."""

    url: str
    media_type: str | None = None

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        keep_text(self, "url")
        keep_optional_text(self, "media_type")


@dataclass(frozen=True, slots=True)
class Base64Source:
    """Bytes inline. ``data`` is the base64 text exactly as it was given."""

    media_type: str
    data: str

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        keep_text(self, "media_type", "data")


@dataclass(frozen=True, slots=True)
class FileSource:
    """A provider's own file id: valid with that provider only, and only until it expires."""

    provider: str
    file_id: str
    media_type: str | None = None

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        keep_text(self, "provider", "file_id")
        keep_optional_text(self, "media_type")


@dataclass(frozen=True, slots=True)
class InlineTextSource:
    """A document that is plain text."""

    text: str
    media_type: str = "text/plain"

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        keep_text(self, "text", "media_type")


@dataclass(frozen=True, slots=True)
class OpaqueSource:
    """A source of ``provider`` that the library does not know; ``content`` is its whole JSON."""

    provider: str
    content: ExactJson

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        keep_text(self, "provider")
        keep_json(self, "content")


MediaSource: TypeAlias = UrlSource | Base64Source | FileSource | InlineTextSource | OpaqueSource
