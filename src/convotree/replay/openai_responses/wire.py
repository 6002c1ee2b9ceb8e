"""A body of the Responses API in the making, and where each item came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from convotree.domain.exact_json import ExactJson
from convotree.replay.notebook import Place

__all__ = ["Wire", "WireItem"]


@dataclass(slots=True, eq=False)
class WireItem:
    """One item of the body.

    ``kind``: its type. ``place``: what it stands for; ``places``: of each part of its content. ``call``: the id by
    which call and result find each other. ``answer``: whether the model made it. ``hosted``: the provider ran it.
    """

    kind: str
    body: dict[str, Any]
    place: Place
    places: list[Place] = field(default_factory=list)
    call: str | None = None
    answer: bool = False
    hosted: bool = False

    @property
    def id(self) -> str | None:
        """The item's own id, if it has one."""
        own = self.body.get("id")
        if type(own) is not str or (self.kind == "local_shell_call_output" and "call_id" not in self.body):
            # Of such an output the id is that of the call.
            return None
        return own


@dataclass(slots=True)
class Wire:
    """All of a body. ``params``: the model settings, exact. ``as_input``: the one item goes as a bare string."""

    model: str
    params: dict[str, ExactJson]
    instructions: str | None
    tools: list[dict[str, Any]]
    items: list[WireItem]
    as_input: bool = False

    def tree(self) -> dict[str, Any]:
        """The body as one tree."""
        body: dict[str, Any] = {"model": self.model, **self.params}
        if self.instructions is not None:
            body["instructions"] = self.instructions
        if self.tools:
            body["tools"] = self.tools
        if self.as_input and len(self.items) == 1 and type(self.items[0].body.get("content")) is str:
            body["input"] = self.items[0].body["content"]
        else:
            body["input"] = [item.body for item in self.items]
        return body
