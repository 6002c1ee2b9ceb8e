"""What a provider sent and no field holds."""

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message, Role
from convotree.replay.provider_data import carries_data_of, members_for


def test_members_are_exact_and_in_order() -> None:
    data = ExactJson('{"other":{"x":1},"anthropic":{"b":1.10,"a":{"c":[]}}}')
    assert [(key, one.text) for key, one in members_for(data, "anthropic").items()] == [
        ("b", "1.10"),
        ("a", '{"c":[]}'),
    ]


@pytest.mark.parametrize(
    "data", [None, ExactJson("{}"), ExactJson('{"anthropic":7}'), ExactJson('{"other":{"x":1}}')]
)
def test_nothing_is_no_members(data: ExactJson | None) -> None:
    assert members_for(data, "anthropic") == {}


def test_even_empty_data_say_where_a_message_came_from() -> None:
    def message(data: str | None) -> Message:
        return Message(Role.TOOL, (), provider_data=None if data is None else ExactJson(data))

    assert carries_data_of(message('{"anthropic":{}}'), "anthropic")
    assert not carries_data_of(message('{"anthropic":{}}'), "openai-chat")
    assert not carries_data_of(message(None), "anthropic")
