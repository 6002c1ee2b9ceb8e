"""sigma's ``Request`` JSON as a ``Request``, and back; ``docs/request-shapes.md`` says what becomes of what.

Strict as the original: a key that is not known, a value of a wrong type and every rule of its validation are refused,
the first failure with its place. What is read is written again with the same meaning, numbers to the letter.
"""

from __future__ import annotations

from convotree.interchange.conversion import Converted, Losses, text_of
from convotree.interchange.shape_request import request_members
from convotree.interchange.sigma_document import read_document, write_document
from convotree.interchange.sigma_messages import SigmaMessages, read_generation, read_message
from convotree.interchange.sigma_parts import SIGMA
from convotree.interchange.sigma_rules import validate
from convotree.interchange.sigma_tools import read_tool, write_tool
from convotree.replay.request import Request

__all__ = ["Converted", "Losses", "convert", "dumps", "loads"]


def loads(source: str | bytes | bytearray) -> Request:
    """The request in JSON text (bytes are UTF-8). Linear in its length.

    What the library has no field for is in ``provider_data`` under ``sigma``, of each part, message and tool.
    ``generations`` holds usage and stop reason of the answers that have them.

    Raises:
        InvalidJsonError: if it is not exactly one JSON value, or nested deeper than 256 levels.
        InvalidMessageError: for the first failure. ``reason`` starts with ``decode request`` if the document does not
            have the form, else it is a rule of validation; ``place`` is a path such as ``messages[2].content[0]``.
    """
    document = read_document(source)
    messages = document.get("messages", [])
    validate(messages)
    generations = tuple(map(read_generation, messages))
    return Request(
        document.get("systemPrompt"),
        tuple(map(read_tool, document.get("tools", ()))),
        tuple(map(read_message, messages)),
        generations=generations if any(generations) else (),
    )


def dumps(request: Request, *, losses: Losses = Losses.REFUSE) -> str:
    """``request`` as sigma's JSON text, validated as the original validates before it writes.

    A request that ``loads`` made is always written whole.

    Raises:
        UnreplayableError: for the first thing that sigma cannot hold, unless ``losses`` leaves such things out.
        InvalidMessageError: as ``loads``, if what is written would not be valid: an id of a tool call that occurs
            twice, say, or a result without a call. ``place`` is a path into what would be written.
    """
    return text_of(convert(request), losses, shape=SIGMA)


def convert(request: Request) -> Converted:
    """``request`` as sigma's JSON text, with a note for each thing that sigma cannot hold as it is.

    What belongs to the call and not to the conversation is neither written nor noted: ``params``, ``revision_ids``, and
    of ``generations`` all but usage and stop reason.

    Raises:
        InvalidMessageError: as ``dumps``.
    """
    document, notes = request_members(request, SIGMA, SigmaMessages, write_tool)
    validate(document["messages"])
    return Converted.of(write_document(document), notes.notes())
