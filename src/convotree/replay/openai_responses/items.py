"""Turns as items of the Responses API: answers, input messages, and the results of calls."""

from __future__ import annotations

from typing import Any, Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message, Role
from convotree.domain.parts import (
    CompactionPart,
    DocumentPart,
    HostedResultPart,
    ImagePart,
    OpaquePart,
    TextPart,
    ToolResultPart,
)
from convotree.replay.notebook import WHOLE, Notebook, Place
from convotree.replay.openai_responses.answers import AnswerWriter, compaction, hosted_result
from convotree.replay.openai_responses.content import ContentWriter, plain_data, plain_object
from convotree.replay.openai_responses.instructions import INSTRUCTION_PARTS
from convotree.replay.openai_responses.item_kinds import CALL_OUTPUTS, CONTROL_ITEMS, OUTPUT_MEMBERS
from convotree.replay.openai_responses.target import NAME
from convotree.replay.openai_responses.wire import WireItem
from convotree.replay.policy import BlankText, RenderPolicy
from convotree.replay.provider_data import members_for
from convotree.replay.results import NO_RESULT
from convotree.replay.turn import Turn

__all__ = ["AS_INPUT", "OWN_ORDER", "ItemWriter", "came_as_input"]

AS_INPUT: Final = "as_input"
"""In the ``provider_data`` of a message: it was the whole input, as a bare string."""

OWN_ORDER: Final = "own_order"
"""In the ``provider_data`` of a message: its results came in another order than their calls."""

_MARKS: Final = frozenset({AS_INPUT, OWN_ORDER})
_USER_PARTS: Final = frozenset({TextPart, ImagePart, DocumentPart, OpaquePart})
_PLAIN_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_UNMARKED: Final = _PLAIN_OUTPUTS | {"local_shell_call_output", "tool_search_output"}


