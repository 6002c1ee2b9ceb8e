"""Answers as items of the Responses API: what a model said, thought, called and ran."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from convotree.domain.exact_json import ExactJson, parse_value, split_object
from convotree.domain.parts import (
    CompactionPart,
    HostedCallPart,
    HostedResultPart,
    OpaquePart,
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
)
from convotree.replay.notebook import Notebook, Place
from convotree.replay.openai_responses.content import ContentWriter, plain_data, plain_object
from convotree.replay.openai_responses.item_kinds import (
    CALL_MEMBERS,
    CALL_OUTPUTS,
    CALLED_BY_CALL_ID,
    HOSTED_CALL_MEMBERS,
    HOSTED_RESULT_MEMBERS,
    NAMED_CALLS,
    OUTPUT_MEMBERS,
)
from convotree.replay.openai_responses.target import TARGET
from convotree.replay.openai_responses.wire import WireItem
from convotree.replay.origin import Origin
from convotree.replay.policy import RenderPolicy, ResponseMembers
from convotree.replay.turn import Turn

__all__ = ["AnswerWriter", "compaction", "hosted_result"]

_SAID: Final = (TextPart, RefusalPart)
_EMPTY: Final = ExactJson.stored("[]")


class AnswerWriter:
    """Writes the items of answers."""

    def __init__(self, content: ContentWriter, model: str, policy: RenderPolicy, notebook: Notebook) -> None:
        self._content = content
        self._model = model
        self._policy = policy
        self._notebook = notebook
        self._own = True
        self._made_by: str | None = None

    def items(self, turn: Turn) -> list[WireItem]:
        """The items of an answer, in the order of its parts."""
        self._own = turn.origin is Origin.OWN
        made = turn.message.provenance if turn.message is not None else None
        self._made_by = None if made is None else made.model
        fresh: list[WireItem] = []
        items: list[WireItem] = []
        open_message: WireItem | None = None
        for part, place in zip(turn.parts, turn.all_places(), strict=True):
            self._content.count_marker(part, place)
            if isinstance(part, _SAID):
                open_message = self._say(part, place, open_message, items, fresh)
                continue
            open_message = None
            item = self._item(part, place)
            if item is None:
                self._content.no_form(place, f"{type(part).__name__} in an answer")
            else:
                item.answer = True
                items.append(item)
        for item in items:
            if item.kind == "message" and item.places:
                _finish_message(item)
        for item in fresh:
            if type(item.body["content"]) is list:
                item.body = {"type": "message", **item.body}
        return items

    # ------------------------------------------------------------ what was said

    def _say(
        self,
        part: TextPart | RefusalPart,
        place: Place,
        message: WireItem | None,
        items: list[WireItem],
        fresh: list[WireItem],
    ) -> WireItem:
        data = self._data(part)
        start = data.pop("message", None)
        if message is None or start is not None:
            members = plain_object(start) if isinstance(start, ExactJson) else {}
            if "phase" in members and self._is_other_model():
                del members["phase"]
                self._notebook.add(place, "R11", "phase is left out: not every model knows it")
            body = {**members, "role": "assistant", "content": []}
            message = WireItem("message", body, place, answer=True)
            items.append(message)
            if start is None:
                fresh.append(message)
        if isinstance(part, RefusalPart):
            piece: dict[str, Any] = {"type": "refusal", "refusal": part.text}
        else:
            piece = {"type": data.pop("type", None), "text": part.text}
            if part.citations is not None:
                if self._own:
                    piece["annotations"] = part.citations
                elif part.citations.text not in ("null", "[]"):
                    self._content.lost(place, "citations are left out")
        for key, value in data.items():
            piece.setdefault(key, value)
        message.body["content"].append(piece)
        message.places.append(place)
        return message

    # ------------------------------------------------------------ all else

    def _item(self, part: Part, place: Place) -> WireItem | None:
        match part:
            case ToolCallPart():
                return self._call(part, place)
            case ReasoningPart():
                return self._reasoning(part, place)
            case CompactionPart():
                return compaction(part, place)
            case HostedCallPart():
                return self._hosted_call(part, place)
            case HostedResultPart():
                return hosted_result(part, place)
            case OpaquePart() if part.content.is_object:
                return WireItem(part.kind, plain_object(part.content), place)
            case _:
                return None

    def _call(self, part: ToolCallPart, place: Place) -> WireItem:
        # Of another provider's answer only the kind is taken over: ids and whatever else are not its own.
        data = plain_data(part.provider_data)
        kind = data.pop("type", None)
        if kind not in CALL_OUTPUTS:
            kind = "function_call"
        if not self._own:
            data = {}
        body: dict[str, Any] = {"type": kind, "call_id": part.tool_call_id}
        name = CALL_MEMBERS[kind]
        if kind in NAMED_CALLS:
            body["name"] = part.name
            said = part.arguments
            body[name] = said.text if kind == "function_call" or said.text[0] != '"' else said
        elif kind == "computer_call" and name not in data and set(_keys(part.arguments)) == {"actions"}:
            body.update(plain_object(part.arguments))
        else:
            body[name] = part.arguments
        # What the model wrote letter by letter stands there, where it was not compact JSON.
        body.update(data)
        return WireItem(kind, body, place, call=part.tool_call_id)

    def _reasoning(self, part: ReasoningPart, place: Place) -> WireItem:
        data = self._data(part)
        body: dict[str, Any] = {"type": "reasoning"}
        if part.encrypted is not None:
            body["encrypted_content"] = part.encrypted
        if part.provider_data is None:
            body["summary"] = [{"type": "summary_text", "text": part.text}] if part.text else _EMPTY
        body.update(data)
        return WireItem("reasoning", body, place)

    def _hosted_call(self, part: HostedCallPart, place: Place) -> WireItem:
        data = self._data(part)
        by = "call_id" if part.kind in CALLED_BY_CALL_ID and "call_id" not in data else "id"
        body: dict[str, Any] = {"type": part.kind, by: part.tool_call_id}
        name = CALL_MEMBERS.get(part.kind) or HOSTED_CALL_MEMBERS.get(part.kind)
        if name is not None:
            spelled = part.arguments
            as_text = name == "arguments" and part.kind in HOSTED_CALL_MEMBERS
            body[name] = spelled.text if as_text else spelled
        body.update(data)
        return WireItem(part.kind, body, place, call=_text(body.get("call_id")), hosted=True)

    def _is_other_model(self) -> bool:
        if self._made_by is None or self._policy.response_members is ResponseMembers.AS_STORED:
            return False
        return not TARGET.same_model(self._made_by, self._model)

    def _data(self, part: Any) -> dict[str, Any]:
        return plain_data(part.provider_data) if self._own else {}


def compaction(part: CompactionPart, place: Place) -> WireItem:
    """A summary that the provider made; of another's nothing but text comes here."""
    data = plain_data(part.provider_data)
    return WireItem(
        "compaction", {"type": "compaction", "encrypted_content": part.encrypted or "", **data}, place
    )


