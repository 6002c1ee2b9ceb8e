"""Content parts of Chat Completions as parts: one function for each type, the reverse of ``content``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from typing import Any, Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import Base64Source, FileSource, MediaSource, OpaqueSource, UrlSource
from convotree.domain.parts import (
    AudioPart,
    DocumentPart,
    ImagePart,
    OpaquePart,
    Part,
    RefusalPart,
    TextPart,
)
from convotree.replay.openai_chat.target import NAME, PROVIDER
from convotree.replay.reading import MisreadError, leaf, member, text_member, wrong_type

__all__ = ["data_for", "read_content", "read_pieces", "rest_of", "source_of_url"]

_DATA_URL: Final = re.compile(r"data:([^;,]+);base64,")


def read_content(content: Any) -> tuple[tuple[Part, ...], bool]:
    """The parts of a message's content, and whether it was a bare string."""
    if type(content) is str:
        return (TextPart(content),), True
    if type(content) is not list:
        wrong_type("content", "a string or an array", content)
    return read_pieces(content), False


def read_pieces(content: list[Any], *, listed: bool = False) -> tuple[Part, ...]:
    """The parts in a list. ``listed`` marks a text as one of a list, where a bare string would be the usual form.

    Raises:
        MisreadError: if one of them is no content part.
    """
    parts: list[Part] = []
    for piece in content:
        try:
            parts.append(_read_piece(piece, listed))
        except MisreadError as error:
            raise error.within(f".content[{len(parts)}]") from None
    return tuple(parts)


def rest_of(value: Mapping[str, Any], held: Set[str]) -> dict[str, Any]:
    """The members that no field holds."""
    return {key: one for key, one in value.items() if key not in held}


def data_for(extra: Mapping[str, Any]) -> ExactJson | None:
    """``provider_data`` for what no field holds."""
    return leaf({NAME: extra}, "") if extra else None


def _read_piece(piece: Any, listed: bool) -> Part:
    if type(piece) is not dict:
        wrong_type("", "a content part", piece)
    kind = text_member(piece, "type")
    reader = _READERS.get(kind)
    if reader is None:
        return OpaquePart(NAME, kind, leaf(piece, ""))
    extra = rest_of(piece, {"type", kind})
    if listed or kind == "refusal":
        extra = {"type": kind, **extra}
    return reader(piece, extra)


def _text(piece: Mapping[str, Any], extra: dict[str, Any]) -> Part:
    return TextPart(text_member(piece, "text"), provider_data=data_for(extra))


def _refusal(piece: Mapping[str, Any], extra: dict[str, Any]) -> Part:
    return RefusalPart(text_member(piece, "refusal"), provider_data=data_for(extra))


def _image(piece: Mapping[str, Any], extra: dict[str, Any]) -> Part:
    image = _inner(piece, "image_url")
    url = _inner_text(image, "image_url", "url")
    return ImagePart(
        source_of_url(url), provider_data=data_for(_with_inner(extra, "image_url", image, {"url"}))
    )


def _file(piece: Mapping[str, Any], extra: dict[str, Any]) -> Part:
    file = _inner(piece, "file")
    data, file_id, name = file.get("file_data"), file.get("file_id"), file.get("filename")
    inline = source_of_url(data) if type(data) is str else None
    if isinstance(inline, Base64Source) and file_id is None and type(name) is str:
        source: MediaSource = inline
        held = {"file_data", "filename"}
    elif data is None and type(file_id) is str and (name is None or type(name) is str):
        source = FileSource(PROVIDER, file_id)
        held = {"file_id", "filename"} if name is not None else {"file_id"}
    else:
        return DocumentPart(OpaqueSource(NAME, leaf(file, "file")), provider_data=data_for(extra))
    return DocumentPart(source, name, data_for(_with_inner(extra, "file", file, held)))


def _audio(piece: Mapping[str, Any], extra: dict[str, Any]) -> Part:
    audio = _inner(piece, "input_audio")
    data = _inner_text(audio, "input_audio", "data")
    form = _inner_text(audio, "input_audio", "format")
    if form not in ("wav", "mp3"):
        return OpaquePart(NAME, "input_audio", leaf(piece, ""))
    source = Base64Source(f"audio/{form}", data)
    return AudioPart(source, data_for(_with_inner(extra, "input_audio", audio, {"data", "format"})))


def source_of_url(url: str) -> MediaSource:
    """The bytes in a data URL, or the URL as it is."""
    match = _DATA_URL.match(url)
    return Base64Source(match[1], url[match.end() :]) if match else UrlSource(url)


def _inner(piece: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = member(piece, name)
    if type(value) is not dict:
        wrong_type(name, "an object", value)
    inner: dict[str, Any] = value
    return inner


def _inner_text(inner: Mapping[str, Any], outer: str, name: str) -> str:
    try:
        return text_member(inner, name)
    except MisreadError as error:
        raise error.within(f".{outer}") from None


def _with_inner(extra: dict[str, Any], name: str, inner: Mapping[str, Any], held: Set[str]) -> dict[str, Any]:
    rest = rest_of(inner, held)
    return {**extra, name: rest} if rest else extra


_READERS: Final[Mapping[str, Callable[[Mapping[str, Any], dict[str, Any]], Part]]] = {
    "text": _text,
    "refusal": _refusal,
    "image_url": _image,
    "file": _file,
    "input_audio": _audio,
}
