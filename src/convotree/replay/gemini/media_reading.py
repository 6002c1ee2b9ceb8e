"""Bytes and files of Gemini's parts as media, the reverse of ``media``."""

from __future__ import annotations

import re
from typing import Any, Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import Base64Source, FileSource, MediaSource, UrlSource
from convotree.domain.parts import AudioPart, DocumentPart, ImagePart, Part
from convotree.replay.gemini.spelling import Fields
from convotree.replay.gemini.target import PROVIDER

__all__ = ["MEDIA", "media_part", "read_source"]

MEDIA: Final = frozenset({"inlineData", "fileData"})

_FILES_API: Final = re.compile(r"https://generativelanguage\.googleapis\.com/[^?#]*files/")


def read_source(kind: str, fields: Fields) -> MediaSource | None:
    """The source in ``inlineData`` or ``fileData``; None if it is not whole."""
    media_type = fields.optional_text("mimeType")
    if kind == "inlineData":
        data = fields.optional_text("data")
        return None if data is None or media_type is None else Base64Source(media_type, data)
    uri = fields.optional_text("fileUri")
    if uri is None:
        return None
    return FileSource(PROVIDER, uri, media_type) if _FILES_API.match(uri) else UrlSource(uri, media_type)


def media_part(source: MediaSource, signature: str | None, data: Any) -> Part:
    """The part of the kind that the media type says. ``data``: a function from members to ``provider_data``."""
    media_type = getattr(source, "media_type", None) or ""
    if media_type.startswith("image/"):
        return ImagePart(source, signature, data())
    kept: ExactJson | None = data(thoughtSignature=signature)
    return AudioPart(source, kept) if media_type.startswith("audio/") else DocumentPart(source, None, kept)