def hosted_result(part: HostedResultPart, place: Place) -> WireItem:
    """The result of a hosted call as the item that brings it."""
    data = plain_data(part.provider_data)
    if part.kind in HOSTED_RESULT_MEMBERS:
        by, name = HOSTED_RESULT_MEMBERS[part.kind]
    else:
        name = OUTPUT_MEMBERS.get(part.kind, "output")
        by = "id" if data.get("call_id", 0) is None else "call_id"
    body: dict[str, Any] = {"type": part.kind, by: part.tool_call_id, name: part.content, **data}
    return WireItem(part.kind, body, place, call=_text(body.get("call_id")), hosted=True)


def _finish_message(item: WireItem) -> None:
    """The content of a message as a bare string where it was one, or one text is all there is."""
    body = item.body
    pieces: list[dict[str, Any]] = body["content"]
    (first, *others) = pieces
    if not others and first["type"] is None and len(first) == 2:
        # A text that never stood in a list.
        body["content"] = first["text"]
        return
    for piece in pieces:
        piece["type"] = piece["type"] or "output_text"


def _keys(arguments: ExactJson) -> Mapping[str, str]:
    return split_object(arguments.text) if arguments.is_object else {}


def _text(value: object) -> str | None:
    if isinstance(value, ExactJson):
        value = parse_value(value.text)
    return value if type(value) is str else None
