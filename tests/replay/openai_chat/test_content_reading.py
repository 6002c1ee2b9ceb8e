"""Every content part becomes its part and comes back the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from convotree.domain.media import Base64Source, FileSource, OpaqueSource, UrlSource
from convotree.domain.parts import (
    AudioPart,
    DocumentPart,
    ImagePart,
    OpaquePart,
    Part,
    RefusalPart,
    TextPart,
)
from convotree.replay.exact_text import write_exact
from convotree.replay.notebook import Notebook
from convotree.replay.openai_chat.content import ContentWriter
from convotree.replay.openai_chat.content_reading import read_content, read_pieces
from convotree.replay.policy import RenderPolicy
from convotree.replay.reading import MisreadError

PIECES: list[tuple[dict[str, Any], type[Part]]] = [
    ({"type": "text", "text": "a"}, TextPart),
    ({"type": "text", "text": "a", "prompt_cache_breakpoint": {"x": 1}}, TextPart),
    ({"type": "refusal", "refusal": "no"}, RefusalPart),
    ({"type": "image_url", "image_url": {"url": "https://x"}}, ImagePart),
    ({"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ==", "detail": "low"}}, ImagePart),
    ({"type": "image_url", "image_url": {"url": "data:image/png,raw"}, "odd": 1}, ImagePart),
    (
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,QQ=="}},
        DocumentPart,
    ),
    ({"type": "file", "file": {"file_data": "data:application/pdf;base64,QQ=="}}, DocumentPart),
    ({"type": "file", "file": {"file_id": "f"}}, DocumentPart),
    ({"type": "file", "file": {"file_id": "f", "filename": "a", "odd": 1}}, DocumentPart),
    ({"type": "input_audio", "input_audio": {"data": "QQ==", "format": "mp3"}}, AudioPart),
    ({"type": "input_audio", "input_audio": {"data": "QQ==", "format": "wav", "rate": 8}}, AudioPart),
    ({"type": "input_audio", "input_audio": {"data": "QQ==", "format": "opus"}}, OpaquePart),
    ({"type": "video_url", "video_url": {"url": "https://x"}}, OpaquePart),
]


@pytest.mark.parametrize(("piece", "kind"), PIECES, ids=str)
def test_it_comes_back_as_it_was(piece: dict[str, Any], kind: type[Part]) -> None:
    parts = read_pieces([piece])
    assert type(parts[0]) is kind
    writer = ContentWriter(RenderPolicy(), Notebook("openai-chat", ()))
    pieces = writer.pieces(parts, [(0, 0)], allowed=frozenset({kind}), holder="a test")
    assert json.loads(write_exact(pieces.pieces)) == [piece]


@pytest.mark.parametrize(
    ("piece", "source"),
    [
        (PIECES[3][0], UrlSource("https://x")),
        (PIECES[4][0], Base64Source("image/png", "QQ==")),
        (PIECES[6][0], Base64Source("application/pdf", "QQ==")),
        (PIECES[8][0], FileSource("openai", "f")),
        (PIECES[10][0], Base64Source("audio/mp3", "QQ==")),
    ],
)
def test_sources(piece: dict[str, Any], source: object) -> None:
    (part,) = read_pieces([piece])
    assert isinstance(part, ImagePart | DocumentPart | AudioPart)
    assert part.source == source


def test_a_file_in_another_form_is_opaque() -> None:
    (part,) = read_pieces([{"type": "file", "file": {"file_data": "raw"}}])
    assert isinstance(part, DocumentPart)
    assert isinstance(part.source, OpaqueSource)


@pytest.mark.parametrize(
    ("piece", "place"),
    [
        (7, ""),
        ({}, ".type"),
        ({"type": "text", "text": 7}, ".text"),
        ({"type": "image_url", "image_url": "u"}, ".image_url"),
        ({"type": "image_url", "image_url": {}}, ".image_url.url"),
        ({"type": "file"}, ".file"),
        ({"type": "input_audio", "input_audio": {"data": "QQ=="}}, ".input_audio.format"),
    ],
)
def test_a_wrong_piece_is_refused_at_its_place(piece: Any, place: str) -> None:
    with pytest.raises(MisreadError) as caught:
        read_content([{"type": "text", "text": "a"}, piece])
    assert caught.value.place == f".content[1]{place}"


def test_bare_strings_are_known() -> None:
    assert read_content("a") == ((TextPart("a"),), True)
    assert read_content([]) == ((), False)
