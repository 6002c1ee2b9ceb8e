"""System prompt and developer messages: one ``systemInstruction``, which stands at the top of the body only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from convotree.domain.exact_json import ExactJson, split_object
from convotree.domain.message import Message, Role
from convotree.domain.parts import OpaquePart, Part, TextPart
from convotree.domain.prompt import SystemPrompt
from convotree.replay.gemini.ingest import CONTENT, INSTRUCTION
from convotree.replay.gemini.parts import PartWriter
from convotree.replay.gemini.spelling import FORM, SNAKE_CASE, form_of, snake_of
from convotree.replay.gemini.target import NAME
from convotree.replay.gemini.wire import WireContent, WirePart
from convotree.replay.gemini.writing import Writing
from convotree.replay.notebook import SYSTEM, WHOLE, Place
from convotree.replay.policy import DeveloperMessages
from convotree.replay.provider_data import Members, members_for

__all__ = ["system_instruction"]

_TAKEN: Final = (TextPart, OpaquePart)


def system_instruction(
    system: SystemPrompt | None, messages: Sequence[Message], parts: PartWriter, writing: Writing
) -> tuple[str, WireContent] | None:
    """The content, with the developer's messages where the policy wants them there, and the name it is sent under."""
    name, extra = INSTRUCTION, dict[str, ExactJson]()
    written: list[WirePart] = []
    if isinstance(system, str):
        written.append(WirePart({"text": system}, (SYSTEM, WHOLE)))
    elif system is not None:
        taken, places = _taken(system, [(SYSTEM, number) for number in range(len(system))], writing)
        written.extend(parts.parts(taken, places, None))
        if system:
            name, extra = _outside(system[0])
    if writing.policy.developer_messages is DeveloperMessages.AS_SYSTEM:
        for index, message in enumerate(messages):
            if message.role is Role.DEVELOPER:
                writing.notebook.add(
                    (index, WHOLE), "G2", "the developer's message is put into the system instruction"
                )
                here = [(index, number) for number in range(len(message.parts))]
                written.extend(parts.parts(*_taken(message.parts, here, writing), None))
    role = extra.pop("role", None)
    if not written:
        return None
    content = WireContent(None, written, (SYSTEM, WHOLE), extra if role is None else {"role": role, **extra})
    return name, content


def _taken(
    parts: Sequence[Part], places: Sequence[Place], writing: Writing
) -> tuple[list[Part], list[Place]]:
    taken: list[Part] = []
    kept: list[Place] = []
    for part, place in zip(parts, places, strict=True):
        if isinstance(part, _TAKEN) and (isinstance(part, TextPart) or part.provider == NAME):
            taken.append(part)
            kept.append(place)
        else:
            writing.no_form(place, f"{type(part).__name__} in a system instruction")
    return taken, kept


def _outside(first: Part) -> tuple[str, Members]:
    """The name and the members of the content that begins with this part."""
    members = members_for(getattr(first, "provider_data", None), NAME)
    kept = members.get(FORM)
    form = form_of(members)
    name = snake_of(INSTRUCTION) if snake_of(INSTRUCTION) in form.get(SNAKE_CASE, ()) else INSTRUCTION
    if kept is None or type(form.get(CONTENT)) is not dict:
        return name, {}
    content = split_object(split_object(kept.text)[CONTENT])
    return name, {key: ExactJson.stored(text) for key, text in content.items()}
