"""System prompt and developer messages as Chat Completions takes them: messages of their own roles."""

from __future__ import annotations

from typing import Final

from convotree.domain.exact_json import ExactJson, parse_value, split_object
from convotree.domain.parts import OpaquePart, Part, TextPart
from convotree.domain.prompt import SystemPrompt
from convotree.replay.notebook import SYSTEM, WHOLE, Notebook, Place
from convotree.replay.openai_chat.content import MESSAGE, ContentWriter
from convotree.replay.openai_chat.models import instruction_roles
from convotree.replay.openai_chat.target import NAME
from convotree.replay.openai_chat.wire import WireMessage
from convotree.replay.policy import DeveloperMessages, RenderPolicy
from convotree.replay.provider_data import Members, members_for

__all__ = ["AS_STRING", "INSTRUCTION_PARTS", "InstructionRoles", "system_messages"]

INSTRUCTION_PARTS: Final = frozenset({TextPart, OpaquePart})
AS_STRING: Final = "as_string"
"""In the message that a system part starts: its content is a bare string."""


class InstructionRoles:
    """Which role instructions get for one model."""

    def __init__(self, model: str, policy: RenderPolicy, notebook: Notebook) -> None:
        self._known = instruction_roles(model)
        self._as_stored = policy.developer_messages is DeveloperMessages.AS_STORED
        self._notebook = notebook

    def role(self, wanted: str, place: Place) -> str:
        """``wanted`` if the model takes it; else what comes nearest, noted (rule C7)."""
        if self._as_stored or wanted in self._known:
            return wanted
        role = "system" if "system" in self._known else "user"
        self._notebook.add(place, "C7", f"the model takes no role {wanted}; the message is sent as {role}")
        return role


def system_messages(
    system: SystemPrompt | None, writer: ContentWriter, roles: InstructionRoles
) -> list[WireMessage]:
    """The messages that the system prompt becomes: one, or those it was read from."""
    whole = (SYSTEM, WHOLE)
    if system is None:
        return []
    if isinstance(system, str):
        return [WireMessage({"role": roles.role("system", whole), "content": system}, whole)]
    messages: list[WireMessage] = []
    for parts, places, data in _grouped(system):
        pieces = writer.pieces(parts, places, allowed=INSTRUCTION_PARTS, holder="a system prompt")
        if not pieces.pieces:
            continue
        as_string = data.pop(AS_STRING, None)
        role = data.pop("role", None)
        wanted = "system" if role is None else str(parse_value(role.text))
        neutral = not data and role is None and as_string is None
        content = (
            pieces.content() if as_string is not None or (neutral and len(parts) == 1) else pieces.pieces
        )
        body = {"role": roles.role(wanted, places[0]), "content": content, **data}
        messages.append(WireMessage(body, places[0], pieces.places))
    return messages


def _grouped(system: tuple[Part, ...]) -> list[tuple[list[Part], list[Place], Members]]:
    groups: list[tuple[list[Part], list[Place], Members]] = []
    for number, part in enumerate(system):
        start = members_for(getattr(part, "provider_data", None), NAME).get(MESSAGE)
        if start is not None or not groups:
            members = {} if start is None else split_object(start.text)
            groups.append(([], [], {key: ExactJson.stored(text) for key, text in members.items()}))
        groups[-1][0].append(part)
        groups[-1][1].append((SYSTEM, number))
    return groups
