"""The table of members against the types of the SDK that is installed."""

from anthropic.types.beta.beta_content_block_param import BetaContentBlockParam
from anthropic.types.beta.beta_system_message_param import BetaSystemMessageParam
from anthropic.types.beta.beta_tool_result_block_param import Content
from typing_extensions import get_type_hints

from convotree.replay.anthropic.block_members import (
    ANSWERS_ONLY,
    BLOCK_MEMBERS,
    HOSTED_CALLS,
    INPUT_ONLY,
    MESSAGE_MEMBERS,
)
from convotree.replay.sdk_validation import members_by_type


def test_every_block_of_the_sdk_is_known_with_all_its_members() -> None:
    adapters = {**members_by_type(Content), **members_by_type(BetaContentBlockParam)}
    known = {
        kind: set(get_type_hints(one._type)) - BLOCK_MEMBERS.get(kind, set())
        for kind, one in adapters.items()
    }
    assert {kind for kind, missing in known.items() if missing} == set()


def test_members_of_messages() -> None:
    assert MESSAGE_MEMBERS["system"] == set(get_type_hints(BetaSystemMessageParam)) - {"role", "content"}


def test_the_groups_are_of_known_blocks() -> None:
    assert BLOCK_MEMBERS.keys() >= ANSWERS_ONLY | INPUT_ONLY | HOSTED_CALLS
    assert ANSWERS_ONLY.isdisjoint(INPUT_ONLY)
