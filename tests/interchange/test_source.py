"""The text of a file: decoded strictly, read as JSON once, and wrong places named."""

import pytest

from convotree.errors import InvalidFileError
from convotree.interchange.source import SourceText


@pytest.mark.parametrize("content", ["[1]", b"[1]", b"\xef\xbb\xbf[1]", "\ufeff[1]"])
def test_text_bytes_and_a_byte_order_mark(content: str | bytes) -> None:
    source = SourceText(content, name="f")

    assert source.json.raw == "[1]"
    assert source.json is source.json_if_any


@pytest.mark.parametrize(
    ("content", "place"),
    [(b'["\xff"]', "byte 2"), (b"\xef\xbb\xbf[\xff]", "byte 4"), (b"\xff\xfe[\x00", "byte 0")],
)
def test_bytes_that_are_no_utf8_are_refused_with_their_place(content: bytes, place: str) -> None:
    with pytest.raises(InvalidFileError) as caught:
        SourceText(content, name="f")

    assert (caught.value.file, caught.value.place, caught.value.reason) == ("f", place, "not UTF-8")


def test_an_archive_is_known_for_what_it_is() -> None:
    with pytest.raises(InvalidFileError) as caught:
        SourceText(b"PK\x03\x04\x14\x00\x08\xff", name="f.zip")

    assert "zip archive" in caught.value.reason


def test_broken_json_names_line_and_column() -> None:
    source = SourceText('[\n  {"a": 1,}\n]', name="f")

    assert source.json_if_any is None
    with pytest.raises(InvalidFileError) as caught:
        _ = source.json
    assert caught.value.place == "line 2, column 11"
