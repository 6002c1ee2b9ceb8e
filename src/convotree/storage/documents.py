"""Documents: the stored form of each value, in both directions.

Thin typed fields are what is queried or checked; everything a caller wrote is exact bytes. No key that a caller
chose becomes a field name. What cannot be read raises ``CorruptTreeError``; a newer schema ``SchemaTooNewError``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from convotree.domain.encoded import EncodedMessage, encode_message, message_digest
from convotree.domain.exact_json import ExactJson, parse_value
from convotree.domain.generation import GenerationRecord
from convotree.domain.lanes import ForkPointer, Forks, LaneRange, segment_of
from convotree.domain.limits import SCHEMA_NUMBER
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.part_codec import decode_part, part_type
from convotree.domain.parts import Part, ToolCallPart, ToolResultPart
from convotree.domain.planning import prompt_key, tool_set_key
from convotree.domain.prompt import PromptVersion, ToolSet
from convotree.domain.revision import Revision
from convotree.domain.stored import AppendPoint, Header, LaneStart, RememberedLeaf, Scope, StoredRevision
from convotree.domain.tree import TreeRevision
from convotree.domain.verification import RevisionFacts
from convotree.errors import ConvotreeError, CorruptTreeError, InvalidRequestError, SchemaTooNewError
from convotree.identity import Key
from convotree.storage.driver import Document

__all__ = [
    "check_schema",
    "header_document",
    "leaf_document",
    "listing_key",
    "point_document",
    "prompt_document",
    "read_facts",
    "read_header",
    "read_lane_start",
    "read_point",
    "read_prompt",
    "read_revision",
    "read_stored_revision",
    "read_tool_set",
    "read_tree_revision",
    "revision_document",
    "tool_set_document",
]

_T = TypeVar("_T")


# ------------------------------------------------------------ reading safely


def check_schema(document: Mapping[str, Any], collection: str) -> None:
    """Refuse a document that a newer release wrote.

    Raises:
        SchemaTooNewError: if its schema number is higher than this release's.
        CorruptTreeError: if it has none.
    """
    number = document.get("schema")
    if type(number) is not int:
        raise CorruptTreeError(problem=f"a document of {collection} carries no schema number")
    if number > SCHEMA_NUMBER:
        raise SchemaTooNewError(found=number, supported=SCHEMA_NUMBER, collection=collection)


def _read(document: Mapping[str, Any], collection: str, build: Callable[[Mapping[str, Any]], _T]) -> _T:
    check_schema(document, collection)
    try:
        return build(document)
    except (KeyError, TypeError, ValueError, AttributeError, InvalidRequestError) as error:
        raise CorruptTreeError(
            problem=f"a document of {collection} cannot be read: {_reason(error)}",
            conversation_id=_text_or_none(document.get("conversation_id")),
            revision_id=_text_or_none(document.get("revision_id")),
        ) from error


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"field {error.args[0]!r} is missing"
    return str(error) if isinstance(error, ConvotreeError) else f"{type(error).__name__}: {error}"


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _typed(value: object, expected: type[_T], field: str) -> _T:
    if not isinstance(value, expected) or (expected is int and isinstance(value, bool)):
        raise TypeError(f"field {field!r} holds {type(value).__name__}, not {expected.__name__}")
    return value


# ------------------------------------------------------------ points, forks, memory


def point_document(point: AppendPoint) -> Document:
    """The fields of an append point, as they stand in a revision and in the header's ``selected``."""
    document: Document = {
        "key": point.key,
        "revision_id": point.id,
        "depth": point.depth,
        "lane_key": point.lane_key,
        "lane_id": point.lane_id,
        "chain": point.chain,
    }
    if point.answered:
        document["answered"] = True
    if point.prompt_key is not None:
        document["prompt_key"] = point.prompt_key
    if point.tool_set_key is not None:
        document["tool_set_key"] = point.tool_set_key
    if point.open_calls:
        document["open_calls"] = list(point.open_calls)
    return document


def read_point(document: Mapping[str, Any]) -> AppendPoint:
    """The append point in a revision's document (key ``_id``) or in the header's ``selected`` (key ``key``)."""
    try:
        key = document["_id"] if "_id" in document else document["key"]
        return AppendPoint(
            key=Key(_typed(key, str, "key")),
            id=_typed(document["revision_id"], str, "revision_id"),
            depth=_typed(document["depth"], int, "depth"),
            lane_key=Key(_typed(document["lane_key"], str, "lane_key")),
            lane_id=_typed(document["lane_id"], str, "lane_id"),
            chain=_typed(document["chain"], bytes, "chain"),
            answered=_typed(document.get("answered", False), bool, "answered"),
            prompt_key=_optional_key(document, "prompt_key"),
            tool_set_key=_optional_key(document, "tool_set_key"),
            open_calls=tuple(_typed(one, str, "open_calls") for one in document.get("open_calls", ())),
        )
    except (KeyError, TypeError) as error:
        raise CorruptTreeError(
            problem=f"coordinates cannot be read: {_reason(error)}",
            revision_id=_text_or_none(document.get("revision_id")),
        ) from error


