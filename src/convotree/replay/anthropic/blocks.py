"""Parts as Anthropic's content blocks: one function for each kind of part, and back again in ``block_reading``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from convotree.domain.exact_json import ExactJson, split_object
from convotree.domain.media import (
    Base64Source,
    FileSource,
    InlineTextSource,
    MediaSource,
    OpaqueSource,
    UrlSource,
)
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
from convotree.replay.anthropic.block_members import NOT_IN_RESULTS
from convotree.replay.anthropic.citations import holds_answer_members, without_answer_members
from convotree.replay.anthropic.target import NAME
from convotree.replay.notebook import Notebook, Place
from convotree.replay.origin import Origin
from convotree.replay.own_rules import LOST_MEMBER, NO_FORM
from convotree.replay.policy import (
    BlankText,
    CacheMarkers,
    RenderPolicy,
    ResponseMembers,
    ToolArguments,
    Unacceptable,
    Unsupported,
)
from convotree.replay.provider_data import Members, members_for

__all__ = ["Block", "BlockWriter"]

Block = dict[str, Any]
"""A content block: plain values with exact leaves."""

# Put into answers by SDKs or by the API, rejected in requests: "Extra inputs are not permitted" (rule A24).
_RESPONSE_MEMBERS: Final[dict[type, frozenset[str]]] = {TextPart: frozenset({"parsed_output"})}
# Members that an SDK's own dump of an answer adds as null, and that no request may have so.
_NEVER_NULL: Final = frozenset({"caller", "toolset_name"})
_IN_RESULTS: Final = frozenset({TextPart, ImagePart, DocumentPart, OpaquePart})


class BlockWriter:
    """Writes the blocks of one request. ``markers``: the blocks that carry a cache marker, in order."""

    def __init__(self, policy: RenderPolicy, notebook: Notebook) -> None:
        self._policy = policy
        self._notebook = notebook
        self._origin = Origin.OWN
        self._inside = ""
        self._data: dict[str, Members] = {}
        self.markers: list[tuple[Place, Block]] = []

    def blocks(
        self, parts: Sequence[Part], places: Sequence[Place], origin: Origin
    ) -> tuple[list[Block], list[Place]]:
        """The blocks of ``parts`` and, for each, the place of its part. What has no form is left out and noted."""
        self._origin = origin
        blocks: list[Block] = []
        kept: list[Place] = []
        for part, place in zip(parts, places, strict=True):
            block = _WRITERS[type(part)](self, part, place)
            if block is not None:
                blocks.append(block)
                kept.append(place)
        return blocks, kept

    def is_blank(self, text: str, place: Place) -> bool:
        """Whether ``text`` is one that the policy leaves out, which is then noted."""
        if text and not text.isspace():
            return False
        if self._policy.blank_text is BlankText.AS_STORED:
            return False
        if self._policy.blank_text is BlankText.REFUSE:
            self._notebook.refuse(place, "A13", "the text is blank", inside=self._inside, by=BlankText.REFUSE)
        self._notebook.add(place, "A13", "blank text is left out", inside=self._inside)
        return True

    def no_form(self, place: Place, what: str) -> None:
        """Note that ``what`` is left out, or refuse to."""
        reason = f"Anthropic takes no {what}"
        if self._policy.unsupported is Unsupported.REFUSE:
            self._notebook.refuse(place, NO_FORM, reason, inside=self._inside, by=Unsupported.REFUSE)
        self._notebook.add(place, NO_FORM, f"{reason}; it is left out", inside=self._inside)

    def _text(self, part: TextPart, place: Place) -> Block | None:
        if self.is_blank(part.text, place):
            return None
        block: Block = {"type": "text", "text": part.text}
        if part.citations is not None:
            if self._origin is Origin.OWN:
                block["citations"] = self._citations(part.citations, place)
            else:
                self._lost(place, "citations")
        return self._finished(block, part, place)

    def _citations(self, citations: ExactJson, place: Place) -> ExactJson:
        if self._policy.response_members is ResponseMembers.AS_STORED or not holds_answer_members(citations):
            return citations
        self._notebook.add(
            place,
            "A24",
            "file_id is left out: it belongs to answers only",
            inside=f"{self._inside}.citations",
        )
        return without_answer_members(citations)

    def _reasoning(self, part: ReasoningPart, place: Place) -> Block:
        if part.encrypted is not None and part.signature is None:
            block: Block = {"type": "redacted_thinking", "data": part.encrypted}
        else:
            block = {"type": "thinking", "thinking": part.text}
            if part.signature is not None:
                block["signature"] = part.signature
        if part.cache_marker is not None and self._policy.cache_markers is not CacheMarkers.AS_STORED:
            self._notebook.add(place, "A23", "the cache marker is left out: thinking takes none")
            self._add_data(block, part, place)
            return block
        return self._finished(block, part, place)

    def _image(self, part: ImagePart, place: Place) -> Block | None:
        source = self._source(part.source, place)
        return None if source is None else self._finished({"type": "image", "source": source}, part, place)

    def _document(self, part: DocumentPart, place: Place) -> Block | None:
        source = self._source(part.source, place)
        if source is None:
            return None
        block: Block = {"type": "document", "source": source}
        if part.name is not None:
            block["title"] = part.name
        return self._finished(block, part, place)

    def _source(self, source: MediaSource, place: Place) -> Block | ExactJson | None:
        match source:
            case Base64Source():
                return {"type": "base64", "media_type": source.media_type, "data": source.data}
            case UrlSource():
                return {"type": "url", "url": source.url}
            case InlineTextSource():
                return {"type": "text", "media_type": source.media_type, "data": source.text}
            case FileSource(provider="anthropic"):
                return {"type": "file", "file_id": source.file_id}
            case OpaqueSource(provider="anthropic"):
                return source.content
            case FileSource() | OpaqueSource():
                self.no_form(place, f"media that only {source.provider} can read")
                return None

    def _audio(self, part: AudioPart, place: Place) -> None:
        self.no_form(place, "audio")

    def _tool_call(self, part: ToolCallPart | HostedCallPart, place: Place) -> Block:
        kind = part.kind if isinstance(part, HostedCallPart) else "tool_use"
        arguments = self._arguments(part.arguments, place)
        block: Block = {"type": kind, "id": part.tool_call_id, "name": part.name, "input": arguments}
        return self._finished(block, part, place)

    def _arguments(self, arguments: ExactJson, place: Place) -> ExactJson | Block:
        if arguments.is_object:
            return arguments
        choice = self._policy.tool_arguments
        if choice is ToolArguments.REFUSE:
            self._notebook.refuse(
                place, "A24", "the arguments are no object", inside=".arguments", by=ToolArguments.REFUSE
            )
        if choice is ToolArguments.AS_STORED and self._origin is Origin.OWN:
            return arguments
        reason = "the arguments are no object; they are sent as the value of one"
        self._notebook.add(place, "A24", reason, inside=".arguments")
        return {"value": arguments}

    def _tool_result(self, part: ToolResultPart, place: Place) -> Block:
        block: Block = {"type": "tool_result", "tool_use_id": part.tool_call_id}
        if part.as_string:
            block["content"] = part.content[0].text  # type: ignore[union-attr]  # as_string: it is one text
        elif part.content:
            inner = self._inner(part.content, place)
            if inner:
                block["content"] = inner
        if part.is_error is not None:
            block["is_error"] = part.is_error
        self._finished(block, part, place)
        kept_aside = block.get("content")
        if (
            isinstance(kept_aside, ExactJson)
            and kept_aside.text == "[]"
            and self._policy.blank_text is BlankText.LEAVE_OUT
        ):
            # An empty list is rejected, a result without content is not.
            del block["content"]
            self._notebook.add(place, "A14", "an empty list of content is left out", inside=".content")
        return block

    def _inner(self, content: Sequence[Part], place: Place) -> list[Block]:
        inner: list[Block] = []
        for number, part in enumerate(content):
            self._inside = f".content[{number}]"
            if type(part) not in _IN_RESULTS:
                self.no_form(place, f"{type(part).__name__} inside a tool result")
                continue
            if isinstance(part, OpaquePart) and part.provider != NAME:
                self.no_form(place, f"{part.kind} of {part.provider}")
                continue
            if isinstance(part, OpaquePart) and self._is_misplaced(part):
                self.no_form(place, f"{part.kind} inside a tool result")
                continue
            block = _WRITERS[type(part)](self, part, place)
            if block is not None:
                inner.append(block)
        self._inside = ""
        return inner

    def _hosted_result(self, part: HostedResultPart, place: Place) -> Block:
        block: Block = {"type": part.kind, "tool_use_id": part.tool_call_id, "content": part.content}
        return self._finished(block, part, place)

    def _is_misplaced(self, part: OpaquePart) -> bool:
        """Whether it is a block that may not stand in a result (rule A24)."""
        return part.kind in NOT_IN_RESULTS and self._policy.unacceptable is not Unacceptable.AS_STORED

    def _refusal(self, part: RefusalPart, place: Place) -> Block | None:
        if self.is_blank(part.text, place):
            return None
        self._notebook.add(place, LOST_MEMBER, "a refusal is sent as plain text", inside=self._inside)
        return self._finished({"type": "text", "text": part.text}, part, place)

    def _compaction(self, part: CompactionPart, place: Place) -> Block:
        block: Block = {"type": "compaction", "content": part.text}
        if part.signature is not None:
            block["signature"] = part.signature
        if part.encrypted is not None:
            block["encrypted_content"] = part.encrypted
        return self._finished(block, part, place)

    def _opaque(self, part: OpaquePart, place: Place) -> Block | None:
        if part.provider != NAME:
            self.no_form(place, f"{part.kind} of {part.provider}")
            return None
        if not part.content.is_object:
            self.no_form(place, f"{part.kind}, which is no JSON object")
            return None
        block: Block = {"type": part.kind}
        for key, text in split_object(part.content.text).items():
            if key != "type":
                block[key] = ExactJson.stored(text)
        self._add_marker(block, part.cache_marker, place)
        return block

    def _finished(self, block: Block, part: Any, place: Place) -> Block:
        if part.provider_data is not None:
            self._add_data(block, part, place)
        if part.cache_marker is not None:
            self._add_marker(block, part.cache_marker, place)
        return block

    def _add_data(self, block: Block, part: Any, place: Place) -> None:
        data: ExactJson | None = part.provider_data
        if data is None:
            return
        members = self._data.get(data.text)
        if members is None:
            members = self._data[data.text] = members_for(data, NAME)
        rejected = _RESPONSE_MEMBERS.get(type(part), frozenset())
        for key, value in members.items():
            null = value.text == "null" and key in _NEVER_NULL
            if (key in rejected or null) and self._policy.response_members is not ResponseMembers.AS_STORED:
                self._notebook.add(
                    place, "A24", f"{key} is left out: it belongs to answers only", inside=self._inside
                )
            else:
                block.setdefault(key, value)

    def _add_marker(self, block: Block, marker: ExactJson | None, place: Place) -> None:
        if marker is not None:
            block["cache_control"] = marker
            self.markers.append((place, block))

    def _lost(self, place: Place, what: str) -> None:
        self._notebook.add(
            place, LOST_MEMBER, f"{what} of another provider are left out", inside=self._inside
        )


# Any: each function takes the kind of part it stands under.
_WRITERS: Final[dict[type, Callable[[BlockWriter, Any, Place], Block | None]]] = {
    TextPart: BlockWriter._text,
    ReasoningPart: BlockWriter._reasoning,
    ImagePart: BlockWriter._image,
    DocumentPart: BlockWriter._document,
    AudioPart: BlockWriter._audio,
    ToolCallPart: BlockWriter._tool_call,
    ToolResultPart: BlockWriter._tool_result,
    HostedCallPart: BlockWriter._tool_call,
    HostedResultPart: BlockWriter._hosted_result,
    RefusalPart: BlockWriter._refusal,
    CompactionPart: BlockWriter._compaction,
    OpaquePart: BlockWriter._opaque,
}
