"""Whether an answer is the target's own or comes from another provider."""

from __future__ import annotations

from enum import Enum

from convotree.domain.message import Message, Role
from convotree.replay.target import Target

__all__ = ["Origin", "origin_of"]


class Origin(Enum):
    """Where a message comes from, seen from the target."""

    OWN = "own"
    FOREIGN = "foreign"


def origin_of(message: Message, target: Target) -> Origin:
    """``FOREIGN`` for an answer that says it is another provider's, or came through another of the provider's APIs.

    An answer that does not say where it came from is taken for the target's own: its caller put reasoning or ids of
    some provider into it and now renders it for that one.
    """
    provenance = message.provenance
    if message.role is not Role.ASSISTANT or provenance is None or provenance.provider is None:
        return Origin.OWN
    own = provenance.provider == target.provider and (
        provenance.api in (None, target.api) or provenance.api in target.also_api
    )
    return Origin.OWN if own else Origin.FOREIGN
