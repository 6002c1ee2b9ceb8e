"""Turns as contents: answers, function responses in contents of their own, and what the user says beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from convotree.domain.message import Role
from convotree.domain.parts import Part, TextPart, ToolCallPart
from convotree.replay.gemini.parts import PartWriter
from convotree.replay.gemini.responses import ResponseWriter
from convotree.replay.gemini.spelling import WITHOUT, data_of
from convotree.replay.gemini.wire import WireContent, WirePart
from convotree.replay.gemini.writing import Writing
from convotree.replay.notebook import WHOLE, Place
from convotree.replay.policy import BlankText, DeveloperMessages, UnansweredCalls, UnmatchedResults
from convotree.replay.provider_data import Members
from convotree.replay.turn import Turn

__all__ = ["ContentWriter"]

_RESPONSES: Final = "functionResponse"


class ContentWriter:
    """Writes the contents of one request."""

    def __init__(self, writing: Writing, parts: PartWriter, responses: ResponseWriter) -> None:
        self._writing = writing
        self._parts = parts
        self._responses = responses
        self._answering = False
        self._mapped = False

    def contents(self, turn: Turn) -> list[WireContent]:
        """The contents that a turn becomes; none where nothing of it is left."""
        extra, without_role = self._extra(turn)
        role = "model" if turn.role is Role.ASSISTANT else "user"
        if turn.role is Role.DEVELOPER:
            if self._writing.policy.developer_messages is DeveloperMessages.AS_SYSTEM:
                return []  # The system instruction holds it.
            self._writing.notebook.add(
                (turn.index, WHOLE), "G2", "the developer's message is sent as the user's"
            )
        if role == "model":
            self._responses.called(turn.parts)
            self._mapped = (self._mapped and self._answering) or _has_other_ids(turn)
        self._answering = role == "model"
        self._responses.as_came = turn.whole and not self._mapped
        written = self._parts.parts(turn.parts, turn.all_places(), turn)
        apart, self._responses.apart = self._responses.apart, []
        groups = [written] if role == "model" else self._grouped(written, turn)
        if apart:
            # Behind the responses, before what else the user says.
            groups.insert(1, self._media_apart(apart, turn))
        contents = [
            WireContent(
                None if without_role and role == "user" else role,
                group,
                group[0].place if number else (turn.index, WHOLE),
                {} if number else extra,
                turn.origin,
            )
            for number, group in enumerate(groups)
            if group or not self._leaves_empty_out(turn)
        ]
        return contents

    def _extra(self, turn: Turn) -> tuple[Members, bool]:
        """The members of the content that no field holds, and whether it said no role."""
        if turn.message is None or turn.message.provider_data is None:
            return {}, False
        extra, form = data_of(turn.message.provider_data)
        return extra, "role" in form.get(WITHOUT, ())

    def _grouped(self, parts: list[WirePart], turn: Turn) -> list[list[WirePart]]:
        """Function responses apart from everything else (rule G13)."""
        mixed = len({_RESPONSES in part.body for part in parts}) > 1
        if not mixed or self._writing.policy.unmatched_results is UnmatchedResults.AS_STORED:
            return [parts]
        if turn.message is not None:
            self._writing.notebook.add(
                (turn.index, WHOLE), "G13", "the tool results are sent in a content of their own"
            )
        groups: list[list[WirePart]] = []
        last: bool | None = None
        for part in parts:
            responds = _RESPONSES in part.body
            if responds is not last:
                groups.append([])
                last = responds
            groups[-1].append(part)
        return groups

    def _media_apart(self, apart: Sequence[tuple[Part, Place]], turn: Turn) -> list[WirePart]:
        parts: list[Part] = [TextPart("From the tool results:"), *(part for part, _ in apart)]
        places = [apart[0][1], *(place for _, place in apart)]
        return self._parts.parts(parts, places, turn)

    def _leaves_empty_out(self, turn: Turn) -> bool:
        place = (turn.index, WHOLE)
        if self._writing.policy.blank_text is BlankText.AS_STORED:
            return False
        if self._writing.policy.blank_text is BlankText.REFUSE:
            self._writing.notebook.refuse(place, "G1", "the message has no content", by=BlankText.REFUSE)
        self._writing.notebook.add(place, "G1", "a message without content is left out")
        return True

    def open_with_user(self, contents: list[WireContent]) -> None:
        """Put an empty text of the user's before a history that opens on a call (rules G4 and G12)."""
        for content in contents:
            if content.speaker == "user":
                return
            call = next((part for part in content.parts if "functionCall" in part.body), None)
            if call is not None:
                break
        else:
            return
        if self._writing.policy.unanswered_calls is UnansweredCalls.AS_STORED:
            return
        self._writing.notebook.add(
            call.place, "G4", "an empty text of the user's is put before: nothing may open on a call"
        )
        contents.insert(0, WireContent("user", [WirePart({"text": ""}, call.place)], contents[0].place))


def _has_other_ids(turn: Turn) -> bool:
    """Whether a call has another id than it came with, so that what its response names counts for nothing."""
    if turn.message is None:
        return False
    stored = {part.tool_call_id for part in turn.message.tool_calls}
    return any(isinstance(part, ToolCallPart) and part.tool_call_id not in stored for part in turn.parts)
