"""Revisions are values: immutable, equal by content, ready to travel."""

import copy
import pickle
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message
from convotree.domain.revision import Revision

REVISION = Revision(
    id="r2",
    conversation_id="c1",
    parent_id="r1",
    ordinal=0,
    lane_id="r1",
    depth=1,
    message=Message.assistant("4", model="m"),
    created_at=datetime(2026, 1, 1, 12, 0, 0, 123_000, tzinfo=UTC),
    generation=GenerationRecord(model="m"),
)


def test_revisions_are_values() -> None:
    for copied in (copy.copy(REVISION), copy.deepcopy(REVISION), pickle.loads(pickle.dumps(REVISION))):  # noqa: S301  # own bytes
        assert copied == REVISION
        assert hash(copied) == hash(REVISION)
    assert replace(REVISION, ordinal=1) != REVISION
    assert replace(REVISION, message=Message.assistant("5", model="m")) != REVISION


def test_a_revision_is_not_selected_unless_said() -> None:
    assert not REVISION.selected
    assert replace(REVISION, selected=True).selected


def test_revisions_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        REVISION.ordinal = 3  # type: ignore[misc]  # frozen: that is the test
    assert not hasattr(REVISION, "__dict__")


def test_repr_is_short() -> None:
    assert len(repr(replace(REVISION, message=Message.user("x" * 1_000_000)))) < 1000