def _optional_key(document: Mapping[str, Any], field: str) -> Key | None:
    value = document.get(field)
    return None if value is None else Key(_typed(value, str, field))


def _forks_document(forks: Forks) -> Document:
    document: Document = {
        "tail": [{"lane": one.lane_key, "from": one.start, "upto": one.upto} for one in forks.tail]
    }
    if forks.pages:
        document["pages"] = [{"key": one.key, "upto": one.upto} for one in forks.pages]
    if forks.books:
        document["books"] = [{"key": one.key, "upto": one.upto} for one in forks.books]
    return document


def _read_forks(document: Mapping[str, Any]) -> Forks:
    return Forks(
        tail=tuple(
            LaneRange(
                Key(_typed(one["lane"], str, "forks.lane")),
                _typed(one["from"], int, "forks.from"),
                _typed(one["upto"], int, "forks.upto"),
            )
            for one in document["tail"]
        ),
        pages=_read_pointers(document.get("pages", ())),
        books=_read_pointers(document.get("books", ())),
    )


def _read_pointers(documents: list[Mapping[str, Any]]) -> tuple[ForkPointer, ...]:
    return tuple(
        ForkPointer(Key(_typed(one["key"], str, "forks.key")), _typed(one["upto"], int, "forks.upto"))
        for one in documents
    )


