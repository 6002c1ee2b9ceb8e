"""sigma's request shape: the shared cases, round trips to the letter, and requests from elsewhere."""

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
from convotree.domain.media import Base64Source, FileSource, InlineTextSource, UrlSource
from convotree.domain.outcome import Outcome
from convotree.domain.parts import (
    AudioPart,
    CompactionPart,
    DocumentPart,
    HostedCallPart,
    HostedResultPart,
    ImagePart,
    OpaquePart,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.interchange import or_llm, sigma
from convotree.interchange.sigma import Losses
from tests.interchange.shape_documents import input_of, shared_cases, sigma_documents

CASES = shared_cases("sigma")
PNG = "iVBORw0KGgo="


def test_the_cases_are_there(cases: Path) -> None:
    assert len(list((cases / "request-shapes").glob("sigma_*.json"))) == len(CASES) == 30


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_shared_case(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    text = input_of(case)
    if case["expect"] == "error":
        with pytest.raises(InvalidRequestError) as refused:
            sigma.loads(text)
        assert case["error_contains"] in refused.value.reason  # type: ignore[attr-defined]
        return

    request = sigma.loads(text)
    written = sigma.dumps(request)

    assert sigma.loads(written) == request
    assert sigma.dumps(sigma.loads(written)) == written
    if "round_trip" in case:
        assert json.loads(written) == case["round_trip"]
    if "round_trip_raw" in case:
        assert written == case["round_trip_raw"]


PLACES = {
    "sigma_05_unknown_message_field_parent_id": "messages[0]",
    "sigma_06_unknown_usage_field": "messages[0].usage",
    "sigma_12_content_must_be_array": "messages[0].content",
    "sigma_15_tool_result_before_its_call": "messages[0]",
    "sigma_17_duplicate_tool_call_id_two_siblings_flattened": "messages[3].content[0]",
    "sigma_41_unknown_block_type": "messages[0].content[0]",
    "sigma_45_trailing_json_value": "request",
}


@pytest.mark.parametrize("path", [path for path in CASES if path.stem in PLACES], ids=lambda path: path.stem)
def test_the_place_of_an_error(path: Path) -> None:
    with pytest.raises(InvalidRequestError) as refused:
        sigma.loads(input_of(json.loads(path.read_text(encoding="utf-8"))))

    assert refused.value.place == PLACES[path.stem]  # type: ignore[attr-defined]


@given(sigma_documents())
@settings(max_examples=150)
def test_what_is_read_is_written_again(text: str) -> None:
    request = sigma.loads(text)

    converted = sigma.convert(request)

    assert converted.notes == ()
    assert sigma.loads(converted.text) == request
    assert sigma.dumps(sigma.loads(converted.text)) == converted.text
    assert Request.from_json(request.to_json()) == request


@given(sigma_documents())
@settings(max_examples=60)
def test_any_request_of_sigma_goes_into_or_llm_and_back(text: str) -> None:
    converted = or_llm.convert(sigma.loads(text))

    assert or_llm.loads(or_llm.dumps(or_llm.loads(converted.text))) == or_llm.loads(converted.text)


def test_bytes_are_read_as_text() -> None:
    text = '{"messages":[{"role":"user","content":[{"type":"text","text":"é"}]}]}'

    assert sigma.loads(text.encode()) == sigma.loads(bytearray(text.encode())) == sigma.loads(text)
    assert sigma.loads(text).messages == (Message(Role.USER, (TextPart("é"),)),)


def test_null_is_the_empty_request() -> None:
    assert sigma.dumps(sigma.loads("null")) == sigma.dumps(Request()) == "{}"


# -------------------------------------------------------------------------------------------------- what it becomes


def one(text: str) -> Message:
    (message,) = sigma.loads('{"messages":[' + text + "]}").messages
    return message


def test_what_an_answer_becomes() -> None:
    message = one(
        """{"role":"assistant","provider":"anthropic","api":"anthropic-messages","model":"m","stopReason":"aborted",
        "usage":{"inputTokens":2,"raw":{"b":1.50,"a":null}},"providerThinkingLevel":"high","content":[
        {"type":"thinking","thinking":"t","signature":"s"},
        {"type":"thinking","redacted":true,"signature":"hidden"},
        {"type":"text","text":"x","providerSignature":"g","signature":"s","zone":{"b":[],"a":1e400}},
        {"type":"tool-call","toolCallID":"c","toolName":"n","toolArguments":{"b":2,"a":-0}}]}"""
    )

    assert message.outcome is Outcome.ABORTED
    assert message.provenance == Provenance("anthropic", "anthropic-messages", "m")
    thinking, redacted, text, call = message.parts
    assert thinking == ReasoningPart("t", "s")
    assert isinstance(redacted, ReasoningPart)
    assert (redacted.signature, redacted.encrypted) == (None, "hidden")
    assert isinstance(text, TextPart)
    assert (text.text, text.signature) == ("x", "g")
    assert text.provider_data == ExactJson.parse('{"sigma":{"signature":"s","zone":{"a":1e400,"b":[]}}}')
    assert call == ToolCallPart("c", "n", ExactJson.parse('{"a":-0,"b":2}'))
    # The outcome says why it stopped.
    assert message.provider_data == ExactJson.parse(
        '{"sigma":{"providerThinkingLevel":"high","usage":{"inputTokens":2,"raw":{"a":null,"b":1.50}}}}'
    )


def test_what_media_become() -> None:
    message = one(
        """{"role":"user","content":[
        {"type":"image","mimeType":"image/png","imageSource":"url","url":"u"},
        {"type":"document","mimeType":"a/b","filename":"f","documentSource":"file_id","fileID":"i"},
        {"type":"document","mimeType":"a/b","filename":"f","documentSource":"base64","data":"YQ=="}]}"""
    )

    assert message.parts == (
        ImagePart(UrlSource("u", "image/png")),
        DocumentPart(FileSource("sigma", "i", "a/b"), "f"),
        DocumentPart(Base64Source("a/b", "YQ=="), "f"),
    )


def test_absent_arguments_are_an_empty_object_and_stay_absent() -> None:
    text = '{"role":"assistant","content":[{"type":"tool-call","toolCallID":"c","toolName":"n"}]}'
    message = one(text)

    assert message.tool_calls[0].arguments.text == "{}"
    assert sigma.dumps(Request(messages=(message,))) == '{"messages":[' + text + "]}"


def test_usage_and_stop_reason_are_generations() -> None:
    request = sigma.loads(
        """{"messages":[{"role":"user"},{"role":"assistant","stopReason":"end-turn","usage":{"inputTokens":40,
        "outputTokens":2}},{"role":"user","content":[{"type":"text","text":"12345"}]}]}"""
    )

    none, record, _ = request.generations
    assert none is None
    assert record == GenerationRecord(
        stop_reason="end-turn", usage=ExactJson.parse('{"inputTokens":40,"outputTokens":2}')
    )
    assert request.estimate_tokens().tokens == 44


def test_a_tool_that_its_provider_defines_goes_to_no_provider_of_the_library() -> None:
    text = '{"tools":[{"name":"s","providerDefinedType":"web_search","providerDefinedOptions":{"n":1.0}}]}'
    request = sigma.loads(text)

    assert request.tools == (
        Tool(
            "s",
            provider="sigma",
            definition=ExactJson.parse(
                '{"providerDefinedType":"web_search","providerDefinedOptions":{"n":1.0}}'
            ),
        ),
    )
    assert sigma.dumps(request) == text


# ------------------------------------------------------------------------------------------------------ spelling


def test_markup_and_line_separators_are_escaped_in_the_output() -> None:
    text = sigma.dumps(Request(system='<a href="é">&\u2028\u2029\x00\x1f\x7f'))

    assert text == ('{"systemPrompt":"\\u003ca href=\\"é\\"\\u003e\\u0026\\u2028\\u2029\\u0000\\u001f\x7f"}')


def test_half_a_character_becomes_the_replacement_character() -> None:
    request = sigma.loads('{"systemPrompt":"a\\ud800b\\udc00\\ud83d\\ude00\\\\ud800"}')

    assert request.system == "a\ufffdb\ufffd😀\\ud800"
    converted = sigma.convert(Request(system="\ud800"))
    assert converted.text == '{"systemPrompt":"\\ufffd"}'
    assert [note.rule for note in converted.notes] == ["X2"]


def test_keys_are_matched_in_any_case_and_the_last_one_counts() -> None:
    text = '{"MESSAGES":[{"Role":"user","role":"tool","ROLE":"user","content":[{"TYPE":"text","Text":"x"}]}]}'

    assert (
        sigma.dumps(sigma.loads(text))
        == '{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}'
    )


def test_values_of_enumerations_are_not() -> None:
    with pytest.raises(InvalidMessageError, match='unsupported role "User"'):
        sigma.loads('{"messages":[{"role":"User"}]}')


# ----------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Expecting value"),
        ("\ufeff{}", "byte order mark"),
        ("NaN", "not JSON"),
        ('{"systemPrompt":"\x01"}', "control character"),
        ("[" * 100_000, "nested deeper"),
        ('{"tools":[{"inputSchema":' + "[" * 300 + "]" * 300 + "}]}", "nested deeper"),
        ("{} x", "trailing JSON value"),
        (b"\xff", "not UTF-8"),
        (3, "text or bytes"),
    ],
)
def test_what_is_no_json_is_refused(text: Any, reason: str) -> None:
    with pytest.raises(InvalidJsonError, match=reason) as refused:
        sigma.loads(text)

    assert refused.value.place == "request"
    assert refused.value.reason.startswith("decode request: ")


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ("[]", "request"),
        ('"x"', "request"),
        ('{"messages":{}}', "messages"),
        ('{"messages":[3]}', "messages[0]"),
        ('{"messages":[{"role":1}]}', "messages[0].role"),
        ('{"messages":[{"role":"tool","isError":0}]}', "messages[0].isError"),
        ('{"messages":[{"content":[{"type":"text","text":[]}]}]}', "messages[0].content[0].text"),
        ('{"messages":[{"content":[{"providerMetadata":[]}]}]}', "messages[0].content[0].providerMetadata"),
        ('{"messages":[{"addedToolNames":["a",1]}]}', "messages[0].addedToolNames[1]"),
        ('{"messages":[{"usage":{"inputTokens":1.0}}]}', "messages[0].usage.inputTokens"),
        ('{"messages":[{"usage":{"inputTokens":1e3}}]}', "messages[0].usage.inputTokens"),
        ('{"messages":[{"usage":{"inputTokens":9223372036854775808}}]}', "messages[0].usage.inputTokens"),
        ('{"messages":[{"usage":{"inputTokens":' + "9" * 100_000 + "}}]}", "messages[0].usage.inputTokens"),
        ('{"tools":[{"openAIGrammar":{"syntax":"s","other":1}}]}', "tools[0].openAIGrammar"),
        ('{"tools":[{"name":"a","strict":true}]}', "tools[0]"),
        ('{"model":"m"}', "request"),
    ],
)
def test_the_first_value_of_a_wrong_form_is_named(document: str, place: str) -> None:
    with pytest.raises(InvalidMessageError) as refused:
        sigma.loads(document)

    assert refused.value.place == place
    assert refused.value.reason.startswith("decode request: ")
    assert len(refused.value.reason) < 300


