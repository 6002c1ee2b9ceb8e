"""Parts as content of the Responses API, and back again in ``content_reading``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from convotree.domain.exact_json import ExactJson, parse_value, split_object
from convotree.domain.json_scan import only_member_of
from convotree.domain.media import Base64Source, FileSource, InlineTextSource, OpaqueSource, UrlSource
from convotree.domain.parts import DocumentPart, ImagePart, OpaquePart, Part, TextPart
from convotree.replay.notebook import Notebook, Place
from convotree.replay.openai_chat.content import data_url, document_name
from convotree.replay.openai_responses.target import NAME, PROVIDER
from convotree.replay.own_rules import LOST_MEMBER, NO_FORM
from convotree.replay.policy import RenderPolicy, Unacceptable, Unsupported
from convotree.replay.provider_data import members_for

__all__ = ["ContentWriter", "Piece", "Pieces", "is_file_data", "plain_data", "plain_object"]

Piece = dict[str, Any]
"""A content part: plain values with exact leaves."""

_FILE_DATA: Final = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w=.-]+)*;base64,[A-Za-z0-9+/]+={0,2}")
_OF_PARTS: Final = frozenset({"message"})
"""What ``provider_data`` of a part says of more than the part."""


def plain_data(provider_data: ExactJson | None) -> dict[str, Any]:
    """What ``provider_data`` holds of this API's: plain strings and null, which are looked at; all else stays exact."""
    if provider_data is None:
        return {}
    members = only_member_of(provider_data.text, NAME)
    if members is not None:
        return {key: _plain(text) for key, text in members}
    return {key: _plain(value.text) for key, value in members_for(provider_data, NAME).items()}


def plain_object(content: ExactJson) -> dict[str, Any]:
    """The same of a JSON object."""
    return {key: _plain(text) for key, text in split_object(content.text).items()}


def _plain(text: str) -> Any:
    if text[0] == '"':
        # Most are names and ids, which need no reading.
        return parse_value(text) if "\\" in text else text[1:-1]
    return None if text == "null" else ExactJson.stored(text)


@dataclass(slots=True)
class Pieces:
    """Content parts and the place of each. ``listed``: one of them came in a list, so the content stays one."""

    pieces: list[Piece]
    places: list[Place]
    listed: bool = False


class ContentWriter:
    """Writes the content of one request's items."""

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
            if piece is not None and not self._is_bad_file(piece, place):
                self.count_marker(part, place)
                written.pieces.append(piece)
                written.places.append(place)
        return written

    def no_form(self, place: Place, what: str) -> None:
        """Leave something out, or refuse to, as the policy says."""
        self.leave_out(place, NO_FORM, f"the Responses API takes no {what}")

    def leave_out(self, place: Place, rule: str, reason: str) -> None:
        """Leave something out for ``rule``, or refuse to, as the policy says."""
        if self._policy.unsupported is Unsupported.REFUSE:
            self._notebook.refuse(place, rule, reason, by=Unsupported.REFUSE)
        self._notebook.add(place, rule, f"{reason}; it is left out")

    def lost(self, place: Place, reason: str) -> None:
        """Note a detail that has no member here."""
        self._notebook.add(place, LOST_MEMBER, reason)

    def count_marker(self, part: Any, place: Place) -> None:
        """Remember a cache marker, which has no form here."""
        if part.cache_marker is not None:
            self._markers.append(place)

    def note_markers(self) -> None:
        """Say once that cache markers are not sent: there is one reason, however many there are."""
        if self._markers:
            self.lost(
                min(self._markers), f"cache markers ({len(self._markers)}) are left out: there are none here"
            )

    def _is_bad_file(self, piece: Piece, place: Place) -> bool:
        """Whether it is a file that the API cannot read, which is then left out."""
        if "file_data" not in piece or self._policy.unacceptable is Unacceptable.AS_STORED:
            return False
        if is_file_data(piece["file_data"]):
            return False
        self.leave_out(place, "R13", "file_data is no data URL with base64")
        return True

    def _piece(self, part: Part, place: Place, written: Pieces) -> Piece | None:
        match part:
            case TextPart():
                if part.citations is not None and part.citations.text not in ("null", "[]"):
                    self.lost(place, "citations are left out")
                return self._with_data({"type": "input_text", "text": part.text}, part, written)
            case ImagePart():
                return self._image(part, place, written)
            case DocumentPart():
                return self._document(part, place, written)
            case OpaquePart() if part.provider == NAME and part.content.is_object:
                return plain_object(part.content)
            case _:
                self.no_form(place, type(part).__name__)
                return None

    def _image(self, part: ImagePart, place: Place, written: Pieces) -> Piece | None:
        piece: Piece = {"type": "input_image"}
        match part.source:
            case UrlSource():
                piece["image_url"] = part.source.url
            case Base64Source():
                piece["image_url"] = data_url(part.source)
            case FileSource() if part.source.provider in (NAME, PROVIDER):
                piece["file_id"] = part.source.file_id
            case _:
                self.no_form(place, f"image from {type(part.source).__name__}")
                return None
        if part.provider_data is None or not members_for(part.provider_data, NAME):
            piece["detail"] = "auto"
        return self._with_data(piece, part, written)

    def _document(self, part: DocumentPart, place: Place, written: Pieces) -> Piece | None:
        piece: Piece = {"type": "input_file"}
        own = members_for(part.provider_data, NAME)
        match part.source:
            case Base64Source():
                name = part.name if own else document_name(part.name, part.source)
                piece["file_data"] = data_url(part.source)
            case FileSource() if part.source.provider in (NAME, PROVIDER):
                name = part.name
                piece["file_id"] = part.source.file_id
            case UrlSource():
                name = part.name if own else None
                if part.name is not None and not own:
                    self.lost(place, "the name of a document is left out")
                piece["file_url"] = part.source.url
            case OpaqueSource(provider="openai-responses") if part.source.content.is_object:
                return {**piece, **plain_object(part.source.content)}
            case InlineTextSource():
                self.lost(place, "a plain text document is sent as text")
                title = "" if part.name is None else f"{part.name}\n\n"
                return {"type": "input_text", "text": title + part.source.text}
            case _:
                self.no_form(place, f"document from {type(part.source).__name__}")
                return None
        if name is not None:
            piece["filename"] = name
        return self._with_data(piece, part, written)

    def _with_data(self, piece: Piece, part: Any, written: Pieces) -> Piece:
        data: Mapping[str, Any] = plain_data(part.provider_data)
        for key, value in data.items():
            if key == "type":
                written.listed = written.listed or value == piece["type"]
            elif key not in _OF_PARTS:
                piece.setdefault(key, value)
        return piece


def is_file_data(data: Any) -> bool:
    """Whether it is a data URL with base64."""
    if type(data) is not str or not _FILE_DATA.fullmatch(data):
        return False
    return (len(data) - data.index(",") - 1) % 4 == 0
