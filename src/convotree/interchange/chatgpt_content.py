"""The content of a ChatGPT message as parts, with what no part holds beside them.

``text`` and ``multimodal_text`` give one part for each element of ``parts``; ``code`` and ``execution_output`` give
text; ``thoughts`` and ``reasoning_recap`` give reasoning. Any other content, and any element that is not known,
becomes one opaque part that holds it whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import FileSource
from convotree.domain.parts import AudioPart, ImagePart, OpaquePart, Part, ReasoningPart, TextPart
from convotree.interchange.json_span import JsonSpan, exact_members, string_in
from convotree.interchange.problems import Problems

__all__ = ["PROVIDER", "ChatGptContent", "opaque_part", "read_content"]

PROVIDER: Final = "chatgpt"
"""The name under which parts and messages keep what only ChatGPT knows."""


@dataclass(frozen=True, slots=True)
class ChatGptContent:
    """``rest``: the members of the content that no part holds, ``content_type`` among them."""

    kind: str
    parts: tuple[Part, ...] = ()
    rest: dict[str, ExactJson] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing at all: no part but empty text."""
        return all(isinstance(part, TextPart) and not part.text for part in self.parts)

    @property
    def only_text(self) -> str | None:
        """The text, if it is one text and nothing else."""
        match self.parts:
            case (TextPart(text=text, provider_data=None),):
                return text
            case _:
                return None

    @property
    def is_reasoning(self) -> bool:
        return bool(self.parts) and all(isinstance(part, ReasoningPart) for part in self.parts)


def read_content(span: JsonSpan | None, *, place: str, problems: Problems) -> ChatGptContent:
    """The parts of a message's ``content``; without content no parts."""
    if span is None or span.is_null:
        return ChatGptContent("null")
    if not span.is_object:
        return ChatGptContent(span.kind, (opaque_part(span, span.kind, place),))
    members = problems.members(span, place)
    kind = string_in(members, "content_type") or "unknown"
    found = _known_parts(kind, members, place)
    if found is None:
        return ChatGptContent(kind, (opaque_part(span, kind, place),))
    parts, held = found
    return ChatGptContent(kind, parts, exact_members(members, place, without={held}))


def opaque_part(span: JsonSpan, kind: str, place: str) -> OpaquePart:
    """The whole of what is not understood."""
    return OpaquePart(PROVIDER, kind, span.exact(place))


def _known_parts(
    kind: str, members: Mapping[str, JsonSpan], place: str
) -> tuple[tuple[Part, ...], str] | None:
    """The parts, and the name of the member that they hold; None if the content is not understood."""
    match kind:
        case "text" | "multimodal_text" if "parts" in members and members["parts"].is_array:
            elements = members["parts"].elements()
            return tuple(
                _element(one, f"{place}.parts[{number}]") for number, one in enumerate(elements)
            ), "parts"
        case "code" | "execution_output":
            text = string_in(members, "text")
            return None if text is None else ((TextPart(text),), "text")
        case "reasoning_recap":
            text = string_in(members, "content")
            return None if text is None else ((ReasoningPart(text),), "content")
        case "thoughts":
            # Exports write ``thoughts``; payloads captured from the application have been seen with ``parts``.
            name = "thoughts" if "thoughts" in members else "parts"
            if name not in members or not members[name].is_array:
                return None
            thoughts = tuple(
                _thought(one, f"{place}.{name}[{number}]")
                for number, one in enumerate(members[name].elements())
            )
            return thoughts or (ReasoningPart(),), name
        case _:
            return None


def _element(span: JsonSpan, place: str) -> Part:
    text = span.string
    if text is not None:
        return TextPart(text)
    members = dict(span.pairs())
    kind = string_in(members, "content_type") or span.kind
    pointer = string_in(members, "asset_pointer")
    if kind == "image_asset_pointer" and pointer is not None:
        rest = _rest(members, place, "asset_pointer")
        return ImagePart(FileSource(PROVIDER, pointer), provider_data=rest)
    if kind == "audio_asset_pointer" and pointer is not None:
        rest = _rest(members, place, "asset_pointer")
        return AudioPart(FileSource(PROVIDER, pointer), provider_data=rest)
    spoken = string_in(members, "text")
    if kind == "audio_transcription" and spoken is not None:
        return TextPart(spoken, provider_data=_rest(members, place, "text"))
    return opaque_part(span, kind, place)


def _thought(span: JsonSpan, place: str) -> Part:
    text = span.string
    if text is not None:
        return ReasoningPart(text)
    members = dict(span.pairs())
    for name in ("content", "summary"):
        text = string_in(members, name)
        if text:
            return ReasoningPart(text, provider_data=_rest(members, place, name))
    if span.is_object:
        return ReasoningPart(provider_data=_rest(members, place))
    return opaque_part(span, "thought", place)


def _rest(members: Mapping[str, JsonSpan], place: str, *held: str) -> ExactJson:
    return ExactJson.of({PROVIDER: exact_members(members, place, without=set(held))}, place=place)
