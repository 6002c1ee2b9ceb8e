"""The generation record: the facts of one model call, stored with the revision it made."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from convotree.domain.brief_repr import brief_repr
from convotree.domain.exact_json import ExactJson, quote
from convotree.domain.field_checks import keep_optional_object, keep_optional_text
from convotree.domain.json_scan import members_of, scan_string
from convotree.errors import InvalidMessageError

__all__ = ["GenerationRecord"]

_TEXTS = (
    "prompt_version",
    "tool_set",
    "provider",
    "api",
    "model",
    "model_answered",
    "response_id",
    "request_id",
    "stop_reason",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRecord:
    """What is known of the call that produced an answer; every field may be None (unknown).

    ``prompt_version``, ``tool_set``: ids (``sha256:…``) of what it was generated under; left None, the store
    fills in the conversation's current ones. ``model`` was asked, ``model_answered`` answered. ``params``,
    ``usage`` (tokens), ``timings`` and ``deployment`` (release, flags) are JSON objects of the caller's, kept
    exactly.
    """

    prompt_version: str | None = None
    tool_set: str | None = None
    provider: str | None = None
    api: str | None = None
    model: str | None = None
    model_answered: str | None = None
    response_id: str | None = None
    request_id: str | None = None
    stop_reason: str | None = None
    params: ExactJson | None = None
    usage: ExactJson | None = None
    timings: ExactJson | None = None
    deployment: ExactJson | None = None

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        keep_optional_text(self, *_TEXTS, within="generation")
        keep_optional_object(self, *_OBJECTS, within="generation")

    def to_text(self) -> str:
        """The exact JSON text; absent fields are left out."""
        pieces = [
            f'"{name}":{value.text if isinstance(value, ExactJson) else quote(value)}'
            for name in _FIELDS
            if (value := getattr(self, name)) is not None
        ]
        return "{" + ",".join(pieces) + "}"

    @classmethod
    def from_text(cls, text: str) -> GenerationRecord:
        """The record in compact JSON text.

        Raises:
            InvalidMessageError: for a member that is unknown, repeated or of a wrong type.
            InvalidJsonError: if ``text`` is not a compact JSON object.
        """
        members: dict[str, Any] = {}
        for key, raw in members_of(text, place="generation"):
            place = f"generation.{key[:64]}"
            if key in members:
                raise InvalidMessageError(place=place, reason="this member is repeated")
            if key in _OBJECTS:
                members[key] = ExactJson.stored(raw)
            elif key not in _TEXTS:
                raise InvalidMessageError(place=place, reason="this member is not known")
            elif not raw.startswith('"'):
                raise InvalidMessageError(place=place, reason="a string was expected")
            else:
                members[key] = scan_string(raw, 0)[0]
        return cls(**members)


_FIELDS = tuple(field.name for field in fields(GenerationRecord))
_OBJECTS = tuple(name for name in _FIELDS if name not in _TEXTS)
