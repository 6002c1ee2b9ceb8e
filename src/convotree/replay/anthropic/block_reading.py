"""Anthropic's content blocks as parts: one function for each type, the reverse of ``blocks``.

What no field of a part holds goes, exact, into its ``provider_data``; a type without a part of its own becomes an
opaque part. Nothing is lost and nothing is added.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import (
    Base64Source,
    FileSource,
    InlineTextSource,
    MediaSource,
    OpaqueSource,
    UrlSource,
)
from convotree.domain.parts import (
    CompactionPart,
    DocumentPart,
    HostedCallPart,
    HostedResultPart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.replay.anthropic.blocks import Block
from convotree.replay.anthropic.target import NAME
from convotree.replay.reading import MisreadError, leaf, member, text_member, wrong_type

__all__ = ["marker_of", "read_blocks"]


_Readers = Mapping[str, Callable[[Block], Part]]


def read_blocks(content: Sequence[Any]) -> tuple[Part, ...]:
    """The parts in a list of blocks, in order.

    Raises:
        MisreadError: if one of them is no block; the place starts with its index.
    """
    return _read(content, _READERS)


def _read(content: Sequence[Any], readers: _Readers) -> tuple[Part, ...]:
    parts: list[Part] = []
    for block in content:
        try:
            # The two commonest shapes by far, before anything general.
            if type(block) is dict and len(block) == 2 and block.get("type") == "text":
                parts.append(TextPart(text_member(block, "text")))
            else:
                parts.append(_read_block(block, readers))
        except MisreadError as error:
            raise error.within(f"[{len(parts)}]") from None
    return tuple(parts)


def _read_block(block: Any, readers: _Readers) -> Part:
    if type(block) is not dict:
        wrong_type("", "a content block", block)
    kind = text_member(block, "type")
    reader = readers.get(kind)
    if reader is not None:
        return reader(block)
    if "tool_use_id" in block and "content" in block and kind.endswith("_tool_result"):
        return _hosted_result(block)
    return _opaque(block)


def marker_of(block: Block) -> ExactJson | None:
    """The cache marker on a block or tool."""
    marker = block.get("cache_control")
    if marker is None:
        return None
    return leaf(marker, "cache_control")


def _taken(
    block: Block, *names: str, optional: tuple[str, ...] = ()
) -> tuple[ExactJson | None, ExactJson | None]:
    """Provider data and cache marker; fields hold ``names``, and those of ``optional`` that are not null."""
    held = {*names, *(name for name in optional if block.get(name) is not None), "type"}
    marker = None
    if block.get("cache_control") is not None:
        marker = marker_of(block)
        held.add("cache_control")
    if len(held) == len(block):
        return None, marker
    extra = {key: value for key, value in block.items() if key not in held}
    return leaf({NAME: extra}, ""), marker


def _text(block: Block) -> TextPart:
    text = text_member(block, "text")
    citations = leaf(block["citations"], "citations") if "citations" in block else None
    names = ("text", "citations") if citations is not None else ("text",)
    data, marker = _taken(block, *names)
    return TextPart(text, citations, None, data, marker)


def _thinking(block: Block) -> ReasoningPart:
    text = text_member(block, "thinking")
    signature = _optional_text(block, "signature")
    if len(block) == 3 and signature is not None:
        return ReasoningPart(text, signature)
    data, marker = _taken(block, "thinking", optional=("signature",))
    return ReasoningPart(text, signature, None, data, marker)


def _redacted(block: Block) -> ReasoningPart:
    data, marker = _taken(block, "data")
    return ReasoningPart("", None, text_member(block, "data"), data, marker)


def _image(block: Block) -> ImagePart:
    data, marker = _taken(block, "source")
    return ImagePart(_source(member(block, "source")), None, data, marker)


def _document(block: Block) -> DocumentPart:
    data, marker = _taken(block, "source", optional=("title",))
    return DocumentPart(_source(member(block, "source")), _optional_text(block, "title"), data, marker)


_SOURCE_MEMBERS: Final = {
    "base64": ("media_type", "data"),
    "text": ("media_type", "data"),
    "url": ("url",),
    "file": ("file_id",),
}


def _source(source: Any) -> MediaSource:
    if type(source) is not dict:
        wrong_type("source", "an object", source)
    try:
        kind = text_member(source, "type")
        names = _SOURCE_MEMBERS.get(kind)
        if names is None or len(source) != len(names) + 1:
            return OpaqueSource(NAME, leaf(source, "source"))
        first, *second = [text_member(source, name) for name in names]
    except MisreadError as error:
        raise error.within(".source") from None
    match kind:
        case "base64":
            return Base64Source(first, second[0])
        case "text":
            return InlineTextSource(second[0], first)
        case "url":
            return UrlSource(first)
        case _:
            return FileSource(NAME, first)


def _tool_use(block: Block) -> ToolCallPart:
    tool_call_id, name = text_member(block, "id"), text_member(block, "name")
    arguments = leaf(member(block, "input"), "input")
    if len(block) == 4:
        return ToolCallPart(tool_call_id, name, arguments)
    data, marker = _taken(block, "id", "name", "input")
    return ToolCallPart(tool_call_id, name, arguments, None, data, marker)


def _tool_result(block: Block) -> ToolResultPart:
    tool_call_id = text_member(block, "tool_use_id")
    is_error = block.get("is_error")
    if is_error is not None and type(is_error) is not bool:
        wrong_type("is_error", "true or false", is_error)
    content = block.get("content")
    names = ["tool_use_id"]
    parts: tuple[Part, ...] = ()
    if type(content) is str:
        parts = (TextPart(content),)
        names.append("content")
    elif type(content) is list:
        try:
            parts = _read(content, _INSIDE_RESULTS)
        except MisreadError as error:
            raise error.within(".content") from None
        # An empty list is none of the part's forms: it stays aside, to come back as it is.
        if parts:
            names.append("content")
    elif content is not None:
        wrong_type("content", "a string or an array", content)
    data, marker = _taken(block, *names, optional=("is_error",))
    return ToolResultPart(tool_call_id, parts, is_error, None, type(content) is str, data, marker)


def _hosted_call(block: Block) -> HostedCallPart:
    tool_call_id, name = text_member(block, "id"), text_member(block, "name")
    arguments = leaf(member(block, "input"), "input")
    data, marker = _taken(block, "id", "name", "input")
    return HostedCallPart(NAME, block["type"], tool_call_id, name, arguments, data, marker)


def _hosted_result(block: Block) -> HostedResultPart:
    content = leaf(block["content"], "content")
    data, marker = _taken(block, "tool_use_id", "content")
    return HostedResultPart(NAME, block["type"], text_member(block, "tool_use_id"), content, data, marker)


def _compaction(block: Block) -> Part:
    if "content" not in block:
        return _opaque(block)
    text = _optional_text(block, "content")
    signature, encrypted = _optional_text(block, "signature"), _optional_text(block, "encrypted_content")
    data, marker = _taken(block, "content", optional=("signature", "encrypted_content"))
    return CompactionPart(text, signature, encrypted, data, marker)


def _opaque(block: Block) -> OpaquePart:
    marker = marker_of(block)
    if marker is not None:
        block = {key: value for key, value in block.items() if key != "cache_control"}
    return OpaquePart(NAME, block["type"], leaf(block, ""), marker)


def _optional_text(block: Block, name: str) -> str | None:
    text = block.get(name)
    if text is not None and type(text) is not str:
        wrong_type(name, "a string", text)
    return text


_READERS: Final[_Readers] = {
    "text": _text,
    "thinking": _thinking,
    "redacted_thinking": _redacted,
    "image": _image,
    "document": _document,
    "tool_use": _tool_use,
    "tool_result": _tool_result,
    "server_tool_use": _hosted_call,
    "mcp_tool_use": _hosted_call,
    "compaction": _compaction,
}
# A result inside a result is no block of this API; kept aside, it cannot make reading recurse.
_INSIDE_RESULTS: Final[_Readers] = {
    kind: reader for kind, reader in _READERS.items() if kind != "tool_result"
}
