"""What OpenAI keeps: read from an answer into the record, and from the record."""

from __future__ import annotations

from typing import Any

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.replay.openai_responses.handles import read_handles


def answered(**members: Any) -> GenerationRecord:
    answer = {"id": "resp_1", "object": "response", "status": "completed", "output": [], **members}
    return GenerationRecord.from_provider("openai-responses", answer, model="gpt-5")


def test_a_response_may_be_followed_by_any_number() -> None:
    record = answered(conversation=None)
    assert record.handles is None
    (handle,) = read_handles(record)
    assert (handle.params, handle.one_line, handle.whole) == (
        {"previous_response_id": "resp_1"},
        False,
        False,
    )


def test_a_conversation_is_one_line_and_excludes_the_response() -> None:
    record = answered(conversation={"id": "conv_1"})
    assert record.handles == ExactJson('{"conversation":{"id":"conv_1"}}')
    (handle,) = read_handles(record)
    assert (handle.params, handle.one_line) == ({"conversation": "conv_1"}, True)


def test_what_names_no_id_is_no_handle() -> None:
    for odd in ({}, {"id": 3}, "conv_1"):
        assert [one.name for one in read_handles(answered(conversation=odd))] == ["previous_response_id"]


def test_records_of_others_are_left_alone() -> None:
    assert read_handles(GenerationRecord(provider="anthropic", api="messages", response_id="msg_1")) == []
    assert (
        read_handles(GenerationRecord(provider="openai", api="chat-completions", response_id="chatcmpl_1"))
        == []
    )
