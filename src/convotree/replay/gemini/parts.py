"""Parts as Gemini's parts: one function for each kind of part, and back again in ``part_reading``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from convotree.domain.exact_json import ExactJson, split_object
from convotree.domain.media import InlineTextSource
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
from convotree.replay.gemini.base64_text import is_base64
from convotree.replay.gemini.call_ids import carries_no_id
from convotree.replay.gemini.media import write_source
from convotree.replay.gemini.models import Generation, generation_of
from convotree.replay.gemini.part_reading import DATA_MEMBERS
from convotree.replay.gemini.responses import ResponseWriter
from convotree.replay.gemini.signatures import Signatures
from convotree.replay.gemini.spelling import SNAKE_CASE, WITHOUT, data_of, either, snake_of
from convotree.replay.gemini.wire import WirePart
from convotree.replay.gemini.writing import Writing
from convotree.replay.notebook import Place
from convotree.replay.origin import Origin
from convotree.replay.policy import BlankText, ForeignReasoning, HostedOrphans, ToolArguments
from convotree.replay.turn import Turn

__all__ = ["MODIFIER_KEYS", "PartWriter"]

MODIFIER_KEYS: Final = frozenset(
    spelling
    for name in ("thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata")
    for spelling in (name, snake_of(name))
)
"""Members that say something about a part's data and are none themselves, in both spellings."""

_HOSTED_KINDS: Final = ("executableCode", "codeExecutionResult", "toolCall", "toolResponse")
_SIGNED_HOSTED: Final = ("toolCall", "toolResponse")


