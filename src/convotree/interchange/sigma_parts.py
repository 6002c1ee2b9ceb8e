"""sigma's content blocks as parts, and parts as blocks.

What a part has no field for is kept aside: a block is written as it was read. What a block cannot say of a part from
elsewhere is noted.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Final

from convotree.domain.exact_json import ExactJson, split_object
from convotree.domain.media import Base64Source, FileSource, InlineTextSource, MediaSource, UrlSource
from convotree.domain.message import Provenance
from convotree.domain.parts import (
    AudioPart,
    CompactionPart,
    DocumentPart,
    HostedCallPart,
    HostedResultPart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.interchange.conversion_notes import ConversionNotes
from convotree.interchange.go_json import canonical_json
from convotree.interchange.go_struct import Members
from convotree.interchange.kept_aside import kept_aside, put_back
from convotree.interchange.shape_names import api_name
from convotree.interchange.sigma_document import BLOCK
from convotree.interchange.sigma_rules import HOSTED_REPLAY, is_anchored, is_standard_base64
from convotree.replay.exact_text import write_exact
from convotree.replay.notebook import Place
from convotree.replay.provider_data import members_for

__all__ = ["ANTHROPIC", "HOSTED_CALL", "SIGMA", "BlockWriter", "read_block"]

SIGMA: Final = "sigma"
ANTHROPIC: Final = "anthropic"
HOSTED_CALL: Final = "server_tool_use"
"""``providerMetadata.type`` of a call that Anthropic ran itself, and the member of the envelope that holds it."""

_EMPTY: Final = ExactJson.stored("{}")
_UNKNOWN_TYPES: Final = {"image": "image/*", "document": "application/octet-stream"}
"""The media types that stand for one that is not known, which sigma demands all the same."""


def read_block(block: Members, provenance: Provenance | None) -> Part:
    """The part that a valid block is; ``provenance``: who made the message it stands in."""
    if len(block) == 2 and "text" in block:
        return TextPart(block["text"])
    read = _READERS[block["type"]]
    part = read(block, None)
    said = BlockWriter(provenance, ConversionNotes(SIGMA)).said(part, (0, 0))
    data = kept_aside(block, said or {}, SIGMA)
    return part if data is None else read(block, data)


def _text(block: Members, data: ExactJson | None) -> Part:
    return TextPart(block.get("text", ""), None, block.get("providerSignature"), data)


def _thinking(block: Members, data: ExactJson | None) -> Part:
    signature, encrypted = block.get("signature"), block.get("providerSignature")
    if "redacted" in block and encrypted is None:
        # What Anthropic gives instead of the reasoning stands in either field.
        signature, encrypted = None, signature
    return ReasoningPart(block.get("thinking", ""), signature, encrypted, data)


def _image(block: Members, data: ExactJson | None) -> Part:
    return ImagePart(_source(block, block["imageSource"]), None, data)


def _document(block: Members, data: ExactJson | None) -> Part:
    return DocumentPart(_source(block, block["documentSource"]), block["filename"], data)


def _source(block: Members, kind: str) -> MediaSource:
    if kind == "base64":
        return Base64Source(block["mimeType"], block["data"])
    if kind == "url":
        return UrlSource(block["url"], block["mimeType"])
    return FileSource(SIGMA, block["fileID"], block["mimeType"])


def _tool_call(block: Members, data: ExactJson | None) -> Part:
    tool_call_id, name = block["toolCallID"], block["toolName"]
    # The original sends absent arguments as an empty object.
    arguments = block.get("toolArguments", _EMPTY)
    metadata = block.get("providerMetadata")
    if metadata is not None and split_object(metadata.text).get("type") == f'"{HOSTED_CALL}"':
        return HostedCallPart(ANTHROPIC, HOSTED_CALL, tool_call_id, name, arguments, data)
    return ToolCallPart(tool_call_id, name, arguments, block.get("providerSignature"), data)


_READERS: Final[Mapping[str, Callable[[Members, ExactJson | None], Part]]] = {
    "text": _text,
    "thinking": _thinking,
    "image": _image,
    "document": _document,
    "tool-call": _tool_call,
}


class BlockWriter:
    """Writes the blocks of one message; what they cannot carry goes into the notes."""

    def __init__(self, provenance: Provenance | None, notes: ConversionNotes) -> None:
        made_by = provenance or Provenance()
        self.maker: Final = {
            "provider": made_by.provider or "",
            "api": api_name(made_by.provider, made_by.api),
            "model": made_by.model or "",
        }
        self._notes = notes

    def block(self, part: Part, place: Place, inside: str = "") -> Members | None:
        """The block for ``part``; None if there is none, which is noted."""
        said = self.said(part, place, inside)
        if said is None or isinstance(part, OpaquePart):
            return None
        block = put_back(said, part.provider_data, SIGMA, BLOCK)
        if block["type"] == "text" and "text" not in block and not is_anchored(block):
            self._notes.no_form(place, "empty text", inside)
            return None
        if block["type"] == "thinking" and block.keys().isdisjoint(_OF_THINKING):
            self._notes.no_form(place, "reasoning that says nothing", inside)
            return None
        # A hosted call is written with Anthropic's own block, whole.
        carried = members_for(part.provider_data, ANTHROPIC) if isinstance(part, HostedCallPart) else ()
        self._notes.lost_data(place, part.provider_data, inside=inside, carried=carried)
        self._notes.lost_marker(place, part.cache_marker, inside)
        return block

    def finish(self) -> None:
        """Nothing waits for what comes after it."""

    def said(self, part: Part, place: Place, inside: str = "") -> Members | None:
        """What the fields of a part say, as members of a block; None if there is no block for it, which is noted."""
        match part:
            case TextPart():
                if part.citations is not None:
                    self._notes.lost(place, "citations", inside)
                return _found(type="text", text=part.text, providerSignature=part.signature)
            case ReasoningPart():
                return self._reasoning(part)
            case ImagePart():
                if part.signature is not None:
                    self._notes.lost(place, "the signature of an image", inside)
                return self._media(part.source, "image", place, inside)
            case DocumentPart():
                media = self._media(part.source, "document", place, inside)
                if media is not None and not part.name:
                    self._notes.changed(place, "the document has no name; it is called document", inside)
                return None if media is None else {**media, "filename": part.name or "document"}
            case ToolCallPart():
                return _found(
                    type="tool-call",
                    toolCallID=part.tool_call_id,
                    toolName=part.name,
                    toolArguments=canonical_json(part.arguments),
                    providerSignature=part.signature,
                )
            case HostedCallPart(provider="anthropic", kind="server_tool_use"):
                return _found(
                    type="tool-call",
                    toolCallID=part.tool_call_id,
                    toolName=part.name,
                    toolArguments=canonical_json(part.arguments),
                    providerMetadata=self._hosted(part),
                )
            case _:
                return self._without_block(part, place, inside)

    def _hosted(self, part: HostedCallPart) -> ExactJson:
        raw = {"type": part.kind, "id": part.tool_call_id, "name": part.name, "input": part.arguments}
        raw.update(members_for(part.provider_data, ANTHROPIC))
        metadata = {"type": part.kind, HOSTED_REPLAY: {**self.maker, HOSTED_CALL: raw}}
        return canonical_json(ExactJson.stored(write_exact(metadata)))

    def _reasoning(self, part: ReasoningPart) -> Members:
        redacted = not part.text and part.encrypted is not None and self.maker["provider"] in ("", ANTHROPIC)
        return _found(
            type="thinking",
            thinking=part.text,
            signature=part.signature,
            redacted=redacted or None,
            providerSignature=part.encrypted,
        )

    def _media(self, source: MediaSource, what: str, place: Place, inside: str) -> Members | None:
        kind, member = f"{what}Source", "data"
        match source:
            case Base64Source():
                form, content = "base64", source.data
                if content and not is_standard_base64(content):
                    self._notes.no_form(place, f"base64 of another alphabet, in a {what}", inside)
                    return None
            case InlineTextSource():
                form, content = "base64", b64encode(source.text.encode("utf-8", "replace")).decode()
            case UrlSource():
                form, member, content = "url", "url", source.url
            case FileSource() if what == "document":
                form, member, content = "file_id", "fileID", source.file_id
                if source.provider != SIGMA:
                    self._notes.lost(place, f"whose file it is ({source.provider[:64]}'s)", inside)
            case _:
                self._notes.no_form(place, f"media that only {source.provider[:64]} can read", inside)
                return None
        if not content:
            self._notes.no_form(place, "media without content", inside)
            return None
        media_type = source.media_type
        if not media_type:
            media_type = _UNKNOWN_TYPES[what]
            self._notes.changed(place, f"the media type is not known; it is called {media_type}", inside)
        return _found(**{"type": what, "mimeType": media_type, kind: form, member: content})

    def _without_block(self, part: Part, place: Place, inside: str) -> Members | None:
        match part:
            case RefusalPart():
                self._notes.changed(place, "the refusal is written as text", inside)
                return _found(type="text", text=part.text)
            case CompactionPart() if part.text:
                self._notes.changed(place, "the summary is written as text", inside)
                return _found(type="text", text=part.text)
            case HostedCallPart() | HostedResultPart() | OpaquePart():
                self._notes.no_form(place, f"{part.kind[:64]} of {part.provider[:64]}", inside)
            case AudioPart() | CompactionPart() | ToolResultPart():
                name = {AudioPart: "a recording", CompactionPart: "a summary that is not text"}
                self._notes.no_form(place, name.get(type(part), "a result inside a result"), inside)
        return None


_OF_THINKING: Final = frozenset({"thinking", "signature", "providerSignature", "redacted"})


def _found(**members: object) -> Members:
    """The members that are not zero."""
    return {name: value for name, value in members.items() if value is not None and value != ""}
