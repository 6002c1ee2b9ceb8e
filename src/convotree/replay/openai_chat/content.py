"""Parts as content parts of Chat Completions, and back again in ``content_reading``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from convotree.domain.exact_json import ExactJson, parse_value, split_object
from convotree.domain.media import (
    Base64Source,
    FileSource,
    InlineTextSource,
    OpaqueSource,
    UrlSource,
)
from convotree.domain.parts import AudioPart, DocumentPart, ImagePart, OpaquePart, Part, RefusalPart, TextPart
from convotree.replay.notebook import Notebook, Place
from convotree.replay.openai_chat.target import NAME, PROVIDER
from convotree.replay.own_rules import LOST_MEMBER, NO_FORM
from convotree.replay.policy import RenderPolicy, Unsupported
from convotree.replay.provider_data import Members, members_for

__all__ = ["AUDIO_FORMATS", "MESSAGE", "ContentWriter", "Piece", "Pieces", "data_url", "document_name"]

Piece = dict[str, Any]
"""A content part: plain values with exact leaves."""

AUDIO_FORMATS: Final = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}
MESSAGE: Final = "message"
"""In the ``provider_data`` of a system part: the message that starts with it, as far as no part holds it."""

_EXTENSIONS: Final = {"application/pdf": "pdf", "text/plain": "txt", "text/markdown": "md", "text/csv": "csv"}


@dataclass(slots=True)
class Pieces:
    """Content parts and the place of each. ``listed``: one of them came in a list, so the content stays one."""

    pieces: list[Piece]
    places: list[Place]
    listed: bool = False

    def content(self) -> str | list[Piece]:
        """A bare string where one text is all there is."""
        if len(self.pieces) == 1 and not self.listed and set(self.pieces[0]) == {"type", "text"}:
            text: str = self.pieces[0]["text"]
            return text
        return self.pieces


class ContentWriter:
    """Writes the content of one request's messages."""

    def __init__(self, policy: RenderPolicy, notebook: Notebook) -> None:
        self._policy = policy
        self._notebook = notebook
        self._markers: list[Place] = []

    def pieces(
        self, parts: Sequence[Part], places: Sequence[Place], *, allowed: frozenset[type], holder: str
    ) -> Pieces:
        """The content parts of ``parts``; what ``holder`` takes in no form is left out and noted."""
        written = Pieces([], [])
        for part, place in zip(parts, places, strict=True):
            if type(part) not in allowed:
                self.no_form(place, f"{type(part).__name__} in {holder}")
                continue
            piece = self._piece(part, place, written)
            if piece is not None:
                self._count_marker(part, place)
                written.pieces.append(piece)
                written.places.append(place)
        return written

    def no_form(self, place: Place, what: str) -> None:
        """Leave something out, or refuse to, as the policy says."""
        reason = f"Chat Completions takes no {what}"
        if self._policy.unsupported is Unsupported.REFUSE:
            self._notebook.refuse(place, NO_FORM, reason, by=Unsupported.REFUSE)
        self._notebook.add(place, NO_FORM, f"{reason}; it is left out")

    def lost(self, place: Place, reason: str) -> None:
        """Note a detail that has no member here."""
        self._notebook.add(place, LOST_MEMBER, reason)

    def note_markers(self) -> None:
        """Say once that cache markers are not sent: there is one reason, however many there are."""
        if self._markers:
            self.lost(
                min(self._markers), f"cache markers ({len(self._markers)}) are left out: there are none here"
            )

    def _count_marker(self, part: Any, place: Place) -> None:
        if part.cache_marker is not None:
            self._markers.append(place)

    def _piece(self, part: Part, place: Place, written: Pieces) -> Piece | None:
        match part:
            case TextPart():
                if part.citations is not None and part.citations.text not in ("null", "[]"):
                    self.lost(place, "citations are left out")
                return self._with_data({"type": "text", "text": part.text}, part, written)
            case RefusalPart():
                return self._with_data({"type": "refusal", "refusal": part.text}, part, written)
            case ImagePart():
                return self._image(part, place, written)
            case DocumentPart():
                return self._document(part, place, written)
            case AudioPart():
                return self._audio(part, place, written)
            case OpaquePart() if part.provider == NAME and part.content.is_object:
                return {key: ExactJson.stored(text) for key, text in split_object(part.content.text).items()}
            case _:
                self.no_form(place, type(part).__name__)
                return None

    def _image(self, part: ImagePart, place: Place, written: Pieces) -> Piece | None:
        match part.source:
            case UrlSource():
                url = part.source.url
            case Base64Source():
                url = data_url(part.source)
            case _:
                self.no_form(place, f"image from {type(part.source).__name__}")
                return None
        return self._with_data({"type": "image_url", "image_url": {"url": url}}, part, written)

    def _document(self, part: DocumentPart, place: Place, written: Pieces) -> Piece | None:
        match part.source:
            case Base64Source():
                name = document_name(part.name, part.source)
                file: Any = {"filename": name, "file_data": data_url(part.source)}
            case FileSource() if part.source.provider in (NAME, PROVIDER):
                file = {"file_id": part.source.file_id}
                if part.name is not None:
                    file["filename"] = part.name
            case OpaqueSource(provider="openai-chat"):
                file = part.source.content
            case InlineTextSource():
                self.lost(place, "a plain text document is sent as text")
                title = "" if part.name is None else f"{part.name}\n\n"
                return {"type": "text", "text": title + part.source.text}
            case _:
                self.no_form(place, f"document from {type(part.source).__name__}")
                return None
        return self._with_data({"type": "file", "file": file}, part, written)

    def _audio(self, part: AudioPart, place: Place, written: Pieces) -> Piece | None:
        source = part.source
        if isinstance(source, Base64Source) and source.media_type in AUDIO_FORMATS:
            audio = {"data": source.data, "format": AUDIO_FORMATS[source.media_type]}
            return self._with_data({"type": "input_audio", "input_audio": audio}, part, written)
        self.no_form(place, "such audio")
        return None

    def _with_data(self, piece: Piece, part: Any, written: Pieces) -> Piece:
        data: Members = members_for(part.provider_data, NAME)
        for key, value in data.items():
            if key == MESSAGE:
                continue
            inner = piece.get(key)
            if isinstance(inner, dict):
                for name, text in split_object(value.text).items():
                    inner.setdefault(name, ExactJson.stored(text))
            elif key == "type":
                written.listed = written.listed or parse_value(value.text) == piece["type"]
            else:
                piece.setdefault(key, value)
        return piece


def data_url(source: Base64Source) -> str:
    """The bytes as a URL."""
    return f"data:{source.media_type};base64,{source.data}"


def document_name(name: str | None, source: Base64Source) -> str:
    """The name of a file, which the API demands: its own, or one that says its type."""
    return name or f"document.{_EXTENSIONS.get(source.media_type, 'bin')}"
