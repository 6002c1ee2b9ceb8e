"""A body of Chat Completions in the making, and where each message came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from convotree.domain.exact_json import ExactJson
from convotree.replay.notebook import Place

__all__ = ["Wire", "WireMessage"]


@dataclass(slots=True)
class WireMessage:
    """One message of the body. ``place``: what it stands for; ``places``: of each content part; ``calls``: of each
    of its tool calls.
    """

    body: dict[str, Any]
    place: Place
    places: list[Place] = field(default_factory=list)
    calls: list[Place] = field(default_factory=list)


@dataclass(slots=True)
class Wire:
    """All of a body. ``params``: the model settings, exact."""

    model: str
    params: dict[str, ExactJson]
    tools: list[dict[str, Any]]
    messages: list[WireMessage]

    def tree(self) -> dict[str, Any]:
        """The body as one tree."""
        body: dict[str, Any] = {"model": self.model, **self.params}
        if self.tools:
            body["tools"] = self.tools
        body["messages"] = [message.body for message in self.messages]
        return body
