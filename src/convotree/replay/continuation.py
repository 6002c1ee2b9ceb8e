"""Going on from what a provider keeps of a conversation, where that is exactly the path that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Role
from convotree.domain.outcome import Outcome

if TYPE_CHECKING:
    from convotree.replay.request import Request

__all__ = ["Continuation", "Handle", "HandleReader", "asked_with", "continuations", "handle_member"]


@dataclass(frozen=True, slots=True)
class Continuation:
    """One way to go on from what a provider keeps: a hint, never the record. It may have expired there.

    ``params``: the members that name it, for ``render(params=…)``. ``request``: what is still to be sent with them.
    ``index``: the answer ``messages[index]`` of the whole request that it came with. ``expires_at``: as the provider
    spelled it; None if it does not say.
    """

    params: Mapping[str, Any]
    request: Request
    index: int
    expires_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Handle:
    """What one answer names. ``whole``: all messages are sent all the same. ``one_line``: whoever goes on with it
    changes it for all others. ``holds_system``: instructions that were messages stand in what is kept.
    """

    params: Mapping[str, Any]
    whole: bool = False
    one_line: bool = False
    holds_system: bool = False
    expires_at: str | None = None

    @property
    def name(self) -> str:
        """The member that names it."""
        return next(iter(self.params))


HandleReader = Callable[[GenerationRecord], list[Handle]]
"""The handles that a record names; none for another provider's."""


def continuations(request: Request, read: HandleReader) -> tuple[Continuation, ...]:
    """The ways to go on, each handle from the newest answer that names it.

    An answer counts only if it came to its end and stands below the very prefix it was generated from. What stands for
    the messages up to an answer counts only of the newest one.
    """
    broken = {one.index for one in request.prefix_breaks}
    found: dict[str, Continuation] = {}
    newest = True
    for index in range(len(request.generations) - 1, -1, -1):
        message, record = request.messages[index], request.generations[index]
        if message.role is not Role.ASSISTANT:
            continue
        if record is not None and index not in broken and message.outcome is Outcome.COMPLETE:
            for handle in read(record):
                if handle.name not in found and _is_theirs(request, handle, index, newest=newest):
                    found[handle.name] = Continuation(
                        handle.params, _rest(request, handle, index), index, handle.expires_at
                    )
        newest = False
    return tuple(found.values())


def _is_theirs(request: Request, handle: Handle, index: int, *, newest: bool) -> bool:
    if handle.one_line and (request.unbranched_from is None or request.unbranched_from > index + 1):
        return False
    return handle.whole or (newest and index + 1 < len(request.messages))


def _rest(request: Request, handle: Handle, index: int) -> Request:
    if handle.whole:
        return request
    after = index + 1
    in_messages = handle.holds_system and not isinstance(request.system, str)
    return replace(
        request,
        system=None if in_messages else request.system,
        messages=request.messages[after:],
        revision_ids=request.revision_ids[after:],
        generations=request.generations[after:],
        notes=(),
        prefix_breaks=(),
        unbranched_from=None,
    )


def handle_member(record: GenerationRecord, name: str) -> Any:
    """What a record's ``handles`` say under ``name``; None if nothing."""
    return None if record.handles is None else record.handles.value.get(name)


def asked_with(record: GenerationRecord, name: str) -> Any:
    """What the call of a record set ``name`` to; None if that is not known."""
    params: ExactJson | None = record.params
    return None if params is None else params.value.get(name)