def test_the_first_failure_in_the_text_is_the_one_that_is_named() -> None:
    with pytest.raises(InvalidMessageError) as refused:
        sigma.loads('{"messages":[{"odd":1},{"role":2}],"tools":3} trailing')

    assert refused.value.place == "messages[0]"


def test_many_calls_and_long_ids_are_read_and_written() -> None:
    calls = [
        {"type": "tool-call", "toolCallID": f"{'x' * 10_000}{number}", "toolName": "n"}
        for number in range(2_000)
    ]
    text = json.dumps({"messages": [{"role": "assistant", "content": calls}]}, separators=(",", ":"))

    assert sigma.dumps(sigma.loads(text)) == text


def test_a_long_id_makes_no_long_error() -> None:
    with pytest.raises(InvalidMessageError) as refused:
        sigma.loads(json.dumps({"messages": [{"role": "tool", "toolCallID": "x" * 10_000}]}))

    assert len(str(refused.value)) < 400


# ------------------------------------------------------------------------------------------- requests from elsewhere


def notes_of(request: Request) -> list[tuple[str, str]]:
    return [(note.place, note.rule) for note in sigma.convert(request).notes]


def test_a_plain_conversation_is_written_without_loss() -> None:
    request = Request(
        "Be brief.",
        (Tool("add", "adds", ExactJson.parse('{"type":"object"}')),),
        (
            Message.user("2+2?"),
            Message.assistant(
                [TextPart("I add."), ToolCallPart("c1", "add", ExactJson.parse('{"b":2,"a":2.0}'))],
                provider="openai",
                api="chat",
                model="m",
            ),
            Message.tool_result("c1", "4", name="add", is_error=True),
            Message.developer("In French."),
            Message.assistant("Quatre.", outcome=Outcome.ABORTED),
        ),
    )

    assert json.loads(sigma.dumps(request)) == {
        "systemPrompt": "Be brief.",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "2+2?"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "I add."},
                    {
                        "type": "tool-call",
                        "toolCallID": "c1",
                        "toolName": "add",
                        "toolArguments": {"a": 2.0, "b": 2},
                    },
                ],
                "provider": "openai",
                "api": "openai-completions",
                "model": "m",
            },
            {
                "role": "tool",
                "content": [{"type": "text", "text": "4"}],
                "toolCallID": "c1",
                "toolName": "add",
                "isError": True,
            },
            {"role": "developer", "content": [{"type": "text", "text": "In French."}]},
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "Quatre."}],
                "stopReason": "aborted",
            },
        ],
        "tools": [{"name": "add", "description": "adds", "inputSchema": {"type": "object"}}],
    }


