"""or/llm's request shape: the shared cases, round trips, one message at a time, and requests from elsewhere."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from convotree import (
    ExactJson,
    GenerationRecord,
    InvalidArgumentError,
    InvalidJsonError,
    InvalidMessageError,
    InvalidRequestError,
    Message,
    Provenance,
    Request,
    Role,
    Tool,
    UnreplayableError,
)
from convotree.domain.media import Base64Source, UrlSource
from convotree.domain.outcome import Outcome
from convotree.domain.parts import (
    AudioPart,
    CompactionPart,
    DocumentPart,
    HostedCallPart,
    HostedResultPart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.interchange import or_llm, sigma
from convotree.interchange.or_llm import Losses
from tests.interchange.shape_documents import (
    input_of,
    or_llm_documents,
    or_llm_messages,
    shared_cases,
)

CASES = shared_cases("or")
COST = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
USAGE = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0, "cost": COST}


def test_the_cases_are_there(cases: Path) -> None:
    assert len(list((cases / "request-shapes").glob("or_*.json"))) == len(CASES) == 16


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_shared_case(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    text = input_of(case)
    if case["expect"] == "error":
        with pytest.raises(InvalidRequestError) as refused:
            or_llm.loads(text)
        assert case["error_contains"] in refused.value.reason  # type: ignore[attr-defined]
        return

    request = or_llm.loads(text)
    written = or_llm.dumps(request)

    assert or_llm.loads(written) == request
    assert or_llm.dumps(or_llm.loads(written)) == written
    if "round_trip" in case:
        assert json.loads(written) == case["round_trip"]
    if "round_trip_raw" in case:
        assert written == case["round_trip_raw"]


@given(or_llm_documents())
@settings(max_examples=150)
def test_what_is_read_is_written_again(text: str) -> None:
    request = or_llm.loads(text)

    converted = or_llm.convert(request)

    assert converted.notes == ()
    assert or_llm.loads(converted.text) == request
    assert or_llm.dumps(or_llm.loads(converted.text)) == converted.text
    assert Request.from_json(request.to_json()) == request


@given(or_llm_messages())
@settings(max_examples=100)
def test_a_message_is_written_as_in_a_context(text: str) -> None:
    message = or_llm.loads_message(text)

    written = or_llm.dumps_message(message)

    assert or_llm.loads_message(written) == message
    assert or_llm.dumps(Request(messages=(message,))) == '{"messages":[' + written + "]}"


# -------------------------------------------------------------------------------------------------- what it becomes


def test_what_an_answer_becomes() -> None:
    message = or_llm.loads_message(
        """{"role":"assistant","provider":"anthropic","protocol":"anthropic-messages","model":"m",
        "stopReason":"error","errorMessage":"e","timestamp":7,"content":[
        {"type":"thinking","thinking":"t","thinkingSignature":"s"},
        {"type":"thinking","redacted":true,"thinkingSignature":"hidden"},
        {"type":"text","text":"x","textSignature":"r"},
        {"type":"toolCall","id":"c","name":"n","arguments":{"b":1.50,"a":1e21},"thoughtSignature":"g"}]}"""
    )

    assert message.outcome is Outcome.FAILED
    assert message.provenance == Provenance("anthropic", "anthropic-messages", "m")
    assert message.parts == (
        ReasoningPart("t", "s"),
        ReasoningPart("", None, "hidden"),
        TextPart("x", provider_data=ExactJson.parse('{"or_llm":{"textSignature":"r"}}')),
        ToolCallPart("c", "n", ExactJson.parse('{"a":1e+21,"b":1.5}'), "g"),
    )
    assert message.provider_data == ExactJson.parse('{"or_llm":{"errorMessage":"e","timestamp":7}}')


def test_a_signature_of_another_protocol_is_no_signature() -> None:
    text = (
        '{"role":"assistant","protocol":"openai-completions","content":'
        '[{"type":"thinking","thinking":"t","thinkingSignature":"reasoning_content"}]}'
    )

    assert or_llm.loads_message(text).parts == (
        ReasoningPart(
            "t", provider_data=ExactJson.parse('{"or_llm":{"thinkingSignature":"reasoning_content"}}')
        ),
    )


def test_what_a_result_becomes() -> None:
    message = or_llm.loads_message(
        '{"role":"toolResult","toolCallId":"c","toolName":"n","isError":false,"content":[{"type":"text","text":"x"}]}'
    )

    assert message == Message(Role.TOOL, (ToolResultPart("c", (TextPart("x"),), False, "n"),))


def test_what_is_known_of_the_call_is_a_generation() -> None:
    request = or_llm.loads(
        """{"messages":[{"role":"assistant","stopReason":"stop","responseId":"r","responseModel":"m2",
        "providerRequestId":"q","usage":{"input":40,"output":2}},
        {"role":"user","content":[{"type":"text","text":"12345"}]}]}"""
    )

    record, none = request.generations
    assert none is None
    assert record is not None
    assert (record.stop_reason, record.response_id, record.model_answered, record.request_id) == (
        "stop",
        "r",
        "m2",
        "q",
    )
    assert request.estimate_tokens().tokens == 44


def test_the_spelling_of_a_schema_is_kept_and_of_arguments_is_not() -> None:
    schema = '{"b":1.50,"a":1e400,"<":"\\u003e"}'
    request = or_llm.loads('{"tools":[{"name":"n","parameters":' + schema + ',"strict":false}]}')

    assert request.tools == (
        Tool(
            "n",
            input_schema=ExactJson.parse('{"b":1.50,"a":1e400,"<":">"}'),
            provider_data=ExactJson.parse('{"or_llm":{"strict":false}}'),
        ),
    )
    assert '"parameters":{"b":1.50,"a":1e400,"\\u003c":"\\u003e"},"strict":false' in or_llm.dumps(request)


# ----------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Expecting value"),
        ("\ufeff{}", "byte order mark"),
        ("NaN", "not JSON"),
        ('{"systemPrompt":"\x01"}', "control character"),
        ("[" * 100_000, "nested deeper"),
        ("{} x", "after top-level value"),
        (b"\xff", "not UTF-8"),
        (None, "text or bytes"),
    ],
)
def test_what_is_no_json_is_refused(text: Any, reason: str) -> None:
    with pytest.raises(InvalidJsonError, match=reason):
        or_llm.loads(text)
    with pytest.raises(InvalidJsonError, match=reason):
        or_llm.loads_message(text)


def answer(members: str) -> str:
    return '{"messages":[{"role":"assistant",' + members + "}]}"


def block(members: str) -> str:
    return answer('"content":[{' + members + "}]")


@pytest.mark.parametrize(
    ("document", "place", "reason"),
    [
        ("[]", "context", "decode context: "),
        ('{"messages":{}}', "messages", "decode context: "),
        ('{"messages":[3],"tools":[{"name":3}]}', "tools[0].name", "decode context: "),
        ('{"messages":[3]}', "messages[0]", "decode message 0: decode message header: "),
        ('{"messages":[{"role":1}]}', "messages[0].role", "decode message 0: decode message header: "),
        (answer('"content":"x"'), "messages[0].content", "decode message 0: decode assistant message: "),
        (answer('"model":1'), "messages[0].model", "decode message 0: decode assistant message: "),
        (
            answer('"usage":{"input":1.0}'),
            "messages[0].usage.input",
            "decode message 0: decode assistant message: ",
        ),
        (
            answer('"usage":{"cost":{"total":1e400}}'),
            "messages[0].usage.cost.total",
            "decode message 0: decode assistant message: ",
        ),
        (
            answer('"diagnostics":[{"details":{"x":1e400}}]'),
            "messages[0].diagnostics[0].details",
            "decode message 0: decode assistant message: ",
        ),
        (answer('"content":[3]'), "messages[0].content[0]", "decode message 0: decode assistant content 0: "),
        (
            block('"type":"odd"'),
            "messages[0].content[0].type",
            'decode message 0: decode assistant content 0: unknown content type "odd"',
        ),
        (
            block('"type":"image"'),
            "messages[0].content[0].type",
            'decode message 0: decode assistant content 0: content type "image" is not allowed',
        ),
        (
            block('"type":"toolCall","arguments":[]'),
            "messages[0].content[0].arguments",
            "decode message 0: decode assistant content 0: decode tool call content: ",
        ),
    ],
)
def test_the_first_failure_is_named(document: str, place: str, reason: str) -> None:
    with pytest.raises(InvalidMessageError) as refused:
        or_llm.loads(document)

    assert refused.value.place == place
    assert refused.value.reason.startswith(reason)


def test_places_of_one_message_start_in_it() -> None:
    with pytest.raises(InvalidMessageError) as refused:
        or_llm.loads_message('{"role":"user","content":[null]}')
    assert (refused.value.place, refused.value.reason) == (
        "content[0]",
        "decode user content 0: content is null",
    )
    with pytest.raises(InvalidMessageError) as refused:
        or_llm.loads_message("null")
    assert (refused.value.place, refused.value.reason) == ("message", "message is null")


def test_many_calls_and_long_ids_are_read_and_written() -> None:
    calls = [
        {"type": "toolCall", "id": f"{'x' * 10_000}{number}", "name": "n", "arguments": {}}
        for number in range(2_000)
    ]
    text = json.dumps({"messages": [{"role": "assistant", "content": calls}]})

    written = json.loads(or_llm.dumps(or_llm.loads(text)))

    assert written["messages"][0]["content"] == calls


# ------------------------------------------------------------------------------------------- requests from elsewhere


def test_a_plain_conversation_is_written_without_loss() -> None:
    request = Request(
        "Be brief.",
        (Tool("add", "adds", ExactJson.parse('{"type":"object"}')),),
        (
            Message.user("2+2?"),
            Message.assistant(
                [ReasoningPart("hm", "s"), ToolCallPart("c1", "add", ExactJson.parse('{"b":2,"a":2.0}'))],
                provider="anthropic",
                api="messages",
                model="m",
            ),
            Message.tool_result("c1", "4", name="add", is_error=True),
            Message.assistant("Four.", outcome=Outcome.ABORTED),
        ),
        generations=(
            None,
            GenerationRecord(
                stop_reason="tool_use", usage=ExactJson.parse('{"input_tokens":3}'), response_id="r"
            ),
            None,
            None,
        ),
    )

    assert json.loads(or_llm.dumps(request)) == {
        "systemPrompt": "Be brief.",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "2+2?"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"},
                    {"type": "toolCall", "id": "c1", "name": "add", "arguments": {"a": 2, "b": 2}},
                ],
                "protocol": "anthropic-messages",
                "provider": "anthropic",
                "model": "m",
                "responseId": "r",
                "usage": {**USAGE, "input": 3},
                "stopReason": "toolUse",
                "timestamp": 0,
            },
            {
                "role": "toolResult",
                "toolCallId": "c1",
                "toolName": "add",
                "content": [{"type": "text", "text": "4"}],
                "isError": True,
            },
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "Four."}],
                "protocol": "",
                "provider": "",
                "model": "",
                "usage": USAGE,
                "stopReason": "aborted",
                "timestamp": 0,
            },
        ],
        "tools": [{"name": "add", "description": "adds", "parameters": {"type": "object"}}],
    }


def call(arguments: str) -> ToolCallPart:
    return ToolCallPart("c", "n", ExactJson.parse(arguments))


@pytest.mark.parametrize(
    ("arguments", "written", "changed"),
    [
        ('{"a":1.50,"b":-0,"c":1E5}', '{"a":1.5,"b":-0,"c":100000}', False),
        ('{"a":9007199254740993}', '{"a":9007199254740992}', True),
        ('{"a":[1e400]}', '{"a":[null]}', True),
        ('{"a":1e-999999999999999999999}', '{"a":0}', True),
        ('{"a":0e-999999999999999999999}', '{"a":0}', False),
        ('"{\\"cut\\":"', '{"value":"{\\"cut\\":"}', True),
        ("null", '{"value":null}', True),
    ],
)
def test_arguments_go_through_float64(arguments: str, written: str, changed: bool) -> None:
    converted = or_llm.convert_message(Message.assistant(call(arguments)))

    assert f'"arguments":{written}' in converted.text
    assert [(note.place, note.rule) for note in converted.notes] == (
        [("messages[0].parts[0].arguments", "X4")] if changed else []
    )


EMPTY = ExactJson.parse("{}")
LOSSES: list[tuple[Message, str, list[str]]] = [
    (Message.developer("x"), "X6", ["text"]),
    (Message.user(ImagePart(UrlSource("u"))), "X4", []),
    (Message.user(DocumentPart(Base64Source("a/b", "YQ=="), "n")), "X4", []),
    (Message.user(AudioPart(UrlSource("u"))), "X4", []),
    (Message.assistant(TextPart("x", signature="s")), "X5", ["text"]),
    (Message.assistant(TextPart("x", citations=ExactJson.parse("[]"))), "X5", ["text"]),
    (Message.assistant(TextPart("x", cache_marker=EMPTY)), "X5", ["text"]),
    (Message.assistant(ReasoningPart("x", "s"), provider="google"), "X5", ["thinking"]),
    (Message.assistant(RefusalPart("x")), "X4", ["text"]),
    (Message.user(CompactionPart("x")), "X4", ["text"]),
    (Message.user(CompactionPart(encrypted="x")), "X4", []),
    (Message.assistant(HostedCallPart("anthropic", "k", "c", "n", EMPTY)), "X4", []),
    (Message.assistant(HostedResultPart("anthropic", "k", "c", EMPTY)), "X4", []),
    (Message.assistant(OpaquePart("anthropic", "k", EMPTY)), "X4", []),
    (Message.user(ReasoningPart("x")), "X6", []),
    (Message.user(call("{}")), "X6", []),
    (Message(Role.USER, (TextPart("x"),), Provenance("p")), "X5", ["text"]),
    (
        Message(Role.USER, (TextPart("x"),), provider_data=ExactJson.parse('{"anthropic":{"y":1}}')),
        "X5",
        ["text"],
    ),
    (Message(Role.TOOL, (TextPart("x"),)), "X6", []),
    (Message.tool_result("c", ImagePart(UrlSource("u"))), "X4", []),
    (Message.tool_result("c", ToolResultPart("d")), "X4", []),
    (Message.tool_result("c", ReasoningPart("d")), "X6", []),
]


@pytest.mark.parametrize(("message", "rule", "left"), LOSSES)
def test_what_or_llm_cannot_hold_is_noted_and_refused_by_default(
    message: Message, rule: str, left: list[str]
) -> None:
    request = Request(messages=(message,))

    converted = or_llm.convert(request)

    assert [note.rule for note in converted.notes] == [rule]
    assert converted.notes[0].place.startswith("messages[0]")
    content = [block["type"] for one in json.loads(converted.text)["messages"] for block in one["content"]]
    assert content == left
    assert or_llm.dumps(request, losses=Losses.LEAVE_OUT) == converted.text
    with pytest.raises(UnreplayableError) as refused:
        or_llm.dumps(request)
    assert (refused.value.place, refused.value.rule) == (converted.notes[0].place, rule)


def test_a_tool_that_a_provider_defines_is_left_out() -> None:
    converted = or_llm.convert(Request(tools=(Tool("s", provider="anthropic", definition=EMPTY),)))

    assert json.loads(converted.text) == {"messages": []}
    assert [(note.place, note.rule) for note in converted.notes] == [("tools[0]", "X4")]


def test_a_message_that_is_several_of_or_llm_cannot_be_one() -> None:
    results: list[Part] = [ToolResultPart("a"), ToolResultPart("b")]

    with pytest.raises(InvalidMessageError, match="2 messages"):
        or_llm.dumps_message(Message(Role.TOOL, tuple(results)))
    assert [
        one["toolCallId"]
        for one in json.loads(or_llm.dumps(Request(messages=(Message.user(results),))))["messages"]
    ] == [
        "a",
        "b",
    ]


def test_data_that_or_llm_never_wrote_is_refused() -> None:
    message = Message.assistant(
        TextPart("x", provider_data=ExactJson.parse('{"or_llm":{"textSignature":3}}'))
    )

    with pytest.raises(InvalidMessageError) as refused:
        or_llm.dumps_message(message)

    assert refused.value.place == "messages[0].parts[0].provider_data.or_llm.textSignature"


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(InvalidArgumentError):
        or_llm.dumps(Message.user("x"))  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError):
        or_llm.dumps_message(Request())  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------- the other shape


def test_from_or_llm_to_sigma_all_of_the_usage_is_kept() -> None:
    request = or_llm.loads(
        answer(
            '"provider":"p","protocol":"openai-responses","model":"m","stopReason":"length","timestamp":7,'
            '"usage":{"input":1,"output":2,"totalTokens":3,"cost":{"total":0.50}},'
            '"content":[{"type":"text","text":"x"},{"type":"text"}]'
        )
    )

    converted = sigma.convert(request)

    (message,) = json.loads(converted.text)["messages"]
    assert message["stopReason"] == "max-tokens"
    assert message["usage"] == {
        "inputTokens": 1,
        "outputTokens": 2,
        "totalTokens": 3,
        "raw": {**USAGE, "input": 1, "output": 2, "totalTokens": 3, "cost": {**COST, "total": 0.5}},
    }
    assert [(note.place, note.rule) for note in converted.notes] == [
        ("messages[0]", "X5"),  # the timestamp
        ("messages[0].parts[1]", "X4"),  # the empty text
    ]
    assert "timestamp" in converted.notes[0].reason


def test_from_sigma_to_or_llm_each_loss_is_listed() -> None:
    request = sigma.loads(
        """{"messages":[{"role":"developer","content":[{"type":"text","text":"d"}]},
        {"role":"assistant","provider":"p","stopReason":"stop-sequence","providerThinkingLevel":"low",
        "usage":{"inputTokens":5,"thinkingTokens":2},"content":[
        {"type":"text","text":"x","providerMetadata":{"phase":"c"}},
        {"type":"tool-call","toolCallID":"c","toolName":"n","toolArguments":{"a":9007199254740993}}]},
        {"role":"tool","toolCallID":"c","addedToolNames":["n"],"content":[
        {"type":"document","mimeType":"a/b","filename":"f","documentSource":"url","url":"u"}]}]}"""
    )

    converted = or_llm.convert(request)

    assert [(note.place, note.rule) for note in converted.notes] == [
        ("messages[0]", "X6"),
        ("messages[1]", "X5"),  # the thinking level
        ("messages[1]", "X5"),  # the thinking tokens
        ("messages[1]", "X5"),  # the stop reason
        ("messages[1].parts[0]", "X5"),
        ("messages[1].parts[1].arguments", "X4"),
        ("messages[2]", "X5"),
        ("messages[2].parts[0].content[0]", "X4"),
    ]
    assert or_llm.loads(converted.text).messages[1].text == "x"
