"""Contents of ChatGPT messages: each known kind as parts, and everything else whole."""

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import FileSource
from convotree.domain.parts import AudioPart, ImagePart, OpaquePart, Part, ReasoningPart, TextPart
from convotree.interchange.chatgpt_content import ChatGptContent, read_content
from convotree.interchange.json_span import scan_json
from convotree.interchange.problems import Problems
from tests.interchange.forms import text_of


def read(content: Any) -> ChatGptContent:
    text = content if isinstance(content, str) else text_of(content)
    return read_content(scan_json(text), place="content", problems=Problems("f"))


def kept(**members: Any) -> ExactJson:
    return ExactJson.of({"chatgpt": members})


@pytest.mark.parametrize(
    ("content", "parts", "rest"),
    [
        (
            {"content_type": "text", "parts": ["a", "", "b\x00"], "extra": 1},
            (TextPart("a"), TextPart(""), TextPart("b\x00")),
            {"content_type": "text", "extra": 1},
        ),
        (
            {"content_type": "code", "language": "python", "response_format_name": None, "text": "1+1"},
            (TextPart("1+1"),),
            {"content_type": "code", "language": "python", "response_format_name": None},
        ),
        ({"content_type": "execution_output", "text": "2"}, (TextPart("2"),), {"content_type": "execution_output"}),
        (
            {"content_type": "reasoning_recap", "content": "Thought for 5s"},
            (ReasoningPart("Thought for 5s"),),
            {"content_type": "reasoning_recap"},
        ),
        (
            {
                "content_type": "thoughts",
                "thoughts": [
                    {"summary": "S", "content": "C", "chunks": [], "finished": True},
                    {"summary": "only a summary", "content": ""},
                    {"summary": "", "content": ""},
                    "as text",
                ],
                "source_analysis_msg_id": "m",
            },
            (
                ReasoningPart("C", provider_data=kept(summary="S", chunks=[], finished=True)),
                ReasoningPart("only a summary", provider_data=kept(content="")),
                ReasoningPart("", provider_data=kept(summary="", content="")),
                ReasoningPart("as text"),
            ),
            {"content_type": "thoughts", "source_analysis_msg_id": "m"},
        ),
        (
            {"content_type": "thoughts", "parts": ["captured"]},
            (ReasoningPart("captured"),),
            {"content_type": "thoughts"},
        ),
        ({"content_type": "thoughts", "thoughts": []}, (ReasoningPart(),), {"content_type": "thoughts"}),
        (
            {
                "content_type": "multimodal_text",
                "parts": [
                    {"content_type": "image_asset_pointer", "asset_pointer": "sediment://f", "width": 10},
                    {"content_type": "audio_asset_pointer", "asset_pointer": "file-service://a", "format": "wav"},
                    {"content_type": "audio_transcription", "text": "said", "direction": "in"},
                    {"content_type": "hologram", "$depth": 3},
                    None,
                    "what is this?",
                ],
            },
            (
                ImagePart(
                    FileSource("chatgpt", "sediment://f"),
                    provider_data=kept(content_type="image_asset_pointer", width=10),
                ),
                AudioPart(
                    FileSource("chatgpt", "file-service://a"),
                    provider_data=kept(content_type="audio_asset_pointer", format="wav"),
                ),
                TextPart("said", provider_data=kept(content_type="audio_transcription", direction="in")),
                OpaquePart("chatgpt", "hologram", ExactJson('{"content_type":"hologram","$depth":3}')),
                OpaquePart("chatgpt", "null", ExactJson("null")),
                TextPart("what is this?"),
            ),
            {"content_type": "multimodal_text"},
        ),
    ],
)  # fmt: skip
def test_known_contents(content: Any, parts: tuple[Part, ...], rest: dict[str, Any]) -> None:
    found = read(content)

    assert found.kind == content["content_type"]
    assert found.parts == parts
    assert ExactJson.of(found.rest) == ExactJson.of(rest)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"content_type":"tether_quote","url":"u","text":"t","n":1.10}', "tether_quote"),
        ('{"content_type":"tether_browsing_display","result":"r"}', "tether_browsing_display"),
        ('{"content_type":"system_error","name":"E","text":"t"}', "system_error"),
        ('{"content_type":"computer_output","n":1e400,"$a.b":-0}', "computer_output"),
        ('{"content_type":"text","parts":"no array"}', "text"),
        ('{"content_type":"code","text":null}', "code"),
        ('{"content_type":"reasoning_recap"}', "reasoning_recap"),
        ('{"content_type":"thoughts","thoughts":{"a":1}}', "thoughts"),
        ('{"parts":["no type"]}', "unknown"),
        ('{"content_type":7}', "unknown"),
        ('"a string"', "string"),
        ("[1.10]", "array"),
    ],
)
def test_what_is_not_understood_is_one_part_that_holds_it_whole(text: str, kind: str) -> None:
    found = read(text)

    assert (found.kind, found.parts, found.rest) == (
        kind,
        (OpaquePart("chatgpt", kind, ExactJson(text)),),
        {},
    )


@pytest.mark.parametrize(
    ("content", "empty", "only_text", "reasoning"),
    [
        ("null", True, None, False),
        ({"content_type": "text", "parts": []}, True, None, False),
        ({"content_type": "text", "parts": [""]}, True, "", False),
        ({"content_type": "text", "parts": ["a"]}, False, "a", False),
        ({"content_type": "text", "parts": ["a", "b"]}, False, None, False),
        ({"content_type": "thoughts", "thoughts": []}, False, None, True),
        ({"content_type": "odd"}, False, None, False),
    ],
)
def test_what_a_content_says_of_itself(
    content: Any, empty: bool, only_text: str | None, reasoning: bool
) -> None:
    found = read(content)

    assert (found.is_empty, found.only_text, found.is_reasoning) == (empty, only_text, reasoning)


def test_no_content() -> None:
    assert read_content(None, place="content", problems=Problems("f")).parts == ()
