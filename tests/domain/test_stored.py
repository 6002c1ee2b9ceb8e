"""Stored values as callers see them, and the keys that a scope gives."""

from convotree.domain.message import Message
from convotree.domain.stored import Scope
from tests.domain.stored_values import SCOPE, TIME, Grove


def test_keys_of_different_things_differ() -> None:
    keys = {
        SCOPE.key,
        SCOPE.roots_key,
        SCOPE.revision_key("conversation"),
        SCOPE.revision_key("r"),
        Scope("tenant", "other").key,
        Scope("other", "conversation").key,
        Scope("other", "conversation").revision_key("r"),
        Scope("tenantc", "onversation").key,
    }

    assert len(keys) == 8


def test_a_revision_as_callers_see_it() -> None:
    grove = Grove()
    grove.add("q", None)
    stored = grove.add("a", "q", Message.assistant("x"))

    revision = stored.to_revision(selected=True)

    assert (revision.id, revision.parent_id, revision.ordinal, revision.depth) == ("a", "q", 0, 1)
    assert (revision.conversation_id, revision.lane_id, revision.selected) == ("conversation", "q", True)
    assert revision.message == Message.assistant("x")
    assert (revision.generation, revision.created_at) == (stored.generation, TIME)


def test_a_header_as_callers_see_it() -> None:
    grove = Grove()
    grove.add("q", None)

    conversation = grove.header("q").to_conversation()

    assert (conversation.id, conversation.selected_leaf_id, conversation.version) == ("conversation", "q", 5)
    assert (conversation.title, conversation.metadata_json.text) == ("title", '{"a":1.10}')
    assert (conversation.prompt_version, conversation.tool_set) == ("sha256:p", None)
    assert grove.header(None).to_conversation().selected_leaf_id is None
