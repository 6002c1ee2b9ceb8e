"""or/llm's content blocks as parts, and parts as blocks; what a block cannot say of a part from elsewhere is noted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import Base64Source
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
from convotree.interchange.go_json import canonical, float_text, float_value, read_json
from convotree.interchange.go_struct import Members
from convotree.interchange.kept_aside import kept_aside, put_back
from convotree.interchange.or_llm_document import BLOCKS
from convotree.interchange.shape_names import api_name
from convotree.replay.notebook import Place
from convotree.replay.reading import MisreadError

__all__ = ["OR_LLM", "BlockWriter", "read_block"]

OR_LLM: Final = "or_llm"
# The one protocol whose signatures of thinking are signatures: elsewhere the field names a member or holds an id.
_SIGNED: Final = "anthropic-messages"


def read_block(block: Members, provenance: Provenance | None) -> Part:
    """The part that a block is; ``provenance``: who made the message it stands in."""
    if len(block) == 2 and "text" in block:
        return TextPart(block["text"])
    read = _READERS[block["type"]]
    protocol = _protocol(provenance)
    part = read(block, protocol, None)
    said = BlockWriter(provenance, ConversionNotes(OR_LLM)).said(part, (0, 0))
    data = kept_aside(block, said or {}, OR_LLM)
    return part if data is None else read(block, protocol, data)


def _protocol(provenance: Provenance | None) -> str:
    return "" if provenance is None else api_name(provenance.provider, provenance.api)


def _text(block: Members, protocol: str, data: ExactJson | None) -> Part:
    return TextPart(block["text"], provider_data=data)


def _thinking(block: Members, protocol: str, data: ExactJson | None) -> Part:
    signature = block.get("thinkingSignature") if protocol == _SIGNED else None
    if "redacted" in block:
        return ReasoningPart(block["thinking"], None, signature, data)
    return ReasoningPart(block["thinking"], signature, None, data)


def _image(block: Members, protocol: str, data: ExactJson | None) -> Part:
    return ImagePart(Base64Source(block["mimeType"], block["data"]), None, data)


def _tool_call(block: Members, protocol: str, data: ExactJson | None) -> Part:
    return ToolCallPart(block["id"], block["name"], block["arguments"], block.get("thoughtSignature"), data)


_READERS: Final[Mapping[str, Callable[[Members, str, ExactJson | None], Part]]] = {
    "text": _text,
    "thinking": _thinking,
    "image": _image,
    "toolCall": _tool_call,
}


class BlockWriter:
    """Writes the blocks of one message; what they cannot carry goes into the notes."""

    def __init__(self, provenance: Provenance | None, notes: ConversionNotes) -> None:
        self._protocol = _protocol(provenance)
        self._notes = notes

    def block(self, part: Part, place: Place, inside: str = "") -> Members | None:
        """The block for ``part``; None if there is none, which is noted."""
        said = self.said(part, place, inside)
        if said is None or isinstance(part, OpaquePart):
            return None
        self._notes.lost_data(place, part.provider_data, inside=inside)
        self._notes.lost_marker(place, part.cache_marker, inside)
        return put_back(said, part.provider_data, OR_LLM, BLOCKS[said["type"]].struct)

    def finish(self) -> None:
        """Nothing waits for what comes after it."""

    def said(self, part: Part, place: Place, inside: str = "") -> Members | None:
        """What the fields of a part say, as a complete block; None if there is no block for it, which is noted."""
        match part:
            case TextPart():
                for name in ("citations", "signature"):
                    if getattr(part, name) is not None:
                        self._notes.lost(place, f"the {name} of a text", inside)
                return self._complete({"type": "text", "text": part.text})
            case ReasoningPart():
                return self._reasoning(part, place, inside)
            case ImagePart(source=Base64Source() as source):
                if part.signature is not None:
                    self._notes.lost(place, "the signature of an image", inside)
                return self._complete({"type": "image", "data": source.data, "mimeType": source.media_type})
            case ToolCallPart():
                return self._complete(
                    {
                        "type": "toolCall",
                        "id": part.tool_call_id,
                        "name": part.name,
                        "arguments": self._arguments(part.arguments, place, inside),
                        "thoughtSignature": part.signature,
                    }
                )
            case RefusalPart():
                self._notes.changed(place, "the refusal is written as text", inside)
                return self._complete({"type": "text", "text": part.text})
            case CompactionPart() if part.text:
                self._notes.changed(place, "the summary is written as text", inside)
                return self._complete({"type": "text", "text": part.text})
            case _:
                self._notes.no_form(place, _NAMES[type(part)], inside)
                return None

    def _complete(self, members: Members) -> Members:
        return BLOCKS[members["type"]].struct.complete(members)

    def _reasoning(self, part: ReasoningPart, place: Place, inside: str) -> Members:
        members: Members = {"type": "thinking", "thinking": part.text}
        if self._protocol == _SIGNED:
            members["thinkingSignature"] = part.signature or part.encrypted
            members["redacted"] = (part.encrypted is not None and part.signature is None) or None
            if part.signature is not None and part.encrypted is not None:
                self._notes.lost(place, "encrypted reasoning beside a signature", inside)
        elif part.signature is not None or part.encrypted is not None:
            self._notes.lost(place, "the signature of this provider's reasoning", inside)
        return self._complete(members)

    def _arguments(self, arguments: ExactJson, place: Place, inside: str) -> ExactJson:
        where = f"{inside}.arguments"
        changed: list[str] = []

        def spelled(number: str) -> str:
            try:
                text = float_text(number)
            except MisreadError:
                changed.append(number)
                return "null"
            if not _equal(number, text):
                changed.append(number)
            return text

        tree, _ = read_json(arguments.text, place="arguments")
        text = canonical(tree, number=spelled)
        if changed:
            shown = changed[0] if len(changed[0]) <= 40 else f"{changed[0][:40]}…"
            self._notes.changed(place, f"numbers that float64 cannot hold are changed, {shown} first", where)
        if not arguments.is_object:
            self._notes.changed(
                place, "the arguments are no object; they are written as the value of one", where
            )
            text = f'{{"value":{text}}}'
        return ExactJson.stored(text)


def _equal(number: str, respelled: str) -> bool:
    """Whether two spellings, of which the second is what float64 made of the first, are one number."""
    if number == respelled:
        return True
    if float_value(respelled) == 0:  # the first may be smaller than any decimal that Python makes
        return not any(digit in "123456789" for digit in number.lower().partition("e")[0])
    return Decimal(number) == Decimal(respelled)


_NAMES: Final[Mapping[type[Part], str]] = {
    ImagePart: "an image that is not in base64",
    DocumentPart: "a document",
    AudioPart: "a recording",
    CompactionPart: "a summary that is not text",
    ToolResultPart: "a result inside a result",
    HostedCallPart: "a call that the provider ran itself",
    HostedResultPart: "the result of a call that the provider ran itself",
    OpaquePart: "what only one provider understands",
}
