"""Parts that did not come from Chat Completions, as its content; the rest is tested with the reading of content."""

from __future__ import annotations

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import Base64Source, FileSource, InlineTextSource, UrlSource
from convotree.domain.parts import AudioPart, DocumentPart, ImagePart, OpaquePart, Part, TextPart
from convotree.errors import UnreplayableError
from convotree.replay import Request
from convotree.replay.notebook import Notebook
from convotree.replay.openai_chat.content import ContentWriter
from convotree.replay.policy import RenderPolicy, Unsupported

ALLOWED = frozenset({TextPart, ImagePart, DocumentPart, AudioPart, OpaquePart})


def written(*parts: Part, policy: RenderPolicy | None = None) -> tuple[Any, list[str]]:
    notebook = Notebook("openai-chat", ())
    writer = ContentWriter(policy or RenderPolicy(), notebook)
    pieces = writer.pieces(
        parts, [(0, number) for number in range(len(parts))], allowed=ALLOWED, holder="a test"
    )
    writer.note_markers()
    return pieces.content(), [note.rule for note in notebook.notes()]


@pytest.mark.parametrize(
    "part",
    [
        ImagePart(FileSource("anthropic", "f")),
        DocumentPart(UrlSource("https://x/y.pdf")),
        DocumentPart(FileSource("anthropic", "f")),
        AudioPart(Base64Source("audio/opus", "QQ==")),
        AudioPart(UrlSource("https://x/y.wav")),
        OpaquePart("openai-chat", "odd", ExactJson("[]")),
    ],
)
def test_what_has_no_form_is_left_out_or_refused(part: Part) -> None:
    assert written(part) == ([], ["X4"])
    with pytest.raises(UnreplayableError):
        written(part, policy=RenderPolicy(unsupported=Unsupported.REFUSE))


@pytest.mark.parametrize(
    ("part", "piece"),
    [
        (
            ImagePart(Base64Source("image/png", "QQ==")),
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ=="}},
        ),
        (
            DocumentPart(Base64Source("application/pdf", "QQ==")),
            {
                "type": "file",
                "file": {"filename": "document.pdf", "file_data": "data:application/pdf;base64,QQ=="},
            },
        ),
        (DocumentPart(FileSource("openai", "f")), {"type": "file", "file": {"file_id": "f"}}),
        (
            AudioPart(Base64Source("audio/mpeg", "QQ==")),
            {"type": "input_audio", "input_audio": {"data": "QQ==", "format": "mp3"}},
        ),
    ],
)
def test_media(part: Part, piece: dict[str, Any]) -> None:
    assert written(part) == ([piece], [])


def test_a_plain_text_document_is_text() -> None:
    assert written(DocumentPart(InlineTextSource("a"), "t")) == ("t\n\na", ["X5"])


def test_one_text_is_a_bare_string_and_several_are_not() -> None:
    assert written(TextPart("a")) == ("a", [])
    assert written(TextPart("a"), TextPart("b"))[0] == [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ]


def test_citations_are_left_out_and_said_where_there_are_any() -> None:
    assert written(TextPart("a", citations=ExactJson("[1]"))) == ("a", ["X5"])
    assert written(TextPart("a", citations=ExactJson("null"))) == ("a", [])


def test_cache_markers_are_said_once() -> None:
    marker = ExactJson('{"type":"ephemeral"}')
    assert written(TextPart("a", cache_marker=marker), TextPart("b", cache_marker=marker))[1] == ["X5"]


@pytest.mark.parametrize(
    "file",
    [
        {"file_id": "f", "filename": "n"},
        {"file_data": "zz", "Y": 1},
        {"file_id": "q", "file_data": "data:application/pdf;base64,aGk="},
        {"file_data": "data:application/pdf;base64,aGk=", "filename": "n", "Y": 1},
    ],
)
def test_members_beside_a_file_go_back(file: dict[str, Any]) -> None:
    body = {"messages": [{"role": "user", "content": [{"type": "file", "file": file, "X": 1}]}]}
    made = Request.from_provider("openai-chat", body).render("openai-chat", model="gpt-4o")
    assert made.body["messages"] == body["messages"]
    assert made.notes == ()
