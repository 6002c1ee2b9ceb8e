"""Hosted calls in sigma: the envelope becomes parts where it says no more than they do, and stays whole elsewhere."""

import json
from typing import Any

import pytest

from convotree import ExactJson, Message, Request, Role
from convotree.domain.parts import HostedCallPart, HostedResultPart, Part, TextPart
from convotree.interchange import sigma

MAKER = {"provider": "anthropic", "api": "anthropic-messages", "model": "m"}
RESULT = {"type": "web_search_tool_result", "tool_use_id": "h", "content": []}
CALL = {"type": "server_tool_use", "id": "h", "name": "n", "input": {}}


def call_block(**envelope: Any) -> dict[str, Any]:
    return {
        "type": "tool-call",
        "toolCallID": "h",
        "toolName": "n",
        "toolArguments": {},
        "providerMetadata": {"type": "server_tool_use", "anthropic_hosted_replay": envelope},
    }


def read(*blocks: dict[str, Any]) -> tuple[Part, ...]:
    message = {"role": "assistant", "content": list(blocks), **MAKER}
    text = json.dumps({"messages": [message]})
    request = sigma.loads(text)
    assert json.loads(sigma.dumps(request)) == json.loads(text)
    return request.messages[0].parts


HOSTED_CALL = HostedCallPart("anthropic", "server_tool_use", "h", "n", ExactJson.parse("{}"))
HOSTED_RESULT = HostedResultPart("anthropic", "web_search_tool_result", "h", ExactJson.parse("[]"))


def test_call_and_result_become_parts() -> None:
    assert read(call_block(**MAKER, server_tool_use=CALL, results_after=[RESULT])) == (
        HOSTED_CALL,
        HOSTED_RESULT,
    )


def test_an_empty_text_that_only_holds_results_is_no_part() -> None:
    anchor = {
        "type": "text",
        "providerMetadata": {"anthropic_hosted_replay": {**MAKER, "results_after": [RESULT, RESULT]}},
    }

    assert read(anchor) == (HOSTED_RESULT, HOSTED_RESULT)


def test_members_of_the_raw_blocks_are_kept() -> None:
    call, result = read(
        call_block(
            **MAKER, server_tool_use={**CALL, "caller": 1}, results_after=[{**RESULT, "retrieved": "now"}]
        )
    )

    assert call == HostedCallPart(
        "anthropic",
        "server_tool_use",
        "h",
        "n",
        ExactJson.parse("{}"),
        ExactJson.parse('{"anthropic":{"caller":1}}'),
    )
    assert isinstance(result, HostedResultPart)
    assert result.provider_data == ExactJson.parse('{"anthropic":{"retrieved":"now"}}')


@pytest.mark.parametrize(
    "block",
    [
        call_block(),
        call_block(**MAKER),  # without the call itself
        call_block(**{**MAKER, "model": "other"}, server_tool_use=CALL),
        call_block(**MAKER, server_tool_use={**CALL, "id": "other"}),
        call_block(**MAKER, server_tool_use=CALL, results_after=[]),
        call_block(**MAKER, server_tool_use=CALL, results_after=[{**RESULT, "type": "odd"}]),
        call_block(**MAKER, server_tool_use=CALL, results_after=[3]),
        call_block(**MAKER, server_tool_use=CALL, results_after=[{"type": 3}]),
        call_block(**MAKER, server_tool_use=CALL, results_after={}),
        call_block(**MAKER, server_tool_use=[], more=True),
        {**call_block(), "providerMetadata": {"type": "server_tool_use", "anthropic_hosted_replay": 3}},
        {**call_block(), "providerMetadata": {"type": "server_tool_use"}},
    ],
)
def test_an_unusual_envelope_is_kept_as_it_is(block: dict[str, Any]) -> None:
    (part,) = read(block)

    assert isinstance(part, HostedCallPart)
    assert part.provider_data is not None
    assert json.loads(part.provider_data.text)["sigma"]["providerMetadata"] == block["providerMetadata"]


def test_an_envelope_outside_an_answer_is_kept_as_it_is() -> None:
    metadata = {
        "anthropic_hosted_replay": {"provider": "", "api": "", "model": "", "results_after": [RESULT]}
    }
    block = {"type": "text", "text": "x", "providerMetadata": metadata}

    (message,) = sigma.loads(json.dumps({"messages": [{"role": "user", "content": [block]}]})).messages

    assert message.parts == (TextPart("x", provider_data=ExactJson.parse(sigma_data(metadata))),)


def sigma_data(metadata: dict[str, Any]) -> str:
    return json.dumps({"sigma": {"providerMetadata": metadata}}, sort_keys=True)


def test_results_hang_on_the_block_before_them() -> None:
    parts: tuple[Part, ...] = (
        TextPart("a"),
        HOSTED_CALL,
        HOSTED_RESULT,
        HOSTED_RESULT,
        TextPart("b"),
        HOSTED_RESULT,
    )
    request = Request(messages=(Message.assistant(parts, provider="anthropic", api="messages", model="m"),))

    text = sigma.dumps(request)

    (message,) = json.loads(text)["messages"]
    envelopes = [
        block.get("providerMetadata", {}).get("anthropic_hosted_replay", {}) for block in message["content"]
    ]
    assert [len(one.get("results_after", ())) for one in envelopes] == [0, 2, 1]
    assert sigma.loads(text).messages[0].parts == parts


def test_many_results_are_written_at_once() -> None:
    parts: tuple[Part, ...] = (HOSTED_CALL, *([HOSTED_RESULT] * 5_000))

    back = sigma.loads(sigma.dumps(Request(messages=(Message.assistant(parts),))))

    assert back.messages[0].parts == parts


def test_what_is_no_result_that_sigma_takes_is_left_out() -> None:
    odd = HostedResultPart("anthropic", "mcp_tool_result", "h", ExactJson.parse("[]"))
    marked = HostedResultPart(
        "anthropic", "web_search_tool_result", "h", ExactJson.parse("[]"), None, ExactJson.parse("{}")
    )

    converted = sigma.convert(Request(messages=(Message(Role.ASSISTANT, (odd, marked)),)))

    assert [(note.place, note.rule) for note in converted.notes] == [
        ("messages[0].parts[0]", "X4"),
        ("messages[0].parts[1]", "X5"),
    ]
