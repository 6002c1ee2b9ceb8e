"""The document of a revision: thin typed fields beside the exact bytes of what a caller or provider wrote."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from convotree.domain.encoded import EncodedMessage, encode_message, message_digest
from convotree.domain.exact_json import ExactJson, parse_value
from convotree.domain.generation import GenerationRecord
from convotree.domain.lanes import segment_of
from convotree.domain.limits import SCHEMA_NUMBER
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.outcome import Outcome
from convotree.domain.part_codec import decode_part, part_type
from convotree.domain.parts import Part, ToolCallPart, ToolResultPart
from convotree.domain.revision import Revision
from convotree.domain.stored import CallPlace, Scope, StoredRevision
from convotree.domain.tree import TreeRevision
from convotree.domain.verification import RevisionFacts
from convotree.errors import CorruptTreeError
from convotree.identity import Key
from convotree.storage.documents.coordinates import (
    forks_document,
    point_document,
    read_forks,
    read_point,
)
from convotree.storage.documents.reading import read_document, stored_key, text_or_none, typed
from convotree.storage.driver import Document

__all__ = [
    "read_call_place",
    "read_facts",
    "read_revision",
    "read_stored_revision",
    "read_tree_revision",
    "revision_document",
]


def revision_document(revision: StoredRevision) -> Document:
    """The document of a revision."""
    point = revision.point
    message = revision.encoded.message
    fields = point_document(point)
    del fields["key"]
    document: Document = {
        "_id": point.key,
        "schema": SCHEMA_NUMBER,
        "tenant_id": revision.scope.tenant_id,
        "conversation_id": revision.scope.conversation_id,
        "parent_id": revision.parent_id,
        "parent_key": revision.parent_key,
        "ordinal": revision.ordinal,
        "segment": segment_of(point.lane_key, point.depth),
        **fields,
        "role": message.role.value,
        "parts": [
            _part_document(part, data)
            for part, data in zip(message.parts, revision.encoded.parts, strict=True)
        ],
        "digest": revision.encoded.digest,
        "moves_seen": revision.moves_seen,
        "epoch": revision.epoch,
        "created_at": revision.created_at,
    }
    call_keys = revision.scope.call_keys(message)
    if call_keys:
        document["call_keys"] = list(call_keys)
    if message.as_string:
        document["as_string"] = True
    if message.provenance is not None:
        document["provenance"] = _provenance_bytes(message.provenance)
    if message.outcome is not Outcome.COMPLETE:
        document["outcome"] = message.outcome.value
    if message.provider_data is not None:
        document["provider_data"] = message.provider_data.to_bytes()
    if revision.forks is not None:
        document["forks"] = forks_document(revision.forks)
    if revision.generation is not None:
        document["generation"] = revision.generation.to_text().encode()
    if revision.prefix is not None:
        document["prefix"] = revision.prefix
    return document


def _part_document(part: Part, data: bytes) -> Document:
    document: Document = {"type": part_type(part), "json": data}
    if isinstance(part, ToolCallPart):
        document["tool_call_id"] = _storable(part.tool_call_id)
        document["tool_name"] = _storable(part.name)
    elif isinstance(part, ToolResultPart):
        document["tool_call_id"] = _storable(part.tool_call_id)
        document["status"] = "error" if part.is_error else "ok"
    return document


def _provenance_bytes(provenance: Provenance) -> bytes:
    known = {"provider": provenance.provider, "api": provenance.api, "model": provenance.model}
    return ExactJson.of({name: value for name, value in known.items() if value is not None}).to_bytes()


def _storable(text: str) -> str:
    # A query field, not the record: BSON strings cannot hold lone surrogates, the part's JSON does.
    return text.encode("utf-8", "replace").decode()


def read_revision(document: Mapping[str, Any], *, selected_key: Key | None) -> Revision:
    """The revision in a document, as callers see it.

    Raises:
        CorruptTreeError, SchemaTooNewError: if it cannot be read.
    """

    def build(document: Mapping[str, Any]) -> Revision:
        generation = document.get("generation")
        return Revision(
            id=typed(document["revision_id"], str, "revision_id"),
            conversation_id=document["conversation_id"],
            parent_id=_parent_id(document),
            ordinal=typed(document["ordinal"], int, "ordinal"),
            lane_id=typed(document["lane_id"], str, "lane_id"),
            depth=typed(document["depth"], int, "depth"),
            message=_build_message(document),
            created_at=typed(document["created_at"], datetime, "created_at"),
            selected=document["_id"] == selected_key,
            generation=None if generation is None else GenerationRecord.from_text(generation.decode()),
            chain=typed(document["chain"], bytes, "chain"),
            prefix=document.get("prefix"),
        )

    return read_document(document, "revisions", build)


def _build_message(document: Mapping[str, Any]) -> Message:
    parts = document["parts"]
    provenance = document.get("provenance")
    extra = document.get("provider_data")
    outcome = document.get("outcome")
    return Message(
        role=Role(document["role"]),
        parts=tuple(
            decode_part(part["json"].decode(), place=f"parts[{index}]") for index, part in enumerate(parts)
        ),
        provenance=None if provenance is None else Provenance(**parse_value(provenance.decode())),
        as_string=document.get("as_string", False),
        provider_data=None if extra is None else ExactJson.stored(extra.decode()),
        outcome=Outcome.COMPLETE if outcome is None else Outcome(outcome),
    )


def read_stored_revision(document: Mapping[str, Any]) -> StoredRevision:
    """The revision in a document with all its coordinates.

    Its digests are derived anew from the content, except ``point.chain``; ``document["digest"]`` is what was stored.

    Raises:
        CorruptTreeError, SchemaTooNewError: if it cannot be read.
    """

    def build(document: Mapping[str, Any]) -> StoredRevision:
        generation = document.get("generation")
        forks = document.get("forks")
        return StoredRevision(
            scope=Scope(document["tenant_id"], document["conversation_id"]),
            point=read_point(document),
            parent_id=_parent_id(document),
            parent_key=stored_key(document["parent_key"], "parent_key"),
            ordinal=typed(document["ordinal"], int, "ordinal"),
            encoded=_encoded(document),
            created_at=typed(document["created_at"], datetime, "created_at"),
            moves_seen=typed(document["moves_seen"], int, "moves_seen"),
            epoch=typed(document["epoch"], int, "epoch"),
            forks=None if forks is None else read_forks(forks),
            generation=None if generation is None else GenerationRecord.from_text(generation.decode()),
            prefix=document.get("prefix"),
        )

    return read_document(document, "revisions", build)


def _parent_id(document: Mapping[str, Any]) -> str | None:
    parent_id = document["parent_id"]
    return None if parent_id is None else typed(parent_id, str, "parent_id")


def read_call_place(document: Mapping[str, Any]) -> CallPlace:
    """Which calls and results a revision holds, in a document whose parts are projected to their thin fields.

    Raises:
        CorruptTreeError, SchemaTooNewError: if it cannot be read.
    """

    def build(document: Mapping[str, Any]) -> CallPlace:
        ids: dict[str, set[str]] = {"tool_call": set(), "tool_result": set()}
        for part in document["parts"]:
            if part["type"] in ids:
                ids[part["type"]].add(typed(part["tool_call_id"], str, "tool_call_id"))
        return CallPlace(read_point(document), frozenset(ids["tool_call"]), frozenset(ids["tool_result"]))

    return read_document(document, "revisions", build)


def read_tree_revision(document: Mapping[str, Any]) -> TreeRevision:
    """The place of a revision in a document that is projected to it.

    Raises:
        CorruptTreeError, SchemaTooNewError: if it cannot be read.
    """

    def build(document: Mapping[str, Any]) -> TreeRevision:
        return TreeRevision(
            id=typed(document["revision_id"], str, "revision_id"),
            parent_id=_parent_id(document),
            ordinal=typed(document["ordinal"], int, "ordinal"),
            depth=typed(document["depth"], int, "depth"),
            lane_id=typed(document["lane_id"], str, "lane_id"),
            role=Role(document["role"]),
        )

    return read_document(document, "revisions", build)


def read_facts(document: Mapping[str, Any]) -> RevisionFacts | CorruptTreeError:
    """What a check needs of a revision, or why it cannot be read."""
    try:
        return RevisionFacts.of(
            read_stored_revision(document),
            segment=typed(document.get("segment"), str, "segment"),
            call_keys=tuple(document.get("call_keys", ())),
            digest=typed(document.get("digest"), bytes, "digest"),
        )
    except (CorruptTreeError, TypeError) as error:
        problem = error.problem if isinstance(error, CorruptTreeError) else str(error)
        return CorruptTreeError(problem=problem, revision_id=text_or_none(document.get("revision_id")))


def _encoded(document: Mapping[str, Any]) -> EncodedMessage:
    # The digest is taken over the bytes that are there, not over what they would be if written anew.
    message = _build_message(document)
    parts = tuple(typed(part["json"], bytes, "parts.json") for part in document["parts"])
    return EncodedMessage(message, parts, message_digest(message, parts), encode_message(message).element)
