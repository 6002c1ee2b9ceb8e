"""The document of a conversation's header."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from convotree.domain.exact_json import ExactJson
from convotree.domain.limits import SCHEMA_NUMBER
from convotree.domain.stored import Header, RememberedLeaf, Scope
from convotree.errors import CorruptTreeError
from convotree.identity import Key
from convotree.storage.documents.coordinates import (
    leaf_document,
    optional_key,
    point_document,
    read_point,
)
from convotree.storage.documents.reading import optional_text, read_document, stored_key, typed
from convotree.storage.driver import Document

__all__ = ["header_document", "listing_key", "owned_header", "read_header"]


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
    return read_document(document, "conversations", _build_header)


def owned_header(header: Header, scope: Scope) -> Header:
    """``header``, if it says that it is of ``scope``: all that is written goes where it says.

    Raises:
        CorruptTreeError: otherwise.
    """
    if header.scope != scope:
        raise CorruptTreeError(
            problem="its header says that it is of another conversation",
            conversation_id=scope.conversation_id,
        )
    return header


def _metadata(document: Mapping[str, Any]) -> ExactJson:
    """Left out of a projection, it is an empty object."""
    text = typed(document.get("metadata", b"{}"), bytes, "metadata").decode()
    if not (text.startswith("{") and text.endswith("}")):
        raise ValueError("the metadata is no JSON object")
    return ExactJson.stored(text)


def _build_header(document: Mapping[str, Any]) -> Header:
    selected = document["selected"]
    return Header(
        scope=Scope(
            typed(document["tenant_id"], str, "tenant_id"),
            typed(document["conversation_id"], str, "conversation_id"),
        ),
        version=typed(document["version"], int, "version"),
        moves=typed(document["moves"], int, "moves"),
        epoch=typed(document["epoch"], int, "epoch"),
        selected=None if selected is None else read_point(selected),
        memory=tuple(
            RememberedLeaf(
                stored_key(one["key"], "memory.key"),
                stored_key(one["lane_key"], "memory.lane_key"),
                typed(one["depth"], int, "memory.depth"),
            )
            for one in document.get("memory", ())
        ),
        title=optional_text(document, "title"),
        metadata=_metadata(document),
        prompt_version=optional_text(document, "prompt_version"),
        tool_set=optional_text(document, "tool_set"),
        prompt_key=optional_key(document, "prompt_key"),
        tool_set_key=optional_key(document, "tool_set_key"),
        creation=typed(document.get("creation", b""), bytes, "creation"),
        created_at=typed(document["created_at"], datetime, "created_at"),
        updated_at=typed(document["updated_at"], datetime, "updated_at"),
    )
