"""sigma's validation: each rule, the order of the rules, and what is not checked."""

import json
from typing import Any

import pytest

from convotree import InvalidMessageError
from convotree.interchange import sigma
from convotree.interchange.sigma_rules import is_standard_base64

CALL = {"role": "assistant", "content": [{"type": "tool-call", "toolCallID": "c", "toolName": "n"}]}


def user(**block: Any) -> dict[str, Any]:
    return {"role": "user", "content": [block]}


def answer(**block: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [block]}


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "role is required"),
    ({"role": "system"}, 'unsupported role "system"'),
    ({"role": "user", "toolName": "n"}, 'tool result fields require role "tool"'),
    ({"role": "user", "addedToolNames": ["n"]}, 'tool result fields require role "tool"'),
    ({"role": "tool", "toolCallID": "c", "stopReason": "x"}, 'assistant metadata requires role "assistant"'),
    ({"role": "user", "providerThinkingLevel": "x"}, 'assistant metadata requires role "assistant"'),
    ({"role": "user", "usage": {}}, 'usage requires role "assistant" or "tool"'),
    ({"role": "assistant", "api": "a"}, "assistant api or model metadata requires provider metadata"),
    ({"role": "assistant", "stopReason": "End-Turn"}, 'unsupported assistant stop reason "End-Turn"'),
    ({"role": "tool"}, "tool result is missing tool call id"),
    ({"role": "tool", "toolCallID": "d"}, 'tool result "d" has no preceding assistant tool call'),
    ({"role": "user", "content": [None]}, "content block type is required"),
    (user(type="thinking", thinking="x"), 'role "user" cannot contain "thinking" blocks'),
    (
        {**user(type="image"), "role": "developer"},
        'role "developer" cannot contain "image" blocks',
    ),
    (user(type="text"), "text block is empty"),
    (user(type="text", signature="s"), "text block is empty"),
    (answer(type="text", providerMetadata={"anthropic_hosted_replay": None}), "text block is empty"),
    (answer(type="thinking", redacted=False), "thinking block has no thinking text or signature"),
    (user(type="image"), "image MIME type is required"),
    (user(type="image", mimeType="m"), "image source is required"),
    (
        user(type="image", mimeType="m", imageSource="file_id", fileID="f"),
        'unsupported image source "file_id"',
    ),
    (user(type="image", mimeType="m", imageSource="base64"), "base64 image data is required"),
    (user(type="image", mimeType="m", imageSource="base64", data="a_b="), "base64 image data is invalid: "),
    (user(type="image", mimeType="m", imageSource="url"), "image URL is required"),
    (user(type="document"), "document MIME type is required"),
    (user(type="document", mimeType="m"), "document filename is required"),
    (user(type="document", mimeType="m", filename="f"), "document source is required"),
    (
        user(type="document", mimeType="m", filename="f", documentSource="x"),
        'unsupported document source "x"',
    ),
    (
        user(type="document", mimeType="m", filename="f", documentSource="base64"),
        "base64 document data is required",
    ),
    (user(type="document", mimeType="m", filename="f", documentSource="url"), "document URL is required"),
    (
        user(type="document", mimeType="m", filename="f", documentSource="file_id"),
        "document file id is required",
    ),
    (answer(type="tool-call", toolName="n"), "tool call id is required"),
    (answer(type="tool-call", toolCallID="d"), "tool call name is required"),
    (answer(type="tool-call", toolCallID="c", toolName="n"), 'duplicate tool call id "c"'),
    (
        {**answer(type="text", text="x"), "stopReason": "tool-calls"},
        'stop reason "tool-calls" requires a tool call',
    ),
]


@pytest.mark.parametrize(("message", "reason"), REFUSED, ids=[reason for _, reason in REFUSED])
def test_each_rule_refuses_in_the_words_of_the_original(message: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidMessageError) as refused:
        sigma.loads(json.dumps({"messages": [CALL, message]}))

    assert refused.value.reason.startswith(reason)
    in_block = "content" in message and not reason.startswith("stop reason")
    assert refused.value.place == ("messages[1].content[0]" if in_block else "messages[1]")


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        # Of two failures of one message the earlier rule is named.
        ({"role": "odd", "toolName": "n"}, "unsupported role"),
        ({"role": "user", "toolName": "n", "model": "m"}, "tool result fields"),
        ({"role": "user", "model": "m", "usage": {}}, "assistant metadata"),
        ({"role": "assistant", "model": "m", "stopReason": "odd"}, "assistant api or model"),
        ({"role": "assistant", "stopReason": "odd", "content": [None]}, "unsupported assistant stop"),
        ({"role": "tool", "content": [{"type": "odd"}]}, "tool result is missing"),
        ({"role": "assistant", "stopReason": "tool-calls", "content": [{"type": "text"}]}, "text block"),
    ],
)
def test_the_rules_are_tried_in_the_order_of_the_original(message: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidMessageError) as refused:
        sigma.loads(json.dumps({"messages": [message]}))

    assert refused.value.reason.startswith(reason)


@pytest.mark.parametrize(
    "messages",
    [
        [CALL],  # without an answer
        [CALL, {"role": "user"}, {"role": "tool", "toolCallID": "c"}, {"role": "tool", "toolCallID": "c"}],
        [CALL, {"role": "tool", "toolCallID": "c", "toolName": "other"}],
        [{"role": "assistant"}, {"role": "assistant", "provider": "p", "stopReason": ""}],
        [user(type="text", text=" ", signature="s", data="!", toolCallID="c")],
        [answer(type="text", providerMetadata={"anthropic_hosted_replay": False})],
        [answer(type="thinking", redacted=True)],
        [user(type="image", mimeType="?", imageSource="base64", data="\n")],
        [user(type="image", mimeType="?", imageSource="url", url="no url")],
    ],
)
def test_what_the_original_does_not_check_is_legal(messages: list[dict[str, Any]]) -> None:
    request = sigma.loads(json.dumps({"messages": messages}))

    assert sigma.loads(sigma.dumps(request)) == request


def test_tools_are_not_validated() -> None:
    grammar = '{"syntax":"odd","definition":""}'
    text = '{"tools":[{"name":""},{"name":""},{"name":"a","inputSchema":3,"openAIGrammar":' + grammar + "}]}"

    assert sigma.dumps(sigma.loads(text)) == text


@pytest.mark.parametrize("data", ["", "YQ==", "YWI=", "YWJj", "YW\r\nJj", "YQ=\n=", "+/+/", "YR=="])
def test_standard_base64(data: str) -> None:
    assert is_standard_base64(data)


@pytest.mark.parametrize(
    "data",
    [
        "Y",
        "YQ",
        "YQ=",
        "YQ===",
        "YWJj=",
        "YWJj====",
        "YQ==YQ==",
        "YW Jj",
        "-_-_",
        "YQ==x",
        "=",
        "YWJé",
        "YW\tJj",
    ],
)
def test_what_is_no_standard_base64(data: str) -> None:
    assert not is_standard_base64(data)
