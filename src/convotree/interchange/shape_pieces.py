"""A message cut into what the reference shapes have as messages: each tool result is one, as is each run of others."""

from __future__ import annotations

from dataclasses import dataclass, field

from convotree.domain.message import Message, Role
from convotree.domain.parts import Part, ToolResultPart
from convotree.interchange.conversion_notes import ConversionNotes

__all__ = ["Piece", "pieces_of"]


@dataclass(frozen=True, slots=True)
class Piece:
    """Parts of a message with their numbers in it, or one result with its number."""

    role: Role
    parts: list[tuple[int, Part]] = field(default_factory=list)
    result: ToolResultPart | None = None
    number: int = 0


def pieces_of(index: int, message: Message, notes: ConversionNotes) -> list[Piece]:
    """The pieces of ``message``, in order; a part that cannot stand in a message of this role is noted."""
    role = message.role
    if not message.parts and role is not Role.TOOL:
        return [Piece(role)]
    pieces: list[Piece] = []
    for number, part in enumerate(message.parts):
        if isinstance(part, ToolResultPart):
            if role in (Role.USER, Role.TOOL):
                pieces.append(Piece(Role.TOOL, result=part, number=number))
            else:
                notes.wrong_role(
                    (index, number), f"a tool result in a message of role {role.value} is left out"
                )
        elif role is Role.TOOL:
            notes.wrong_role(
                (index, number), "a part that is no result, in a message of results, is left out"
            )
        else:
            if not pieces or pieces[-1].result is not None:
                pieces.append(Piece(role))
            pieces[-1].parts.append((number, part))
    return pieces