def test_what_a_record_of_the_call_says_is_written() -> None:
    record = GenerationRecord(
        stop_reason="end_turn", usage=ExactJson.parse('{"output_tokens":2,"input_tokens":3,"tier":"std"}')
    )
    request = Request(messages=(Message.assistant("x"),), generations=(record,))

    (message,) = json.loads(sigma.dumps(request))["messages"]

    assert message["stopReason"] == "end-turn"
    assert message["usage"] == {
        "inputTokens": 3,
        "outputTokens": 2,
        "raw": {"output_tokens": 2, "input_tokens": 3, "tier": "std"},
    }


@pytest.mark.parametrize(
    ("stop", "outcome", "written"),
    [
        ("tool_use", Outcome.COMPLETE, "unknown"),
        ("error", Outcome.COMPLETE, "unknown"),
        ("end_turn", Outcome.FAILED, "error"),
        ("made up", Outcome.COMPLETE, "unknown"),
    ],
)
def test_a_stop_reason_that_would_not_be_valid_or_true(stop: str, outcome: Outcome, written: str) -> None:
    request = Request(
        messages=(Message.assistant("x", outcome=outcome),), generations=(GenerationRecord(stop_reason=stop),)
    )

    (message,) = json.loads(sigma.convert(request).text)["messages"]

    assert message["stopReason"] == written


