"""A body of the Messages API in the making: plain values with exact leaves, and where each block came from."""

from __future__ import annotations

from dataclasses import dataclass, field

from convotree.domain.exact_json import ExactJson
from convotree.replay.anthropic.blocks import Block
from convotree.replay.notebook import Place
from convotree.replay.provider_data import Members

__all__ = ["Wire", "WireMessage"]


@dataclass(slots=True)
class WireMessage:
    """One message of the body. ``places``: of each block, or of the one text; ``place``: of the message itself."""

    role: str
    content: str | list[Block]
    places: list[Place]
    place: Place
    extra: Members = field(default_factory=dict)


@dataclass(slots=True)
class Wire:
    """All of a body. ``params``: the model settings, exact."""

    model: str
    params: dict[str, ExactJson]
    system: str | list[Block] | None
    tools: list[Block]
    messages: list[WireMessage]

    def tree(self) -> Block:
        """The body as one tree, in the order that the documentation of the API uses."""
        body: Block = {"model": self.model, **self.params}
        if self.system is not None:
            body["system"] = self.system
        if self.tools:
            body["tools"] = self.tools
        body["messages"] = [
            {"role": message.role, "content": message.content, **message.extra}
            if message.extra
            else {"role": message.role, "content": message.content}
            for message in self.messages
        ]
        return body
