"""Turns as messages of Chat Completions: answers, tool messages, and what a tool message cannot hold after them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from convotree.domain.exact_json import ExactJson, parse_value, split_object
from convotree.domain.media import FileSource
from convotree.domain.message import Role
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
from convotree.replay.notebook import WHOLE, Notebook, Place
from convotree.replay.openai_chat.content import ContentWriter, Pieces
from convotree.replay.openai_chat.instructions import INSTRUCTION_PARTS, InstructionRoles
from convotree.replay.openai_chat.target import NAME, UNKNOWN_CALL
from convotree.replay.openai_chat.wire import WireMessage
from convotree.replay.policy import BlankText, RenderPolicy, ResponseMembers
from convotree.replay.provider_data import Members, members_for
from convotree.replay.results import NO_RESULT
from convotree.replay.turn import Turn

__all__ = ["MEDIA_FOLLOW", "MessageWriter"]

MEDIA_FOLLOW: Final = "C6"

_USER_PARTS: Final = frozenset({TextPart, ImagePart, DocumentPart, AudioPart, OpaquePart})
_ANSWER_PARTS: Final = frozenset({TextPart, RefusalPart, OpaquePart})
_MEDIA: Final = frozenset({ImagePart, DocumentPart, AudioPart})
_TEXT: Final = frozenset({TextPart})
# "Not echoable": in answers only. Null or empty they say nothing, and no note is due.
_RESPONSE_MEMBERS: Final = frozenset({"annotations", "function_call", "audio"})
_SAY_NOTHING: Final = frozenset({"null", "[]"})


class MessageWriter:
    """Writes the messages of one request."""

    def __init__(
        self, content: ContentWriter, roles: InstructionRoles, policy: RenderPolicy, notebook: Notebook
    ) -> None:
        self._content = content
        self._roles = roles
        self._policy = policy
        self._notebook = notebook

    def messages(self, turn: Turn) -> list[WireMessage]:
        """The messages that a turn becomes; none where nothing of it is left."""
        match turn.role:
            case Role.ASSISTANT:
                return self._answer(turn)
            case Role.DEVELOPER:
                return self._instructions(turn)
            case Role.USER | Role.TOOL:
                return [*self._tool_messages(turn), *self._input(turn)]

    # ------------------------------------------------------------ answers

    def _answer(self, turn: Turn) -> list[WireMessage]:
        calls: list[dict[str, Any]] = []
        call_places: list[Place] = []
        said: list[tuple[Part, Place]] = []
        members: dict[str, Any] = {}
        refusals: list[tuple[RefusalPart, Place]] = []
        for part, place in zip(turn.parts, turn.all_places(), strict=True):
            if isinstance(part, ToolCallPart):
                calls.append(_call(part))
                call_places.append(place)
            elif isinstance(part, OpaquePart) and part.kind == UNKNOWN_CALL and part.content.is_object:
                calls.append(_members(part.content))
                call_places.append(place)
            elif (
                isinstance(part, AudioPart) and isinstance(part.source, FileSource) and "audio" not in members
            ):
                members["audio"] = {"id": part.source.file_id}
            elif isinstance(part, RefusalPart) and "type" not in members_for(part.provider_data, NAME):
                refusals.append((part, place))
            else:
                said.append((part, place))
        if len(refusals) == 1 and (said or calls):
            members["refusal"] = refusals[0][0].text
        else:
            # A refusal that is all there is stands in the content: null content needs tool calls (rule C4).
            said.extend(refusals)
        pieces = self._content.pieces(
            [part for part, _ in said],
            [place for _, place in said],
            allowed=_ANSWER_PARTS,
            holder="an answer",
        )
        extra = self._extra(turn)
        whole = (turn.index, WHOLE)
        if not (pieces.pieces or calls or members or extra) and self._is_left_out(whole):
            return []
        content = pieces.content() if pieces.pieces else None
        body: dict[str, Any] = {"role": "assistant", "content": content, **members}
        if calls:
            body["tool_calls"] = calls
        for key, value in extra.items():
            body.setdefault(key, value)
        return [WireMessage(body, whole, pieces.places, call_places)]

    def _extra(self, turn: Turn) -> Members:
        if turn.message is None:
            return {}
        extra = members_for(turn.message.provider_data, NAME)
        if self._policy.response_members is ResponseMembers.AS_STORED:
            return extra
        if extra.get("tool_calls") is not None:
            # Nothing was read from it, so there is no call in it (rule C3).
            self._notebook.add((turn.index, WHOLE), "C3", "tool_calls without a call is left out")
            del extra["tool_calls"]
        for key in _RESPONSE_MEMBERS & extra.keys():
            value = extra[key].text
            if key == "function_call" and value != "null":
                continue
            del extra[key]
            if value not in _SAY_NOTHING:
                self._content.lost((turn.index, WHOLE), f"{key} is left out: it belongs to answers only")
        return extra

    def _is_left_out(self, place: Place) -> bool:
        if self._policy.blank_text is BlankText.AS_STORED:
            return False
        if self._policy.blank_text is BlankText.REFUSE:
            self._notebook.refuse(place, "C4", "the message has no content", by=BlankText.REFUSE)
        self._notebook.add(place, "C4", "a message without content is left out")
        return True

    # ------------------------------------------------------------ instructions and input

    def _instructions(self, turn: Turn) -> list[WireMessage]:
        extra = self._extra(turn)
        own = extra.pop("role", None)
        whole = (turn.index, WHOLE)
        role = self._roles.role("developer" if own is None else str(parse_value(own.text)), whole)
        return self._plain(turn, role, range(len(turn.parts)), INSTRUCTION_PARTS, extra)

    def _input(self, turn: Turn) -> list[WireMessage]:
        rest = [number for number, part in enumerate(turn.parts) if not isinstance(part, ToolResultPart)]
        if not rest and turn.parts:
            return []
        if turn.role is Role.TOOL and len(rest) == 1 and (message := _own_message(turn.parts[rest[0]])):
            return [WireMessage(message, turn.place(rest[0]))]
        return self._plain(turn, "user", rest, _USER_PARTS, self._extra(turn))

    def _plain(
        self, turn: Turn, role: str, numbers: Sequence[int], allowed: frozenset[type], extra: Members
    ) -> list[WireMessage]:
        pieces = self._content.pieces(
            [turn.parts[number] for number in numbers],
            [turn.place(number) for number in numbers],
            allowed=allowed,
            holder=f"a {role} message",
        )
        whole = (turn.index, WHOLE)
        if not pieces.pieces and self._is_left_out(whole):
            return []
        as_string = turn.whole and turn.message is not None and turn.message.as_string
        body = {"role": role, "content": pieces.content() if as_string else pieces.pieces, **extra}
        return [WireMessage(body, whole, pieces.places)]

    # ------------------------------------------------------------ tool results

    def _tool_messages(self, turn: Turn) -> list[WireMessage]:
        messages: list[WireMessage] = []
        media = Pieces([], [])
        for number, part in enumerate(turn.parts):
            if isinstance(part, ToolResultPart):
                place = turn.place(number)
                messages.append(self._tool_message(part, place, media))
        if media.pieces:
            body = {"role": "user", "content": media.pieces}
            messages.append(WireMessage(body, media.places[0], media.places))
        return messages

    def _tool_message(self, part: ToolResultPart, place: Place, media: Pieces) -> WireMessage:
        said = [one for one in part.content if type(one) not in _MEDIA]
        apart = [one for one in part.content if type(one) in _MEDIA]
        pieces = self._content.pieces(said, [place] * len(said), allowed=_TEXT, holder="a tool result")
        content: str | list[dict[str, Any]] = pieces.content() if pieces.pieces else ""
        following = self._content.pieces(
            apart, [place] * len(apart), allowed=_USER_PARTS, holder="a user message"
        ).pieces
        if following:
            self._notebook.add(place, MEDIA_FOLLOW, "the result's media are put into a user message after it")
            label = {"type": "text", "text": f"From tool result {part.tool_call_id}:"}
            media.pieces += [label, *following]
            media.places += [place] * (1 + len(following))
            content = content or "The result is in the user message that follows."
        if part.is_error and not (part.as_string and content == NO_RESULT):
            self._content.lost(place, "there is no mark for a failed tool here")
        body = {"role": "tool", "tool_call_id": part.tool_call_id, "content": content}
        for key, value in members_for(part.provider_data, NAME).items():
            body.setdefault(key, value)  # type: ignore[arg-type]  # an exact leaf is text in the end
        return WireMessage(body, place, pieces.places)


def _own_message(part: Part) -> dict[str, Any] | None:
    """A message of a role that only this API knows, kept whole."""
    if isinstance(part, OpaquePart) and part.kind == "function" and part.content.is_object:
        return _members(part.content)
    return None


def _members(content: ExactJson) -> dict[str, Any]:
    return {key: ExactJson.stored(text) for key, text in split_object(content.text).items()}


def _call(part: ToolCallPart) -> dict[str, Any]:
    data = members_for(part.provider_data, NAME)
    custom = "type" in data and parse_value(data["type"].text) == "custom"
    inner: dict[str, Any] = {"name": part.name}
    if custom:
        inner["input"] = part.arguments
    else:
        inner["arguments"] = part.arguments.text
    kind = "custom" if custom else "function"
    if kind in data:
        # The text of arguments that were not compact JSON is there: it goes back letter by letter.
        inner.update(_members(data[kind]))
    call: dict[str, Any] = {"id": part.tool_call_id, "type": kind, kind: inner}
    for key, value in data.items():
        call.setdefault(key, value)
    return call