def test_results_beside_other_content_become_messages_of_their_own() -> None:
    calls = [ToolCallPart(name, "n", ExactJson.parse("{}")) for name in ("a", "b")]
    answers = [ToolResultPart(name, (TextPart(name),)) for name in ("b", "a")]
    request = Request(
        messages=(
            Message.assistant(calls),
            Message(Role.USER, (answers[0], TextPart("and"), answers[1], TextPart("so"))),
        )
    )

    written = json.loads(sigma.dumps(request))["messages"]

    assert [(one["role"], one.get("toolCallID")) for one in written] == [
        ("assistant", None),
        ("tool", "b"),
        ("user", None),
        ("tool", "a"),
        ("user", None),
    ]


MARK = ExactJson.parse('{"type":"ephemeral"}')
DATA = ExactJson.parse('{"anthropic":{"x":1}}')
LOSSES: list[tuple[Message, list[tuple[str, str]], list[str]]] = [
    # a message, the notes, the types of what is left
    (Message.user(TextPart("x", cache_marker=MARK)), [("messages[0].parts[0]", "X5")], ["text"]),
    (Message.user(TextPart("x", provider_data=DATA)), [("messages[0].parts[0]", "X5")], ["text"]),
    (
        Message.assistant(TextPart("x", citations=ExactJson.parse("[]"))),
        [("messages[0].parts[0]", "X5")],
        ["text"],
    ),
    (Message.user([TextPart("x"), TextPart("")]), [("messages[0].parts[1]", "X4")], ["text"]),
    (Message.assistant([TextPart("x"), ReasoningPart("")]), [("messages[0].parts[1]", "X4")], ["text"]),
    (Message.assistant(RefusalPart("no")), [("messages[0].parts[0]", "X4")], ["text"]),
    (Message.user(CompactionPart("sum")), [("messages[0].parts[0]", "X4")], ["text"]),
    (Message.assistant(CompactionPart(encrypted="e")), [("messages[0].parts[0]", "X4")], []),
    (Message.user(AudioPart(Base64Source("audio/wav", "YQ=="))), [("messages[0].parts[0]", "X4")], []),
    (Message.user(ImagePart(UrlSource("u"))), [("messages[0].parts[0]", "X4")], ["image"]),
    (Message.user(ImagePart(FileSource("anthropic", "f"))), [("messages[0].parts[0]", "X4")], []),
    (Message.user(ImagePart(Base64Source("image/png", "YQ"))), [("messages[0].parts[0]", "X4")], []),
    (Message.user(ImagePart(Base64Source("image/png", ""))), [("messages[0].parts[0]", "X4")], []),
    (
        Message.user(DocumentPart(FileSource("anthropic", "f", "a/b"), "n")),
        [("messages[0].parts[0]", "X5")],
        ["document"],
    ),
    (Message.user(DocumentPart(InlineTextSource("hi"))), [("messages[0].parts[0]", "X4")], ["document"]),
    (Message.user(DocumentPart(InlineTextSource("hi"), "n")), [], ["document"]),
    (Message.user(ReasoningPart("x")), [("messages[0].parts[0]", "X6")], []),
    (Message.developer(ImagePart(Base64Source("image/png", PNG))), [("messages[0].parts[0]", "X6")], []),
    (Message.assistant(ToolResultPart("c")), [("messages[0].parts[0]", "X6")], []),
    (Message(Role.TOOL, (TextPart("x"),)), [("messages[0].parts[0]", "X6")], []),
    (
        Message.assistant(OpaquePart("anthropic", "odd", ExactJson.parse("{}"))),
        [("messages[0].parts[0]", "X4")],
        [],
    ),
    (
        Message.assistant(HostedCallPart("openai", "search", "c", "n", ExactJson.parse("{}"))),
        [("messages[0].parts[0]", "X4")],
        [],
    ),
    (Message.assistant("x", model="m"), [("messages[0]", "X5")], ["text"]),
    (Message(Role.USER, (TextPart("x"),), provider_data=DATA), [("messages[0]", "X5")], ["text"]),
]


