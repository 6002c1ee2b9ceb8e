"""A whole request as the members of a reference shape's document."""

from __future__ import annotations

from collections.abc import Callable

from convotree.domain.prompt import Tool
from convotree.errors import InvalidArgumentError
from convotree.interchange.conversion_notes import ConversionNotes
from convotree.interchange.go_struct import Members
from convotree.interchange.shape_messages import MessageWriter
from convotree.interchange.shape_system import system_text
from convotree.replay.reading import MisreadError
from convotree.replay.request import Request

__all__ = ["WriteTool", "request_members"]

WriteTool = Callable[[Tool, int, ConversionNotes], Members | None]
"""Makes a shape's tool of a tool and its number; None if there is no form for it, which is noted."""


def request_members(
    request: Request, shape: str, writer_of: Callable[[ConversionNotes], MessageWriter], write_tool: WriteTool
) -> tuple[Members, ConversionNotes]:
    """``systemPrompt``, ``messages`` and ``tools`` of ``request``, and what ``shape`` cannot hold of it.

    Raises:
        InvalidArgumentError: if it is no request.
        InvalidMessageError: if ``provider_data`` holds for the shape what the shape never wrote.
    """
    if not isinstance(request, Request):
        raise InvalidArgumentError(
            argument="request", reason=f"a Request was expected, not {type(request).__name__}"
        )
    notes = ConversionNotes(shape, request.revision_ids)
    writer = writer_of(notes)
    generations = request.generations or (None,) * len(request.messages)
    messages: list[Members] = []
    tools: list[Members] = []
    try:
        for index, message in enumerate(request.messages):
            messages.extend(writer.messages(index, message, generations[index]))
        for index, tool in enumerate(request.tools):
            written = write_tool(tool, index, notes)
            if written is not None:
                tools.append(written)
    except MisreadError as error:
        raise error.as_invalid() from None
    system = system_text(request.system, notes)
    return {"systemPrompt": system, "messages": messages, "tools": tools}, notes
