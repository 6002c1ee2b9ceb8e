"""The generation record: the facts of one model call, stored with the revision it made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

from convotree.domain.brief_repr import brief_repr
from convotree.domain.exact_json import ExactJson, quote
from convotree.domain.field_checks import keep_optional_object, keep_optional_text
from convotree.domain.ingestion import ingest_generation
from convotree.domain.json_scan import members_of, scan_string
from convotree.errors import InvalidMessageError

__all__ = ["GeneratedFrom", "GenerationRecord"]

_TEXTS = (
    "prompt_version",
    "tool_set",
    "first_revision",
    "provider",
    "api",
    "model",
    "model_answered",
    "response_id",
    "request_id",
    "stop_reason",
)


class GeneratedFrom(Protocol):
    """What a record takes from a ``Request``."""

    @property
    def prompt_version(self) -> str | None: ...
    @property
    def tool_set(self) -> str | None: ...
    @property
    def revision_ids(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRecord:
    """What is known of the call that produced an answer; every field may be None (unknown).

    ``prompt_version``, ``tool_set``: ids (``sha256:…``) of what it was generated under, and ``first_revision``: the
    revision that the request began with. Given ``request=``, ``from_provider`` takes all three from it. Left None, the
    store fills in the conversation's current prompt and tools, and takes it that the request began where ``replay``
    begins by default. ``model`` was asked, ``model_answered`` answered. ``params``,
    ``usage`` (tokens), ``timings`` and ``deployment`` (release, flags) are JSON objects of the caller's, kept
    exactly. ``handles``: what the answer says that the provider keeps (a container, a conversation), in its own words;
    hints for ``Request.continuations``, never the record.
    """

    prompt_version: str | None = None
    tool_set: str | None = None
    first_revision: str | None = None
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
    handles: ExactJson | None = None

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
    def from_text(cls, text: str, *, place: str = "generation") -> GenerationRecord:
        """The record in compact JSON text; ``place``: what errors call it.

        Raises:
            InvalidMessageError: for a member that is unknown, repeated or of a wrong type.
            InvalidJsonError: if ``text`` is not a compact JSON object.
        """
        members: dict[str, Any] = {}
        for key, raw in members_of(text, place=place):
            here = f"{place}.{key[:64]}"
            if key in members:
                raise InvalidMessageError(place=here, reason="this member is repeated")
            if key in _OBJECTS:
                members[key] = ExactJson.stored(raw)
            elif key not in _TEXTS:
                raise InvalidMessageError(place=here, reason="this member is not known")
            elif not raw.startswith('"'):
                raise InvalidMessageError(place=here, reason="a string was expected")
            else:
                members[key] = scan_string(raw, 0)[0]
        try:
            return cls(**members)
        except InvalidMessageError as error:
            inside = error.place.removeprefix("generation")
            raise InvalidMessageError(place=f"{place}{inside}", reason=error.reason) from None

    @classmethod
    def from_provider(
        cls,
        provider: str,
        answer: object,
        *,
        model: str | None = None,
        params: Mapping[str, Any] | ExactJson | None = None,
        request_id: str | None = None,
        timings: Mapping[str, Any] | ExactJson | None = None,
        deployment: Mapping[str, Any] | ExactJson | None = None,
        request: GeneratedFrom | None = None,
    ) -> GenerationRecord:
        """What an answer says of its own making: response id, model that answered, stop reason, usage and handles, as
        the provider spelled them. ``model``: the model that was asked, if the answer came from another name. The rest
        no answer says; give what you know. ``request``: the ``Request`` that ``store.replay`` gave and that was sent.
        With it the record says what the answer was generated from, whatever the conversation is by the time it is
        stored: give it wherever a request was cut (``last``, ``budget``, ``compaction``).

        Raises:
            UnsupportedProviderError: if the provider is not known.
            InvalidJsonError: if text or bytes are not JSON, or what you give has no JSON form.
            InvalidMessageError: if the JSON is not an answer of that provider; ``place`` says where.
        """
        record = ingest_generation(provider, answer, model=model)
        given = {"params": params, "timings": timings, "deployment": deployment}
        known: dict[str, Any] = {
            name: ExactJson.of(value, place=f"generation.{name}")
            for name, value in given.items()
            if value is not None
        }
        if request_id is not None:
            known["request_id"] = request_id
        if request is not None and request.revision_ids:
            known["prompt_version"] = request.prompt_version
            known["tool_set"] = request.tool_set
            known["first_revision"] = request.revision_ids[0]
        return replace(record, **known)


_FIELDS = tuple(field.name for field in fields(GenerationRecord))
_OBJECTS = tuple(name for name in _FIELDS if name not in _TEXTS)
