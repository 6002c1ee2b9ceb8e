"""Tool results as function responses, and what a model takes only beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from convotree.domain.exact_json import ExactJson, split_object
from convotree.domain.media import InlineTextSource
from convotree.domain.parts import (
    AudioPart,
    DocumentPart,
    ImagePart,
    OpaquePart,
    Part,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.errors import InvalidJsonError
from convotree.replay.gemini.base64_text import is_base64
from convotree.replay.gemini.call_ids import carries_no_id
from convotree.replay.gemini.media import write_source
from convotree.replay.gemini.part_reading import RESPONSE
from convotree.replay.gemini.spelling import SNAKE_CASE, WITHOUT, data_of, spelled
from convotree.replay.gemini.target import NAME
from convotree.replay.gemini.writing import Writing
from convotree.replay.notebook import Place
from convotree.replay.policy import BlankText, ToolArguments, Unacceptable, UnmatchedResults

__all__ = ["ResponseWriter"]

_UNNAMED: Final = "tool"
"""What stands for the name of a call that has none."""

_MEDIA: Final = (ImagePart, DocumentPart, AudioPart)


class ResponseWriter:
    """Writes the function responses of one request. ``media``: whether the model takes media inside."""

    def __init__(self, writing: Writing, *, media: bool) -> None:
        self._writing = writing
        self._names: dict[str, str] = {}
        self._media = media
        self.as_came = True
        """Whether the results stand as they did: only then their order says what an id that is missing would."""
        self.apart: list[tuple[Part, Place]] = []
        """Media that the model does not take inside, to be put into a content after the responses."""

    def called(self, parts: Sequence[Part]) -> None:
        """Take note of the calls in a turn. Turns may repeat ids, and what follows answers the last."""
        self._names.update(
            (part.tool_call_id, self.name_of(part)) for part in parts if isinstance(part, ToolCallPart)
        )

    def name_of(self, part: ToolCallPart) -> str:
        """The name that a call is sent under: nothing can answer one without (rule G6)."""
        as_stored = self._writing.policy.unacceptable is Unacceptable.AS_STORED
        return part.name if part.name or as_stored else _UNNAMED

    def has_call(self, part: ToolResultPart) -> bool:
        """Whether the result can be sent: a function call asks for it, or the policy does not care."""
        as_stored = self._writing.policy.unmatched_results is UnmatchedResults.AS_STORED
        return as_stored or part.tool_call_id in self._names

    def response(self, part: ToolResultPart, place: Place) -> dict[str, Any]:
        """The function response; one without a name gets that of its call."""
        _, form = data_of(part.provider_data)
        without = form.get(WITHOUT, ())
        body: dict[str, Any] = {}
        if not carries_no_id(part.tool_call_id) and not (self.as_came and "id" in without):
            body["id"] = part.tool_call_id
        name = self._name(part, place, "name" in without)
        if name is not None:
            body["name"] = name
        texts, nested = self._content(part, place)
        if RESPONSE not in without or texts:
            body[RESPONSE] = self._response(part, form.get(RESPONSE), texts, place)
        if nested:
            body["parts"] = nested
        return body

    def _name(self, part: ToolResultPart, place: Place, came_without: bool) -> str | None:
        called = self._names.get(part.tool_call_id)
        as_stored = self._writing.policy.unmatched_results is UnmatchedResults.AS_STORED
        if part.name is None:
            return None if came_without and as_stored else called
        if called is None or called == part.name or as_stored:
            return part.name
        self._writing.notebook.add(
            place, "G6", f"the call is one of {called!r}, which stands for {part.name!r}", inside=".name"
        )
        return called

    def _content(self, part: ToolResultPart, place: Place) -> tuple[list[str], list[dict[str, Any]]]:
        texts: list[str] = []
        nested: list[dict[str, Any]] = []
        for number, one in enumerate(part.content):
            inside = f".content[{number}]"
            match one:
                case TextPart() | RefusalPart():
                    texts.append(one.text)
                case DocumentPart(source=InlineTextSource(text=text)):
                    self._writing.lost(place, "a plain text document is sent as text", inside=inside)
                    texts.append(text)
                case ImagePart() | DocumentPart() | AudioPart():
                    self._add_media(one, place, inside, nested)
                case OpaquePart() if one.provider == NAME and one.content.is_object:
                    nested.append(
                        {key: ExactJson.stored(text) for key, text in split_object(one.content.text).items()}
                    )
                case _:
                    self._writing.no_form(place, f"{type(one).__name__} in a tool result", inside=inside)
        return texts, nested

    def _add_media(
        self,
        part: ImagePart | DocumentPart | AudioPart,
        place: Place,
        inside: str,
        nested: list[dict[str, Any]],
    ) -> None:
        if not self._media:
            self._writing.lost(place, "the result's media are put into a content after it", inside=inside)
            self.apart.append((part, place))
            return
        written = write_source(part.source)
        if written is None:
            self._writing.no_form(
                place, f"such media in a tool result ({type(part).__name__})", inside=inside
            )
            return
        kind, data = written
        bad = kind == "inlineData" and not is_base64(data["data"])
        if bad and self._writing.policy.blank_text is not BlankText.AS_STORED:
            self._writing.leave_out(place, "G8", "the data is no base64", inside=inside)
            return
        if isinstance(part, DocumentPart) and part.name is not None:
            self._writing.lost(place, "the name of a document is left out", inside=inside)
        members, form = data_of(part.provider_data)
        body: dict[str, Any] = {kind: data}
        for key, value in members.items():
            if key == kind and value.is_object:
                for name, text in split_object(value.text).items():
                    data.setdefault(name, ExactJson.stored(text))
            else:
                body.setdefault(key, value)
        nested.append(spelled(body, form.get(SNAKE_CASE, ())))

    def _response(self, part: ToolResultPart, form: str | None, texts: Sequence[str], place: Place) -> Any:
        """An object, as it came or around the text (rule G14)."""
        value: Any = "\n".join(texts)
        if form is not None and len(texts) == 1:
            if form != "text":
                value = _parsed(texts[0])
            if form == "object":
                if isinstance(value, ExactJson) and value.is_object:
                    return value
            else:
                choice = self._writing.policy.tool_arguments
                if choice is ToolArguments.AS_STORED:
                    return value
                reason = "the response is no object"
                if choice is ToolArguments.REFUSE:
                    self._writing.notebook.refuse(place, "G14", reason, by=ToolArguments.REFUSE)
                self._writing.notebook.add(place, "G14", f"{reason}; it is sent as the output of one")
        return {"error" if part.is_error else "output": value}


def _parsed(text: str) -> Any:
    try:
        return ExactJson.parse(text)
    except InvalidJsonError:
        return text
