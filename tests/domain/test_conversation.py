"""A conversation's header is a value; its metadata keep their spelling."""

import copy
import pickle
from datetime import UTC, datetime

import pytest

from convotree.domain.conversation import Conversation
from convotree.domain.exact_json import ExactJson, NumberText

TIME = datetime(2026, 1, 1, tzinfo=UTC)
CONVERSATION = Conversation(
    id="c1",
    selected_leaf_id=None,
    version=1,
    title="t",
    metadata_json=ExactJson.parse('{"n":1.10,"tags":["a"]}'),
    prompt_version=None,
    tool_set=None,
    created_at=TIME,
    updated_at=TIME,
)


def test_metadata_are_plain_values_with_exact_spelling_beside_them() -> None:
    assert CONVERSATION.metadata == {"n": NumberText("1.10"), "tags": ["a"]}
    assert CONVERSATION.metadata_json.text == '{"n":1.10,"tags":["a"]}'


def test_changing_what_metadata_gave_changes_nothing() -> None:
    CONVERSATION.metadata["tags"].append("b")

    assert CONVERSATION.metadata["tags"] == ["a"]


def test_headers_are_values() -> None:
    for copied in (copy.deepcopy(CONVERSATION), pickle.loads(pickle.dumps(CONVERSATION))):  # noqa: S301  # own bytes
        assert copied == CONVERSATION
        assert hash(copied) == hash(CONVERSATION)
    with pytest.raises(AttributeError):
        CONVERSATION.version = 2  # type: ignore[misc]  # frozen: that is the test
