"""What Anthropic keeps: containers that its tools run in, and threads, each response of which one may follow."""

from __future__ import annotations

from convotree.domain.generation import GenerationRecord
from convotree.replay.anthropic.target import TARGET
from convotree.replay.continuation import Handle, asked_with, handle_member

__all__ = ["KEPT", "read_handles"]

KEPT = ("container",)
"""Members of an answer that name what is kept."""


def read_handles(record: GenerationRecord) -> list[Handle]:
    """The handles that a record names. A thread is one where the call asked for it."""
    if record.provider != TARGET.provider or record.api not in {TARGET.api, *TARGET.also_api}:
        return []
    handles: list[Handle] = []
    if record.response_id is not None and isinstance(asked_with(record, "thread"), dict):
        goes_on = {"type": "continue", "previous_message_id": record.response_id}
        handles.append(Handle(params={"thread": goes_on}, one_line=True))
    container = handle_member(record, "container")
    if isinstance(container, dict) and isinstance(container.get("id"), str):
        expires = container.get("expires_at")
        handles.append(
            Handle(
                params={"container": container["id"]},
                whole=True,
                one_line=True,
                expires_at=expires if isinstance(expires, str) else None,
            )
        )
    return handles
