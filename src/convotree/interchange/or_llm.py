"""or/llm's ``Context`` JSON as a ``Request``, and back; ``docs/request-shapes.md`` says what becomes of what.

Lenient as the original: keys that are not known are dropped, and of what a message says only the form is checked.
Numbers in arguments become what float64 makes of them.
"""

from __future__ import annotations

from convotree.domain.message import Message
from convotree.errors import InvalidArgumentError, InvalidMessageError
from convotree.interchange import or_llm_document as document
from convotree.interchange.conversion import Converted, Losses, text_of
from convotree.interchange.conversion_notes import ConversionNotes
from convotree.interchange.or_llm_messages import OrLlmMessages, read_generation, read_message
from convotree.interchange.or_llm_parts import OR_LLM
from convotree.interchange.or_llm_tools import read_tool, write_tool
from convotree.interchange.shape_request import request_members
from convotree.replay.reading import MisreadError
from convotree.replay.request import Request

__all__ = [
    "Converted",
    "Losses",
    "convert",
    "convert_message",
    "dumps",
    "dumps_message",
    "loads",
    "loads_message",
]


def loads(source: str | bytes | bytearray) -> Request:
    """The context in JSON text (bytes are UTF-8). Linear in its length.

    What the library has no field for is in ``provider_data`` under ``or_llm``, of each part, message and tool.
    ``generations`` holds usage, stop reason and ids of the answers that have them.

    Raises:
        InvalidJsonError: if it is not exactly one JSON value, or nested deeper than 256 levels.
        InvalidMessageError: for the first failure; ``reason`` is the original's, ``place`` is a path such as
            ``messages[2].content[0]``.
    """
    context = document.read_context(source)
    generations = tuple(map(read_generation, context["messages"]))
    return Request(
        context.get("systemPrompt"),
        tuple(map(read_tool, context.get("tools", ()))),
        tuple(map(read_message, context["messages"])),
        generations=generations if any(generations) else (),
    )


def loads_message(source: str | bytes | bytearray) -> Message:
    """The one message in JSON text.

    Raises:
        InvalidJsonError, InvalidMessageError: as ``loads``; ``place`` is a path into the message.
    """
    return read_message(document.read_message(source))


def dumps(request: Request, *, losses: Losses = Losses.REFUSE) -> str:
    """``request`` as or/llm's JSON text. A request that ``loads`` made is always written whole.

    Raises:
        UnreplayableError: for the first thing that or/llm cannot hold, unless ``losses`` leaves such things out.
        InvalidMessageError: if ``provider_data`` holds under ``or_llm`` what is not of the shape.
    """
    return text_of(convert(request), losses, shape=OR_LLM)


def dumps_message(message: Message, *, losses: Losses = Losses.REFUSE) -> str:
    """``message`` as or/llm's JSON text.

    Raises:
        UnreplayableError, InvalidMessageError: as ``dumps``; also if it is not exactly one of or/llm's messages, as one
            with two results is not.
    """
    return text_of(convert_message(message), losses, shape=OR_LLM)


def convert(request: Request) -> Converted:
    """``request`` as or/llm's JSON text, with a note for each thing that or/llm cannot hold as it is.

    What belongs to the call and not to the conversation is neither written nor noted: ``params``, ``revision_ids``, and
    of ``generations`` all but usage, stop reason, ids and the model that answered.

    Raises:
        InvalidMessageError: as ``dumps``.
    """
    context, notes = request_members(request, OR_LLM, OrLlmMessages, write_tool)
    return Converted.of(document.write_context(context), notes.notes())


def convert_message(message: Message) -> Converted:
    """``message`` as or/llm's JSON text, with notes as ``convert`` has; their places start with ``messages[0]``.

    Raises:
        InvalidMessageError: as ``dumps_message``.
    """
    if not isinstance(message, Message):
        raise InvalidArgumentError(
            argument="message", reason=f"a Message was expected, not {type(message).__name__}"
        )
    notes = ConversionNotes(OR_LLM)
    try:
        written = OrLlmMessages(notes).messages(0, message, None)
    except MisreadError as error:
        raise error.as_invalid() from None
    if len(written) != 1:
        raise InvalidMessageError(
            place="message",
            reason=f"it would be {len(written)} messages of or/llm, which has one for each tool result",
        )
    return Converted.of(document.write_message(written[0]), notes.notes())