def read_lane_start(document: Mapping[str, Any]) -> LaneStart:
    """The lane start in a revision's document (projected to ``_id``, ``depth`` and ``forks`` or whole)."""
    try:
        return LaneStart(
            Key(_typed(document["_id"], str, "_id")),
            _typed(document["depth"], int, "depth"),
            _read_forks(document["forks"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise CorruptTreeError(
            problem=f"the start of a lane cannot be read: {_reason(error)}",
            revision_id=_text_or_none(document.get("revision_id")),
        ) from error


def leaf_document(leaf: RememberedLeaf) -> Document:
    """A remembered leaf."""
    return {"key": leaf.key, "lane_key": leaf.lane_key, "depth": leaf.depth}


# ------------------------------------------------------------ header


def header_document(header: Header) -> Document:
    """The header's document, with the two keys that listings sort by."""
    scope = header.scope
    return {
        "_id": scope.key,
        "schema": SCHEMA_NUMBER,
        "tenant_id": scope.tenant_id,
        "conversation_id": scope.conversation_id,
        "version": header.version,
        "moves": header.moves,
        "epoch": header.epoch,
        "selected": None if header.selected is None else point_document(header.selected),
        "memory": [leaf_document(leaf) for leaf in header.memory],
        "title": header.title,
        "metadata": header.metadata.to_bytes(),
        "prompt_version": header.prompt_version,
        "tool_set": header.tool_set,
        "prompt_key": header.prompt_key,
        "tool_set_key": header.tool_set_key,
        "creation": header.creation,
        "created_at": header.created_at,
        "updated_at": header.updated_at,
        "created_key": listing_key(header.created_at, scope.key),
        "updated_key": listing_key(header.updated_at, scope.key),
    }


def listing_key(time: datetime, key: Key) -> str:
    """What a listing sorts by: the time in milliseconds, then the conversation's key so that no two are equal."""
    return f"{round(time.timestamp() * 1000):015d}{key}"


def read_header(document: Mapping[str, Any]) -> Header:
    """The header in a document, whole or projected (title, metadata and memory may be left out).

    Raises:
        CorruptTreeError, SchemaTooNewError: if it cannot be read.
    """
    return _read(document, "conversations", _build_header)


def _build_header(document: Mapping[str, Any]) -> Header:
    selected = document["selected"]
    return Header(
        scope=Scope(
            _typed(document["tenant_id"], str, "tenant_id"),
            _typed(document["conversation_id"], str, "conversation_id"),
        ),
        version=_typed(document["version"], int, "version"),
        moves=_typed(document["moves"], int, "moves"),
        epoch=_typed(document["epoch"], int, "epoch"),
        selected=None if selected is None else read_point(selected),
        memory=tuple(
            RememberedLeaf(Key(one["key"]), Key(one["lane_key"]), _typed(one["depth"], int, "memory.depth"))
            for one in document.get("memory", ())
        ),
        title=_text_or_none(document.get("title")),
        metadata=ExactJson.stored(_typed(document.get("metadata", b"{}"), bytes, "metadata").decode()),
        prompt_version=_text_or_none(document.get("prompt_version")),
        tool_set=_text_or_none(document.get("tool_set")),
        prompt_key=_optional_key(document, "prompt_key"),
        tool_set_key=_optional_key(document, "tool_set_key"),
        creation=_typed(document.get("creation", b""), bytes, "creation"),
        created_at=_typed(document["created_at"], datetime, "created_at"),
        updated_at=_typed(document["updated_at"], datetime, "updated_at"),
    )


# ------------------------------------------------------------ revisions


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
    if message.as_string:
        document["as_string"] = True
    if message.provenance is not None:
        document["provenance"] = _provenance_bytes(message.provenance)
    if message.provider_data is not None:
        document["provider_data"] = message.provider_data.to_bytes()
    if revision.forks is not None:
        document["forks"] = _forks_document(revision.forks)
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
            id=_typed(document["revision_id"], str, "revision_id"),
            conversation_id=document["conversation_id"],
            parent_id=document["parent_id"],
            ordinal=_typed(document["ordinal"], int, "ordinal"),
            lane_id=document["lane_id"],
            depth=_typed(document["depth"], int, "depth"),
            message=_build_message(document),
            created_at=_typed(document["created_at"], datetime, "created_at"),
            selected=document["_id"] == selected_key,
            generation=None if generation is None else GenerationRecord.from_text(generation.decode()),
        )

    return _read(document, "revisions", build)


def _build_message(document: Mapping[str, Any]) -> Message:
    parts = document["parts"]
    provenance = document.get("provenance")
    extra = document.get("provider_data")
    return Message(
        role=Role(document["role"]),
        parts=tuple(
            decode_part(part["json"].decode(), place=f"parts[{index}]") for index, part in enumerate(parts)
        ),
        provenance=None if provenance is None else Provenance(**parse_value(provenance.decode())),
        as_string=document.get("as_string", False),
        provider_data=None if extra is None else ExactJson.stored(extra.decode()),
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
            parent_id=document["parent_id"],
            parent_key=Key(_typed(document["parent_key"], str, "parent_key")),
            ordinal=_typed(document["ordinal"], int, "ordinal"),
            encoded=_encoded(document),
            created_at=_typed(document["created_at"], datetime, "created_at"),
            moves_seen=_typed(document["moves_seen"], int, "moves_seen"),
            epoch=_typed(document["epoch"], int, "epoch"),
            forks=None if forks is None else _read_forks(forks),
            generation=None if generation is None else GenerationRecord.from_text(generation.decode()),
            prefix=document.get("prefix"),
        )

    return _read(document, "revisions", build)


def read_tree_revision(document: Mapping[str, Any]) -> TreeRevision:
    """The place of a revision in a document that is projected to it.

    Raises:
        CorruptTreeError, SchemaTooNewError: if it cannot be read.
    """

    def build(document: Mapping[str, Any]) -> TreeRevision:
        parent_id = document["parent_id"]
        return TreeRevision(
            id=_typed(document["revision_id"], str, "revision_id"),
            parent_id=None if parent_id is None else _typed(parent_id, str, "parent_id"),
            ordinal=_typed(document["ordinal"], int, "ordinal"),
            depth=_typed(document["depth"], int, "depth"),
            lane_id=_typed(document["lane_id"], str, "lane_id"),
            role=_typed(document["role"], str, "role"),
        )

    return _read(document, "revisions", build)


def read_facts(document: Mapping[str, Any]) -> RevisionFacts | CorruptTreeError:
    """What a check needs of a revision, or why it cannot be read."""
    try:
        return RevisionFacts.of(
            read_stored_revision(document),
            segment=_typed(document.get("segment"), str, "segment"),
            digest=_typed(document.get("digest"), bytes, "digest"),
        )
    except CorruptTreeError as error:
        return error
    except TypeError as error:
        return CorruptTreeError(problem=str(error), revision_id=_text_or_none(document.get("revision_id")))


def _encoded(document: Mapping[str, Any]) -> EncodedMessage:
    # The digest is taken over the bytes that are there, not over what they would be if written anew.
    message = _build_message(document)
    parts = tuple(_typed(part["json"], bytes, "parts.json") for part in document["parts"])
    return EncodedMessage(message, parts, message_digest(message, parts), encode_message(message).element)


# ------------------------------------------------------------ prompt versions and tool sets


def prompt_document(tenant_id: str, prompt: PromptVersion) -> Document:
    """The document of a prompt version; the hash in ``prompt_version`` names it within the tenant."""
    return {
        "_id": prompt_key(tenant_id, prompt.id),
        "schema": SCHEMA_NUMBER,
        "tenant_id": tenant_id,
        "prompt_version": prompt.id,
        "json": prompt.text.encode(),
    }


def read_prompt(document: Mapping[str, Any]) -> PromptVersion:
    """The prompt version in a document.

    Raises:
        CorruptTreeError, SchemaTooNewError: if it cannot be read.
    """
    return _read(
        document,
        "prompts",
        lambda one: PromptVersion(_typed(one["prompt_version"], str, "prompt_version"), one["json"].decode()),
    )


def tool_set_document(tenant_id: str, tool_set: ToolSet) -> Document:
    """The document of a tool set."""
    return {
        "_id": tool_set_key(tenant_id, tool_set.id),
        "schema": SCHEMA_NUMBER,
        "tenant_id": tenant_id,
        "tool_set": tool_set.id,
        "json": tool_set.text.encode(),
    }


def read_tool_set(document: Mapping[str, Any]) -> ToolSet:
    """The tool set in a document.

    Raises:
        CorruptTreeError, SchemaTooNewError: if it cannot be read.
    """
    return _read(
        document,
        "tool_sets",
        lambda one: ToolSet(_typed(one["tool_set"], str, "tool_set"), one["json"].decode()),
    )
