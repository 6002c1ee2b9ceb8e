"""Hosted calls and their results of the target's own: which of them it would take back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from convotree.domain.message import Message, Role
from convotree.domain.parts import HostedCallPart, HostedResultPart, ToolResultPart
from convotree.replay.notebook import Place

__all__ = ["hosted_orphans"]

_NO_RESULT: Final = "the hosted call has no result"


def hosted_orphans(messages: Sequence[Message], provider: str) -> dict[Place, str]:
    """The hosted calls without a result below them, and the reverse, each with a reason.

    A call that is still running has no result yet: only tool results and further answers may follow it then.
    """
    calls: dict[str, Place] = {}
    orphans: dict[Place, str] = {}
    for index, message in enumerate(messages):
        if message.role is not Role.ASSISTANT:
            if not message.parts or any(type(part) is not ToolResultPart for part in message.parts):
                orphans.update((place, _NO_RESULT) for place in calls.values())
                calls.clear()
            continue
        for number, part in enumerate(message.parts):
            if isinstance(part, HostedCallPart) and part.provider == provider:
                earlier = calls.get(part.tool_call_id)
                if earlier is not None:
                    orphans[earlier] = _NO_RESULT
                calls[part.tool_call_id] = (index, number)
            elif (
                isinstance(part, HostedResultPart)
                and part.provider == provider
                and calls.pop(part.tool_call_id, None) is None
            ):
                orphans[index, number] = "the hosted result has no call before it"
    return orphans
