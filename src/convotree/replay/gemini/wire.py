"""A body of ``generateContent`` in the making, and where each part came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from convotree.domain.exact_json import ExactJson
from convotree.replay.gemini.spelling import spelled
from convotree.replay.notebook import Place
from convotree.replay.origin import Origin
from convotree.replay.provider_data import Members

__all__ = ["Wire", "WireContent", "WirePart"]


@dataclass(slots=True)
class WirePart:
    """One part, its known members in camelCase; ``snake``: those that are sent in snake_case."""

    body: dict[str, Any]
    place: Place
    snake: Sequence[str] = ()


@dataclass(slots=True)
class WireContent:
    """One content. ``role``: None where none is sent, which the API takes for the user's."""

    role: str | None
    parts: list[WirePart]
    place: Place
    extra: Members = field(default_factory=dict)
    origin: Origin = Origin.OWN

    @property
    def speaker(self) -> str:
        """Whose content it is."""
        return "user" if self.role is None else self.role

    @property
    def responds(self) -> bool:
        """Whether it holds function responses and nothing else."""
        return bool(self.parts) and all("functionResponse" in part.body for part in self.parts)

    def tree(self) -> dict[str, Any]:
        """The content as it is sent."""
        body: dict[str, Any] = {} if self.role is None else {"role": self.role}
        body["parts"] = [spelled(part.body, part.snake) if part.snake else part.body for part in self.parts]
        for key, value in self.extra.items():
            body.setdefault(key, value)
        return body


@dataclass(slots=True)
class Wire:
    """All of a body. ``params``: the model settings, exact. ``instruction``: the system prompt's content and the name
    that it is sent under.
    """

    model: str
    params: dict[str, ExactJson]
    instruction: tuple[str, WireContent] | None
    tools: list[dict[str, Any]]
    contents: list[WireContent]

    def tree(self) -> dict[str, Any]:
        """The body as one tree."""
        body: dict[str, Any] = {}
        if self.instruction is not None:
            name, content = self.instruction
            body[name] = content.tree()
        body["contents"] = [content.tree() for content in self.contents]
        if self.tools:
            body["tools"] = self.tools
        return {**body, **self.params}
