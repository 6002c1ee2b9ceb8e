"""Whose answer it is, seen from the target."""

import pytest

from convotree.domain.message import Message, Provenance, Role
from convotree.replay.anthropic.target import TARGET
from convotree.replay.origin import Origin, origin_of


@pytest.mark.parametrize(
    ("role", "provenance", "origin"),
    [
        (Role.ASSISTANT, Provenance("anthropic", "messages", "m"), Origin.OWN),
        (Role.ASSISTANT, Provenance("anthropic", "anthropic-messages", "m"), Origin.OWN),
        (Role.ASSISTANT, Provenance("anthropic", "bedrock", "m"), Origin.FOREIGN),
        (Role.ASSISTANT, Provenance("openai"), Origin.FOREIGN),
        (Role.ASSISTANT, Provenance(None, None, "m"), Origin.OWN),
        (Role.ASSISTANT, None, Origin.OWN),
        (Role.USER, None, Origin.OWN),
    ],
)
def test_origin(role: Role, provenance: Provenance | None, origin: Origin) -> None:
    assert origin_of(Message(role, (), provenance), TARGET) is origin
