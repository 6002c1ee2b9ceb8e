"""What a provider keeps is offered only where the path is exactly its own."""

from __future__ import annotations

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message
from convotree.domain.outcome import Outcome
from convotree.domain.parts import TextPart
from convotree.errors import InvalidArgumentError, UnsupportedProviderError
from convotree.replay import Continuation, Differs, PrefixBreak, Request

RESPONSES = "openai-responses"


def record(response_id: str | None = "resp_1", **fields: Any) -> GenerationRecord:
    return GenerationRecord(provider="openai", api="responses", response_id=response_id, **fields)


def container(container_id: str = "container_1") -> GenerationRecord:
    handles = ExactJson.of({"container": {"id": container_id, "expires_at": "2026-12-01T12:00:00Z"}})
    return GenerationRecord(provider="anthropic", api="messages", response_id="msg_1", handles=handles)


def conversation(
    *records: GenerationRecord | None, outcome: Outcome = Outcome.COMPLETE, **fields: Any
) -> Request:
    """A question and an answer for each record, and one more question."""
    messages: list[Message] = []
    generations: list[GenerationRecord | None] = []
    for number, one in enumerate(records):
        messages += [Message.user(f"q{number}"), Message.assistant(f"a{number}", outcome=outcome)]
        generations += [None, one]
    messages.append(Message.user("last"))
    ids = tuple(f"r{number}" for number in range(len(messages)))
    return Request(messages=tuple(messages), generations=(*generations, None), revision_ids=ids, **fields)


def offered(request: Request, provider: str = RESPONSES) -> list[dict[str, Any]]:
    return [dict(one.params) for one in request.continuations(provider)]


def test_only_what_follows_the_newest_answer_is_sent() -> None:
    request = conversation(record("resp_0"), record("resp_1"), system="Be brief.")
    (kept,) = request.continuations(RESPONSES)
    assert kept == Continuation({"previous_response_id": "resp_1"}, kept.request, 3)
    assert [one.text for one in kept.request.messages] == ["last"]
    assert (kept.request.system, kept.request.revision_ids) == ("Be brief.", ("r4",))
    body = kept.request.render(RESPONSES, model="gpt-5", params=kept.params).body
    assert body == {
        "model": "gpt-5",
        "previous_response_id": "resp_1",
        "instructions": "Be brief.",
        "input": [{"role": "user", "content": "last"}],
    }


def test_instructions_that_were_messages_stand_there_already() -> None:
    (kept,) = conversation(record(), system=(TextPart("Be brief."),)).continuations(RESPONSES)
    assert kept.request.system is None


@pytest.mark.parametrize(
    "request_",
    [
        conversation(None),
        conversation(record(), None),
        conversation(record(), container()),
        conversation(record(None)),
        conversation(record(params=ExactJson('{"store":false}'))),
        conversation(record(), outcome=Outcome.ABORTED),
        conversation(record(), prefix_breaks=(PrefixBreak(1, (Differs.SYSTEM,)),)),
        Request(messages=(Message.user("q"),)),
        Request(messages=(Message.user("q"), Message.assistant("a")), generations=(None, record())),
    ],
    ids=[
        "unknown",
        "newer unknown",
        "newer of another",
        "no id",
        "not stored",
        "aborted",
        "broken",
        "none",
        "end",
    ],
)
def test_nothing_is_offered_elsewhere(request_: Request) -> None:
    assert offered(request_) == []


def test_an_older_break_is_no_concern_of_a_newer_answer() -> None:
    request = conversation(
        record("resp_0"), record("resp_1"), prefix_breaks=(PrefixBreak(1, (Differs.TOOLS,)),)
    )
    assert offered(request) == [{"previous_response_id": "resp_1"}]


def test_what_is_one_line_is_offered_to_first_children_only() -> None:
    request = conversation(container("container_0"), container("container_1"), unbranched_from=4)
    (kept,) = request.continuations("anthropic")
    assert (kept.params, kept.expires_at) == ({"container": "container_1"}, "2026-12-01T12:00:00Z")
    assert kept.request == request
    for start in (5, None):
        assert offered(conversation(container(), container(), unbranched_from=start), "anthropic") == []


def test_a_container_of_an_older_answer_is_still_there() -> None:
    older = conversation(
        container(), GenerationRecord(provider="anthropic", api="messages"), unbranched_from=2
    )
    assert offered(older, "anthropic") == [{"container": "container_1"}]
    assert offered(conversation(container(), None, unbranched_from=3), "anthropic") == []


def test_providers_that_keep_nothing_offer_nothing() -> None:
    assert offered(conversation(record()), "openai-chat") == offered(conversation(record()), "gemini") == []
    with pytest.raises(UnsupportedProviderError):
        conversation(record()).continuations("nobody")


@pytest.mark.parametrize("start", [-1, 4, True, "0"])
def test_where_a_line_begins_is_a_message(start: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="unbranched_from"):
        conversation(record(), unbranched_from=start)


def test_it_survives_the_stored_form_of_a_request() -> None:
    request = conversation(container(), unbranched_from=2)
    assert offered(Request.from_json(request.to_json()), "anthropic") == offered(request, "anthropic") != []