@pytest.mark.parametrize(("message", "notes", "left"), LOSSES)
def test_what_sigma_cannot_hold_is_noted_and_refused_by_default(
    message: Message, notes: list[tuple[str, str]], left: list[str]
) -> None:
    request = Request(messages=(message,), revision_ids=("r1",))

    converted = sigma.convert(request)

    assert [(note.place, note.rule) for note in converted.notes] == notes
    assert all(note.revision_id == "r1" for note in converted.notes)
    content = [
        block["type"] for one in json.loads(converted.text).get("messages", ()) for block in one["content"]
    ]
    assert content == left
    assert sigma.dumps(request, losses=Losses.LEAVE_OUT) == converted.text
    assert sigma.loads(converted.text) == sigma.loads(sigma.dumps(sigma.loads(converted.text)))
    if notes:
        with pytest.raises(UnreplayableError) as refused:
            sigma.dumps(request)
        assert (refused.value.place, refused.value.rule) == notes[0]
    else:
        assert sigma.dumps(request) == converted.text


def test_what_is_inside_a_result_is_noted_by_its_place() -> None:
    call = Message.assistant(ToolCallPart("c", "n", ExactJson.parse("{}")))
    result = Message.tool_result("c", [TextPart("x"), AudioPart(UrlSource("u")), ReasoningPart("r")])

    assert notes_of(Request(messages=(call, result))) == [
        ("messages[1].parts[0].content[1]", "X4"),
        ("messages[1].parts[0].content[2]", "X6"),
    ]


