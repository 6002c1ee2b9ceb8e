"""What a caller may put into a header: title and metadata, and the digest of what a conversation was created with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from convotree.domain.exact_json import ExactJson, split_object
from convotree.domain.json_scan import spelled_members_of
from convotree.domain.limits import MAX_METADATA_BYTES, MAX_TITLE_BYTES
from convotree.errors import ContentTooLargeError, InvalidArgumentError

__all__ = ["Metadata", "check_title", "creation_digest", "merged_metadata", "metadata_json"]

Metadata = Mapping[str, Any] | ExactJson
"""A caller's metadata: a mapping of any JSON values, or an exact JSON object."""


def check_title(title: object) -> str | None:
    """A title that may be stored: None, or a string without NUL and lone surrogates, up to 16 KiB of UTF-8.

    Raises:
        InvalidArgumentError, ContentTooLargeError: otherwise.
    """
    if title is None:
        return None
    if type(title) is not str:
        raise InvalidArgumentError(
            argument="title", reason=f"a string was expected, not {type(title).__name__}"
        )
    if "\x00" in title:
        raise InvalidArgumentError(argument="title", reason="a title must not contain NUL")
    try:
        size = len(title.encode())
    except UnicodeEncodeError:
        raise InvalidArgumentError(
            argument="title", reason="a title must not contain lone surrogates"
        ) from None
    if size > MAX_TITLE_BYTES:
        raise ContentTooLargeError(subject="the title", size=size, limit=MAX_TITLE_BYTES)
    return title


def metadata_json(metadata: Metadata | None) -> ExactJson:
    """Metadata as the exact JSON object that is stored; keys must not contain NUL.

    Raises:
        InvalidArgumentError, InvalidJsonError, ContentTooLargeError: if it is no such object, or above 1 MiB.
    """
    if metadata is None:
        return ExactJson("{}")
    if not isinstance(metadata, (Mapping, ExactJson)):
        raise InvalidArgumentError(
            argument="metadata", reason=f"a mapping was expected, not {type(metadata).__name__}"
        )
    exact = ExactJson.of(metadata, place="metadata")
    if not exact.is_object:
        raise InvalidArgumentError(argument="metadata", reason="a JSON object was expected")
    if any("\x00" in key for key in split_object(exact.text)):
        raise InvalidArgumentError(argument="metadata", reason="a key must not contain NUL")
    _check_size(exact)
    return exact


def merged_metadata(current: ExactJson, changes: ExactJson, removed: Iterable[str]) -> ExactJson:
    """``current`` with the keys of ``changes`` set and those of ``removed`` left out; other spellings untouched.

    Raises:
        ContentTooLargeError: above 1 MiB.
    """
    members: dict[str, str] = {}
    for key, spelled, value in spelled_members_of(current.text):
        members.pop(key, None)
        members[key] = f"{spelled}:{value}"
    for key, spelled, value in spelled_members_of(changes.text):
        members[key] = f"{spelled}:{value}"
    for key in removed:
        members.pop(key, None)
    exact = ExactJson.stored("{" + ",".join(members.values()) + "}")
    _check_size(exact)
    return exact


def creation_digest(
    title: str | None, metadata: ExactJson, prompt_version: str | None, tool_set: str | None
) -> bytes:
    """Names what a conversation was created with, so that creating it again can be told from another creation."""
    digest = sha256(b"convotree creation 1")
    for fact in (title, metadata.text, prompt_version, tool_set):
        data = b"" if fact is None else fact.encode()
        digest.update(b"-" if fact is None else len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.digest()


def _check_size(metadata: ExactJson) -> None:
    size = len(metadata.to_bytes())
    if size > MAX_METADATA_BYTES:
        raise ContentTooLargeError(subject="the metadata", size=size, limit=MAX_METADATA_BYTES)
