"""What another provider says of a part beside its content, such as an item's own id or an image's detail: said once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from convotree.domain.exact_json import ExactJson, split_object
from convotree.domain.parts import (
    AudioPart,
    DocumentPart,
    ImagePart,
    Part,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.replay.notebook import SYSTEM, TOOLS, WHOLE, Notebook, Place
from convotree.replay.own_rules import LOST_MEMBER
from convotree.replay.providers import known_providers

if TYPE_CHECKING:
    from convotree.replay.request import Request

__all__ = ["note_foreign_members"]

# What is handed over: parts of the other kinds are left out whole where they are another provider's, and noted then.
_HANDED_OVER: Final = (
    TextPart,
    ImagePart,
    DocumentPart,
    AudioPart,
    ToolCallPart,
    ToolResultPart,
    RefusalPart,
)


@dataclass(slots=True)
class _Lost:
    first: Place
    count: int = 1


def note_foreign_members(
    request: Request, provider: str, notebook: Notebook, *, takes_signatures: bool = False
) -> None:
    """Note what only other providers know of the request's tools, messages and parts, once for each provider, and the
    signatures of text and calls, once, unless the target ``takes_signatures``.
    """
    own = f'{{"{provider}":'
    others = [f'"{name}":' for name in known_providers() if name != provider]
    lost: dict[str, _Lost] = {}
    signatures: _Lost | None = None
    for place, one in _bearers(request):
        data: ExactJson | None = one.provider_data  # type: ignore[attr-defined]  # all that bear it
        # The usual case is told without reading it: the target's own, and nothing that looks like another's.
        if data is not None and not (
            data.text.startswith(own) and not any(other in data.text for other in others)
        ):
            for owner in split_object(data.text):
                if owner != provider:
                    _count(lost, owner, place)
        if not takes_signatures and getattr(one, "signature", None) is not None:
            if signatures is None:
                signatures = _Lost(place)
            else:
                signatures.count += 1
    for owner, where in lost.items():
        what = f"what only {owner} knows of {where.count} parts, messages or tools is left out"
        notebook.add(where.first, LOST_MEMBER, f"{what} (ids, details, forms)")
    if signatures is not None:
        reason = f"signatures of text and calls ({signatures.count}) are left out: there are none here"
        notebook.add(signatures.first, LOST_MEMBER, reason)


def _count(lost: dict[str, _Lost], owner: str, place: Place) -> None:
    if owner in lost:
        lost[owner].count += 1
    else:
        lost[owner] = _Lost(place)


def _bearers(request: Request) -> Iterator[tuple[Place, object]]:
    """All that can carry ``provider_data`` and is handed over, in the order of the notes."""
    if request.system is not None and not isinstance(request.system, str):
        yield from _parts_of(request.system, SYSTEM)
    for number, tool in enumerate(request.tools):
        yield (TOOLS, number), tool
    for index, message in enumerate(request.messages):
        if message.provider_data is not None:
            yield (index, WHOLE), message
        yield from _parts_of(message.parts, index)


def _parts_of(parts: tuple[Part, ...], index: int) -> Iterator[tuple[Place, object]]:
    for number, part in enumerate(parts):
        if type(part) in _HANDED_OVER:
            yield (index, number), part
            if isinstance(part, ToolResultPart):
                for inner in part.content:
                    if type(inner) in _HANDED_OVER:
                        yield (index, number), inner
