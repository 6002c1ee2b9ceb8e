"""Media as bytes and files of Gemini's parts, and back again in ``media_reading``."""

from __future__ import annotations

from typing import Any

from convotree.domain.media import Base64Source, FileSource, MediaSource, UrlSource
from convotree.replay.gemini.target import NAME, PROVIDER

__all__ = ["write_source"]


def write_source(source: MediaSource) -> tuple[str, dict[str, Any]] | None:
    """The data member and what it holds; None for a source that Gemini cannot read."""
    match source:
        case Base64Source():
            return "inlineData", {"mimeType": source.media_type, "data": source.data}
        case UrlSource():
            return "fileData", _file(source.url, source.media_type)
        case FileSource() if source.provider in (NAME, PROVIDER):
            return "fileData", _file(source.file_id, source.media_type)
        case _:
            return None


def _file(uri: str, media_type: str | None) -> dict[str, Any]:
    return {"fileUri": uri} if media_type is None else {"mimeType": media_type, "fileUri": uri}