def test_a_system_prompt_in_parts_is_one_text() -> None:
    converted = sigma.convert(
        Request((TextPart("a"), TextPart("b", cache_marker=MARK), AudioPart(UrlSource("u"))))
    )

    assert json.loads(converted.text) == {"systemPrompt": "a\n\nb"}
    assert [(note.place, note.rule) for note in converted.notes] == [
        ("system", "X4"),
        ("system[1]", "X5"),
        ("system[2]", "X4"),
    ]


def test_a_tool_of_a_provider_keeps_its_type_and_options() -> None:
    definition = ExactJson.parse('{"type":"web_search_1","name":"web_search","max_uses":3}')
    converted = sigma.convert(
        Request(tools=(Tool("web_search", provider="anthropic", definition=definition),))
    )

    assert json.loads(converted.text)["tools"] == [
        {
            "name": "web_search",
            "providerDefinedType": "web_search_1",
            "providerDefinedOptions": {"max_uses": 3},
        }
    ]
    assert [(note.place, note.rule) for note in converted.notes] == [("tools[0]", "X5")]


def test_what_is_written_is_validated_first() -> None:
    call = Message.assistant(ToolCallPart("same", "n", ExactJson.parse("{}")))

    with pytest.raises(InvalidMessageError, match="duplicate tool call id"):
        sigma.dumps(Request(messages=(call, call)))
    with pytest.raises(InvalidMessageError, match="no preceding assistant tool call"):
        sigma.convert(Request(messages=(Message.tool_result("c", "x"),)))


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ('{"sigma":3}', "messages[0].parts[0].provider_data.sigma"),
        ('{"sigma":{"signature":3}}', "messages[0].parts[0].provider_data.sigma.signature"),
    ],
)
def test_data_that_sigma_never_wrote_is_refused(data: str, place: str) -> None:
    message = Message.assistant(TextPart("x", provider_data=ExactJson.parse(data)))

    with pytest.raises(InvalidMessageError) as refused:
        sigma.dumps(Request(messages=(message,)))

    assert refused.value.place == place


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(InvalidArgumentError):
        sigma.dumps({})  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError):
        sigma.dumps(Request(), losses="refuse")  # type: ignore[arg-type]


def test_hosted_calls_of_anthropic_go_into_sigma_and_come_back() -> None:
    parts = (
        HostedCallPart("anthropic", "server_tool_use", "h", "web_search", ExactJson.parse('{"q":1.0}'), DATA),
        HostedResultPart("anthropic", "web_search_tool_result", "h", ExactJson.parse('[{"a":1e400}]')),
        TextPart("Found."),
    )
    message = Message.assistant(parts, provider="anthropic", api="messages", model="m")

    back = sigma.loads(sigma.dumps(Request(messages=(message,))))

    assert back.messages[0].parts == parts
