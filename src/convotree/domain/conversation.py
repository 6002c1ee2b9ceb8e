"""A conversation's header as callers see it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from convotree.domain.exact_json import ExactJson

__all__ = ["Conversation"]


@dataclass(frozen=True, slots=True)
class Conversation:
    """The header of one tree at the moment it was read.

    ``version`` counts changes of the header, moves of the pointer among them. ``prompt_version`` and
    ``tool_set`` are the ids of the current system prompt and tools (None: none). Times are UTC, in
    milliseconds.
    """

    id: str
    selected_leaf_id: str | None
    version: int
    title: str | None
    metadata_json: ExactJson
    prompt_version: str | None
    tool_set: str | None
    created_at: datetime
    updated_at: datetime

    @property
    def metadata(self) -> dict[str, Any]:
        """The caller's metadata as plain values, parsed anew; ``metadata_json`` has the exact spelling."""
        value: dict[str, Any] = self.metadata_json.value
        return value
