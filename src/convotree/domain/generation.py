"""The generation record: the facts of one model call, stored with the revision it made."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from convotree.domain.exact_json import ExactJson, quote, split_object
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

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None:
                continue
            place = f"generation.{field.name}"
            if field.name in _TEXTS:
                if not isinstance(value, str):
                    raise InvalidMessageError(place=place, reason="a string was expected")
                continue
            exact = value if isinstance(value, ExactJson) else ExactJson.of(value, place=place)
            if not exact.is_object:
                raise InvalidMessageError(place=place, reason="a JSON object was expected")
            object.__setattr__(self, field.name, exact)

    def to_text(self) -> str:
        """The exact JSON text; absent fields are left out."""
        pieces: list[str] = []
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                pieces.append(
                    f'"{field.name}":{value.text if isinstance(value, ExactJson) else quote(value)}'
                )
        return "{" + ",".join(pieces) + "}"

    @classmethod
    def from_text(cls, text: str) -> GenerationRecord:
        """The record in compact JSON text.

        Raises:
            InvalidMessageError: for an unknown member or one of a wrong type.
        """
        members: dict[str, Any] = {}
        known = {field.name for field in fields(cls)}
        for key, raw in split_object(text, place="generation").items():
            if key not in known:
                raise InvalidMessageError(place=f"generation.{key}", reason="this member is not known")
            exact = ExactJson.stored(raw)
            members[key] = exact.value if key in _TEXTS else exact
        return cls(**members)
