"""Writing messages in a reference shape: what both shapes do alike, each with its own blocks and members."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from typing import Protocol

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message, Role
from convotree.domain.parts import Part, ToolResultPart
from convotree.interchange.answer_facts import AnswerFacts
from convotree.interchange.conversion_notes import ConversionNotes
from convotree.interchange.go_struct import Members
from convotree.interchange.shape_pieces import pieces_of
from convotree.replay.notebook import WHOLE, Place
from convotree.replay.reading import MisreadError

__all__ = ["Blocks", "MessageWriter"]


class Blocks(Protocol):
    """Writes the blocks of one message, in order."""

    def block(self, part: Part, place: Place, inside: str = "") -> Members | None:
        """The block for ``part``; None if it adds none."""

    def finish(self) -> None:
        """There are no more parts."""


class MessageWriter(ABC):
    """Writes messages one after another; what the shape cannot carry goes into ``notes``."""

    def __init__(self, notes: ConversionNotes) -> None:
        self.notes = notes

    @abstractmethod
    def blocks(self, message: Message | None, content: list[Members]) -> Blocks:
        """The writer of what will be ``content``, of a message or (None) of a tool result."""

    @abstractmethod
    def allowed(self, role: Role) -> Collection[str]:
        """The types of blocks in a message of this role."""

    @abstractmethod
    def result(self, part: ToolResultPart) -> Members:
        """The members that a tool result has beside its content."""

    @abstractmethod
    def answer(self, message: Message, facts: AnswerFacts, content: list[Members], place: Place) -> Members:
        """The members that an answer has beside its content."""

    @abstractmethod
    def complete(self, role: Role, said: Members, content: list[Members], data: ExactJson | None) -> Members:
        """The message, with what was kept aside of it in ``data``."""

    @abstractmethod
    def begin(self, message: Message, place: Place) -> None:
        """Note what a whole message cannot be."""

    def messages(self, index: int, message: Message, generation: GenerationRecord | None) -> list[Members]:
        """What ``message`` becomes: nothing if all of it is left out, several if it holds results beside others.

        Raises:
            MisreadError: if its ``provider_data`` holds for this shape what the shape never wrote.
        """
        try:
            return self._written(index, message, generation)
        except MisreadError as error:
            raise error.within(f".messages[{index}]") from None

    def _written(self, index: int, message: Message, generation: GenerationRecord | None) -> list[Members]:
        whole = (index, WHOLE)
        facts = AnswerFacts.of(message, generation, self.notes.shape)
        self.notes.lost_data(whole, message.provider_data, carried=(*facts.carried, "role"))
        self.begin(message, whole)
        data = message.provider_data
        written: list[Members] = []
        for piece in pieces_of(index, message, self.notes):
            said: Members = {}
            if piece.result is not None:
                content = self._inside(piece.result, (index, piece.number))
                said = self.result(piece.result)
            else:
                content = self._content(index, piece.parts, message)
                if piece.parts and not content:
                    continue
            if piece.role is Role.ASSISTANT:
                said = self.answer(message, facts, content, whole)
            own = None
            if piece.role is message.role:
                own, data = data, None  # it goes with the first
            written.append(self.complete(piece.role, said, content, own))
        return written

    def _content(self, index: int, parts: Iterable[tuple[int, Part]], message: Message) -> list[Members]:
        content: list[Members] = []
        blocks = self.blocks(message, content)
        for number, part in parts:
            self._add(content, blocks, message.role, part, (index, number))
        blocks.finish()
        return content

    def _inside(self, result: ToolResultPart, place: Place) -> list[Members]:
        content: list[Members] = []
        blocks = self.blocks(None, content)
        for number, part in enumerate(result.content):
            self._add(content, blocks, Role.TOOL, part, place, f".content[{number}]")
        blocks.finish()
        self.notes.lost_data(place, result.provider_data)
        self.notes.lost_marker(place, result.cache_marker)
        return content

    def _add(
        self, content: list[Members], blocks: Blocks, role: Role, part: Part, place: Place, inside: str = ""
    ) -> None:
        try:
            block = blocks.block(part, place, inside)
        except MisreadError as error:
            raise error.within(f".parts[{place[1]}]{inside}") from None
        if block is None:
            return
        if block["type"] in self.allowed(role):
            content.append(block)
        else:
            what = f"{block['type']} in a message of role {role.value} is left out"
            self.notes.wrong_role(place, what, inside)