class ItemWriter:
    """Writes the items of one request. ``unanswered``: ids of calls whose result has no form here."""

    def __init__(self, content: ContentWriter, model: str, policy: RenderPolicy, notebook: Notebook) -> None:
        self._content = content
        self._policy = policy
        self._notebook = notebook
        self._answers = AnswerWriter(content, model, policy, notebook)
        self._kinds: dict[str, str] = {}
        self.unanswered: set[str] = set()

    def items(self, turn: Turn) -> list[WireItem]:
        """The items that a turn becomes; none where nothing of it is left."""
        if turn.role is Role.ASSISTANT:
            made = self._answers.items(turn)
            self._kinds.update((one.call, one.kind) for one in made if one.call is not None)
            return [one for one in made if not self._is_empty(one)]
        results: list[WireItem] = []
        others: list[int] = []
        item: WireItem | None
        for number, part in enumerate(turn.parts):
            place = turn.place(number)
            if isinstance(part, ToolResultPart):
                item = self._result(part, place)
            elif isinstance(part, CompactionPart):
                item = compaction(part, place)
            elif isinstance(part, HostedResultPart):
                item = hosted_result(part, place)
            elif isinstance(part, OpaquePart) and _is_item(part, turn) and part.content.is_object:
                item = WireItem(part.kind, plain_object(part.content), place)
            else:
                others.append(number)
                continue
            if item is not None:
                results.append(item)
        if others or not turn.parts:
            results.extend(self._message(turn, others))
        return results

    # ------------------------------------------------------------ messages

    def _message(self, turn: Turn, numbers: list[int]) -> list[WireItem]:
        instructions = turn.role is Role.DEVELOPER
        role = "developer" if instructions else "user"
        pieces = self._content.pieces(
            [turn.parts[number] for number in numbers],
            [turn.place(number) for number in numbers],
            allowed=INSTRUCTION_PARTS if instructions else _USER_PARTS,
            holder=f"a {role} message",
        )
        whole = (turn.index, WHOLE)
        if not pieces.pieces and self._is_left_out(whole):
            return []
        extra: dict[str, Any] = {}
        if turn.message is not None:
            extra = plain_data(turn.message.provider_data)
            extra = {key: value for key, value in extra.items() if key not in _MARKS}
        content: Any = pieces.pieces
        if turn.whole and turn.message is not None and turn.message.as_string:
            content = pieces.pieces[0]["text"]
        body = {"role": role, "content": content, **extra}
        return [WireItem("message", body, whole, pieces.places)]

    def _is_empty(self, item: WireItem) -> bool:
        """Whether it is an answer's message without content, which is left out."""
        content = item.body.get("content")
        empty = item.kind == "message" and isinstance(content, ExactJson) and content.text == "[]"
        return empty and self._is_left_out(item.place)

    def _is_left_out(self, place: Place) -> bool:
        if self._policy.blank_text is BlankText.AS_STORED:
            return False
        if self._policy.blank_text is BlankText.REFUSE:
            self._notebook.refuse(place, "R13", "the message has no content", by=BlankText.REFUSE)
        self._notebook.add(place, "R13", "a message without content is left out")
        return True

    # ------------------------------------------------------------ results

    def _result(self, part: ToolResultPart, place: Place) -> WireItem | None:
        self._content.count_marker(part, place)
        data = plain_data(part.provider_data)
        called = self._kinds.get(part.tool_call_id, "function_call")
        kind = data.pop("type", None)
        if kind not in OUTPUT_MEMBERS:
            kind = CALL_OUTPUTS.get(called, "function_call_output")
            if kind == "tool_search_output" and not _is_own_output(part, kind):
                # A list of tools cannot be made of text; a plain output may answer any call (rule R4).
                kind = "function_call_output"
        content = self._output(kind, part, place)
        if content is None:
            self.unanswered.add(part.tool_call_id)
            return None
        by = "call_id"
        if kind == "local_shell_call_output" and data.pop("call_id", None) is None:
            by = "id"
        synthesized = part.as_string and content == NO_RESULT
        if part.is_error and not synthesized and kind in _UNMARKED:
            self._content.lost(place, "there is no mark for a failed tool here")
        body: dict[str, Any] = {"type": kind, by: part.tool_call_id}
        if content is not _ABSENT:
            body[OUTPUT_MEMBERS[kind]] = content
        if kind == "apply_patch_call_output" and "status" not in data:
            body["status"] = "failed" if part.is_error else "completed"
        body.update(data)
        return WireItem(kind, body, place, [place] * len(part.content), call=part.tool_call_id)

    def _output(self, kind: str, part: ToolResultPart, place: Place) -> Any:
        """The result in the form of its kind; None where there is no such form."""
        if _is_own_output(part, kind, "computer_screenshot"):
            return part.content[0].content  # type: ignore[union-attr]  # it is opaque
        if kind in _PLAIN_OUTPUTS:
            return self._plain_output(part, place)
        if kind == "computer_call_output":
            return self._screenshot(part, place)
        text = "".join(one.text for one in part.content if isinstance(one, TextPart))
        if kind == "shell_call_output":
            return _shell_output(text, part.is_error is True)
        if kind == "apply_patch_call_output" and not part.content:
            return _ABSENT
        return text

    def _plain_output(self, part: ToolResultPart, place: Place) -> Any:
        pieces = self._content.pieces(
            part.content, [place] * len(part.content), allowed=_USER_PARTS, holder="a tool result"
        )
        if not pieces.pieces:
            return ""
        (first, *others) = pieces.pieces
        if part.as_string or not (others or pieces.listed or set(first) != {"type", "text"}):
            return first["text"]
        return pieces.pieces

    def _screenshot(self, part: ToolResultPart, place: Place) -> Any:
        images = [one for one in part.content if isinstance(one, ImagePart)]
        pieces = self._content.pieces(images[:1], [place] * len(images[:1]), allowed=_USER_PARTS, holder="")
        if not pieces.pieces:
            return None
        piece = pieces.pieces[0]
        piece["type"] = "computer_screenshot"
        if not members_for(images[0].provider_data, NAME):
            del piece["detail"]
        return piece


_ABSENT: Final = object()


def came_as_input(message: Message) -> bool:
    """Whether the message was the whole input, as a bare string."""
    return message.as_string and AS_INPUT in members_for(message.provider_data, NAME)


def _is_own_output(part: ToolResultPart, *kinds: str) -> bool:
    """Whether the result is one that this API's client gave in a form of its own."""
    if len(part.content) != 1:
        return False
    only = part.content[0]
    return isinstance(only, OpaquePart) and only.provider == NAME and only.kind in kinds


def _is_item(part: OpaquePart, turn: Turn) -> bool:
    return turn.role is Role.TOOL or (turn.role is Role.DEVELOPER and part.kind in CONTROL_ITEMS)


def _shell_output(text: str, failed: bool) -> list[dict[str, Any]]:
    said, complained = ("", text) if failed else (text, "")
    outcome = {"type": "exit", "exit_code": int(failed)}
    return [{"stdout": said, "stderr": complained, "outcome": outcome}]
