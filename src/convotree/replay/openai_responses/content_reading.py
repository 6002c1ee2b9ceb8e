"""Content of the Responses API as parts: one function for each type, the reverse of ``content``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import FileSource, MediaSource, OpaqueSource, UrlSource
from convotree.domain.parts import DocumentPart, ImagePart, OpaquePart, Part, RefusalPart, TextPart
from convotree.replay.openai_chat.content_reading import rest_of, source_of_url
from convotree.replay.openai_responses.target import NAME, PROVIDER
from convotree.replay.reading import MisreadError, leaf, text_member, wrong_type

__all__ = [
    "ANSWER_PIECES",
    "data_for",
    "read_answer_pieces",
    "read_content",
    "read_pieces",
    "read_screenshot",
]

ANSWER_PIECES: Final = frozenset({"output_text", "refusal", "input_text"})
"""What an answer is read from. ``input_text`` does not belong there (rule R10), but its text does."""


def data_for(extra: Mapping[str, Any]) -> ExactJson | None:
    """``provider_data`` for what no field holds."""
    return leaf({NAME: extra}, "") if extra else None


def read_content(content: Any) -> tuple[tuple[Part, ...], bool]:
    """The parts of an input message's content, and whether it was a bare string."""
    if type(content) is str:
        return (TextPart(content),), True
    if type(content) is not list:
        wrong_type("content", "a string or an array", content)
    return read_pieces(content, "content"), False


def read_pieces(content: list[Any], name: str, *, listed: bool = False) -> tuple[Part, ...]:
    """The parts in a list that stands under ``name``. ``listed`` marks a text as one of a list, where a bare string
    would be the usual form.

    Raises:
        MisreadError: if one of them is no content part.
    """
    parts: list[Part] = []
    for piece in content:
        try:
            if type(piece) is not dict:
                wrong_type("", "a content part", piece)
            reader = _READERS.get(text_member(piece, "type"))
            if reader is None:
                parts.append(OpaquePart(NAME, piece["type"], leaf(piece, "")))
            else:
                parts.append(reader(piece, listed))
        except MisreadError as error:
            raise error.within(f".{name}[{len(parts)}]") from None
    return tuple(parts)


def read_answer_pieces(content: list[Any], message: Mapping[str, Any]) -> list[Part]:
    """The parts of an answer's message, all of ``ANSWER_PIECES``; the first carries ``message``, what no part holds.

    Raises:
        MisreadError: if one of them lacks its text.
    """
    parts: list[Part] = []
    for number, piece in enumerate(content):
        try:
            kind = piece["type"]
            extra = {"message": message} if number == 0 else {}
            if kind == "refusal":
                extra.update(rest_of(piece, {"refusal"}))
                parts.append(RefusalPart(text_member(piece, "refusal"), data_for(extra)))
                continue
            held = {"text"}
            citations = None
            if type(piece.get("annotations")) is list and piece["annotations"]:
                citations = leaf(piece["annotations"], "annotations")
                held = {"text", "annotations"}
            extra.update(rest_of(piece, held))
            parts.append(TextPart(text_member(piece, "text"), citations, provider_data=data_for(extra)))
        except MisreadError as error:
            raise error.within(f".content[{number}]") from None
    return parts


def read_screenshot(output: Mapping[str, Any]) -> Part:
    """What a computer shows, as an image where it is one."""
    source = _image_source(output)
    if source is None:
        return OpaquePart(NAME, "computer_screenshot", leaf(output, "output"))
    return ImagePart(source, provider_data=data_for(rest_of(output, _held_by(source))))


def _text(piece: Mapping[str, Any], listed: bool) -> Part:
    extra = rest_of(piece, {"text"} if listed else {"text", "type"})
    return TextPart(text_member(piece, "text"), provider_data=data_for(extra))


def _image(piece: Mapping[str, Any], listed: bool) -> Part:
    source = _image_source(piece)
    if source is None:
        return OpaquePart(NAME, "input_image", leaf(piece, ""))
    # With its type, so that no detail is added to an image that came without one.
    return ImagePart(source, provider_data=data_for(rest_of(piece, _held_by(source))))


def _image_source(piece: Mapping[str, Any]) -> MediaSource | None:
    url, file_id = piece.get("image_url"), piece.get("file_id")
    if type(url) is str and file_id is None:
        return source_of_url(url)
    if type(file_id) is str and url is None:
        return FileSource(PROVIDER, file_id)
    return None


def _file(piece: Mapping[str, Any], listed: bool) -> Part:
    data, file_id, url = piece.get("file_data"), piece.get("file_id"), piece.get("file_url")
    given = [one for one in (data, file_id, url) if one is not None]
    name = piece.get("filename")
    if len(given) != 1 or type(given[0]) is not str or not (name is None or type(name) is str):
        source: MediaSource = OpaqueSource(NAME, leaf(rest_of(piece, {"type"}), ""))
        return DocumentPart(source)
    if data is not None:
        source, held = source_of_url(data), "file_data"
        if isinstance(source, UrlSource):
            # No data URL, which rule R13 is about: it stays where it stood.
            return DocumentPart(OpaqueSource(NAME, leaf(rest_of(piece, {"type"}), "")))
    elif file_id is not None:
        source, held = FileSource(PROVIDER, file_id), "file_id"
    else:
        source, held = UrlSource(given[0]), "file_url"
    taken = {"type", held} if name is None else {"type", held, "filename"}
    return DocumentPart(source, name, data_for({"type": "input_file", **rest_of(piece, taken)}))


def _held_by(source: MediaSource) -> set[str]:
    return {"file_id"} if isinstance(source, FileSource) else {"image_url"}


_READERS: Final[Mapping[str, Callable[[Mapping[str, Any], bool], Part]]] = {
    "input_text": _text,
    "input_image": _image,
    "input_file": _file,
}