class PartWriter:
    """Writes the parts of one request."""

    def __init__(self, writing: Writing, signatures: Signatures, responses: ResponseWriter) -> None:
        self._writing = writing
        self._signatures = signatures
        self._responses = responses
        self._earlier = generation_of(signatures.model) is Generation.EARLIER
        self._other: str | None = None
        self._origin = Origin.OWN

    def parts(self, parts: Sequence[Part], places: Sequence[Place], turn: Turn | None) -> list[WirePart]:
        """The parts as they are sent; what has no form is left out and noted. ``turn``: what they are of."""
        self._other = None if turn is None else self._signatures.other_model(turn)
        self._origin = Origin.OWN if turn is None else turn.origin
        written: list[WirePart] = []
        for part, place in zip(parts, places, strict=True):
            # The commonest kind by far, before anything general.
            if type(part) is TextPart and _is_bare(part):
                made: WirePart | None = WirePart({"text": part.text}, place)
            else:
                made = _WRITERS[type(part)](self, part, place)
                if made is not None:
                    self._signatures.keep_valid(made.body, place, turn)
            if made is not None:
                self._writing.count_marker(part, place)
                written.append(made)
        return written

    def _text(self, part: TextPart, place: Place) -> WirePart:
        if part.citations is not None and part.citations.text not in ("null", "[]"):
            self._writing.lost(place, "citations are left out")
        return self._finished({"text": part.text}, part, place, part.signature)

    def _reasoning(self, part: ReasoningPart, place: Place) -> WirePart | None:
        if part.encrypted is not None:
            self._writing.no_form(place, "encrypted reasoning")
            return None
        return self._finished({"text": part.text, "thought": True}, part, place, part.signature)

    def _media(self, part: ImagePart | DocumentPart | AudioPart, place: Place) -> WirePart | None:
        if isinstance(part.source, InlineTextSource):
            self._writing.lost(place, "a plain text document is sent as text")
            title = part.name if isinstance(part, DocumentPart) else None
            text = part.source.text if title is None else f"{title}\n\n{part.source.text}"
            return WirePart({"text": text}, place)
        written = write_source(part.source)
        if written is None:
            self._writing.no_form(place, f"{part.source.__class__.__name__} of {_owner(part.source)}")
            return None
        kind, data = written
        if kind == "inlineData" and not is_base64(data["data"]) and self._leaves_bad_data_out(place):
            return None
        if isinstance(part, DocumentPart) and part.name is not None:
            self._writing.lost(place, "the name of a document is left out")
        signature = part.signature if isinstance(part, ImagePart) else None
        return self._finished({kind: data}, part, place, signature)

    def _leaves_bad_data_out(self, place: Place) -> bool:
        blank_text = self._writing.policy.blank_text
        if blank_text is BlankText.AS_STORED:
            return False
        self._writing.leave_out(place, "G8", "the data is no base64")
        return True

    def _tool_call(self, part: ToolCallPart, place: Place) -> WirePart:
        _, form = data_of(part.provider_data)
        call: dict[str, Any] = {} if carries_no_id(part.tool_call_id) else {"id": part.tool_call_id}
        call["name"] = name = self._responses.name_of(part)
        if name != part.name:
            self._writing.notebook.add(
                place, "G6", f"{name!r} stands for a name that is empty", inside=".name"
            )
        if "args" not in form.get(WITHOUT, ()) or part.arguments.text != "{}":
            call["args"] = self._arguments(part, place)
        return self._finished({"functionCall": call}, part, place, part.signature)

    def _arguments(self, part: ToolCallPart, place: Place) -> Any:
        if part.arguments.is_object:
            return part.arguments
        choice = self._writing.policy.tool_arguments
        if choice is ToolArguments.REFUSE:
            self._writing.notebook.refuse(
                place, "G14", "the arguments are no object", inside=".arguments", by=ToolArguments.REFUSE
            )
        if choice is ToolArguments.AS_STORED and self._origin is Origin.OWN:
            return part.arguments
        reason = "the arguments are no object; they are sent as the value of one"
        self._writing.notebook.add(place, "G14", reason, inside=".arguments")
        return {"value": part.arguments}

    def _tool_result(self, part: ToolResultPart, place: Place) -> WirePart | None:
        if not self._responses.has_call(part):
            self._writing.leave_out(place, "G6", "the result answers a call that the provider ran")
            return None
        response = self._responses.response(part, place)
        written = self._finished({"functionResponse": response}, part, place, None)
        if carries_no_id(part.tool_call_id) and not self._responses.as_came:
            # One that the call lacks: it was kept aside.
            response.pop("id", None)
        return written

    def _hosted(self, part: HostedCallPart | HostedResultPart, place: Place) -> WirePart | None:
        if part.kind not in _HOSTED_KINDS:
            self._writing.no_form(place, part.kind)
            return None
        if part.kind in _SIGNED_HOSTED and self._is_rejected(part, place):
            return None
        _, form = data_of(part.provider_data)
        data: dict[str, Any] = {} if carries_no_id(part.tool_call_id) else {"id": part.tool_call_id}
        held = part.arguments if isinstance(part, HostedCallPart) else part.content
        if part.kind not in _SIGNED_HOSTED:
            data.update(_members(held))
        else:
            if isinstance(part, HostedCallPart):
                data["toolType"] = part.name
            name = "args" if isinstance(part, HostedCallPart) else "response"
            if name not in form.get(WITHOUT, ()) or held.text != "{}":
                data[name] = held
        return self._finished({part.kind: data}, part, place, None)

    def _is_rejected(self, part: HostedCallPart | HostedResultPart, place: Place) -> bool:
        policy = self._writing.policy
        if self._earlier and policy.hosted_orphans is not HostedOrphans.AS_STORED:
            self._writing.leave_out(place, "G11", f"{self._signatures.model} takes no {part.kind}")
            return True
        if self._other is not None and policy.foreign_reasoning is not ForeignReasoning.AS_STORED:
            # What the tool found is bound to its signature, so both halves go.
            self._writing.leave_out(place, "G8", f"{part.kind} is signed by {self._other}")
            return True
        return False

    def _refusal(self, part: RefusalPart, place: Place) -> WirePart:
        self._writing.lost(place, "a refusal is sent as plain text")
        return self._finished({"text": part.text}, part, place, None)

    def _compaction(self, part: CompactionPart, place: Place) -> WirePart | None:
        if part.text is None or not part.text.strip():
            self._writing.no_form(place, "summary that only another provider can read")
            return None
        self._writing.lost(place, "the summary is sent as text")
        return self._finished({"text": part.text}, part, place, None)

    def _opaque(self, part: OpaquePart, place: Place) -> WirePart | None:
        if not part.content.is_object:
            self._writing.no_form(place, f"{part.kind}, which is no JSON object")
            return None
        body = _members(part.content)
        if self._writing.policy.blank_text is not BlankText.AS_STORED:
            known = [name for name in DATA_MEMBERS if either(body, name) is not None]
            if len(known) > 1 or not (known or body.keys() - MODIFIER_KEYS):
                self._writing.leave_out(place, "G3", f"the part has {len(known)} data members")
                return None
        return WirePart(body, place)

    def _finished(self, body: dict[str, Any], part: Any, place: Place, signature: str | None) -> WirePart:
        if signature is not None:
            body["thoughtSignature"] = signature
        if part.provider_data is None:
            return WirePart(body, place)
        members, form = data_of(part.provider_data)
        for key, value in members.items():
            inner = body.get(key)
            if isinstance(inner, dict) and value.is_object:
                for name, text in split_object(value.text).items():
                    inner.setdefault(name, ExactJson.stored(text))
            else:
                body.setdefault(key, value)
        return WirePart(body, place, tuple(form.get(SNAKE_CASE, ())))


def _is_bare(part: TextPart) -> bool:
    return part.provider_data is None and part.signature is None and part.citations is None


def _members(content: ExactJson) -> dict[str, Any]:
    if not content.is_object:
        return {}
    return {key: ExactJson.stored(text) for key, text in split_object(content.text).items()}


def _owner(source: Any) -> str:
    return str(getattr(source, "provider", "no provider"))


# Any: each function takes the kind of part it stands under.
_WRITERS: Final[dict[type, Callable[[PartWriter, Any, Place], WirePart | None]]] = {
    TextPart: PartWriter._text,
    ReasoningPart: PartWriter._reasoning,
    ImagePart: PartWriter._media,
    DocumentPart: PartWriter._media,
    AudioPart: PartWriter._media,
    ToolCallPart: PartWriter._tool_call,
    ToolResultPart: PartWriter._tool_result,
    HostedCallPart: PartWriter._hosted,
    HostedResultPart: PartWriter._hosted,
    RefusalPart: PartWriter._refusal,
    CompactionPart: PartWriter._compaction,
    OpaquePart: PartWriter._opaque,
}
