"""What Anthropic keeps: read from an answer into the record, and from the record."""

from __future__ import annotations

from typing import Any

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.replay.anthropic.handles import read_handles


def answered(params: dict[str, Any] | None = None, **members: Any) -> GenerationRecord:
    answer = {"id": "msg_1", "role": "assistant", "model": "claude-opus-4-8", "content": [], **members}
    return GenerationRecord.from_provider("anthropic", answer, params=params)


def test_a_container_is_one_line_and_goes_with_the_whole_request() -> None:
    record = answered(container={"id": "container_1", "expires_at": "2026-12-01T12:00:00Z"})
    assert record.handles is not None
    (handle,) = read_handles(record)
    assert (handle.params, handle.whole, handle.one_line) == ({"container": "container_1"}, True, True)
    assert handle.expires_at == "2026-12-01T12:00:00Z"


def test_a_thread_is_one_where_the_call_asked_for_it() -> None:
    assert read_handles(answered()) == []
    (handle,) = read_handles(answered({"thread": {"type": "create"}}))
    assert handle.params == {"thread": {"type": "continue", "previous_message_id": "msg_1"}}
    assert (handle.whole, handle.one_line) == (False, True)


def test_what_names_no_id_is_no_handle() -> None:
    assert answered(container=None).handles is None
    assert read_handles(answered(container={"expires_at": 3})) == []
    assert read_handles(answered(container={"id": "c", "expires_at": 3}))[0].expires_at is None


def test_records_of_others_are_left_alone() -> None:
    kept = ExactJson('{"container":{"id":"c"}}')
    assert read_handles(GenerationRecord(provider="openai", api="responses", handles=kept)) == []
