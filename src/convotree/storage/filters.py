"""Filters: which documents a find, update or delete means. Values stand bare: ``{"$eq": …}`` disables indexes on the
embedded engine. Every value was checked to be a plain string before it came here.

A key contains tenant and conversation; on a sharded cluster both are named beside it, so that one shard is asked.
"""

from __future__ import annotations

from collections.abc import Iterable

from convotree.domain.stored import Scope
from convotree.identity import Key
from convotree.storage.driver import Document

__all__ = [
    "all_revisions",
    "by_call_keys",
    "by_key",
    "by_keys",
    "children_of",
    "first_child_of",
    "header",
    "tenant_page",
]


def header(scope: Scope, *, sharded: bool) -> Document:
    """The header of one conversation."""
    return by_key(scope, scope.key, sharded=sharded)


def by_key(scope: Scope, key: Key, *, sharded: bool) -> Document:
    """One document of a conversation by its key."""
    if sharded:
        return {"_id": key, "tenant_id": scope.tenant_id, "conversation_id": scope.conversation_id}
    return {"_id": key}


def by_keys(scope: Scope, keys: Iterable[Key], *, sharded: bool) -> Document:
    """Documents of a conversation by their keys."""
    query: Document = {"_id": {"$in": list(keys)}}
    if sharded:
        query |= {"tenant_id": scope.tenant_id, "conversation_id": scope.conversation_id}
    return query


def first_child_of(scope: Scope, key: Key, *, sharded: bool) -> Document:
    """The child of ordinal 0 of the revision of this key."""
    query: Document = {"parent_key": key, "ordinal": 0}
    if sharded:
        query |= {"tenant_id": scope.tenant_id, "conversation_id": scope.conversation_id}
    return query


def by_call_keys(scope: Scope, keys: Iterable[Key], *, sharded: bool) -> Document:
    """Revisions of a conversation that hold a call or a result of one of these keys."""
    query: Document = {"call_keys": {"$in": list(keys)}}
    if sharded:
        query |= {"tenant_id": scope.tenant_id, "conversation_id": scope.conversation_id}
    return query


def all_revisions(scope: Scope) -> Document:
    """All revisions of a conversation, in unspecified order."""
    return {"tenant_id": scope.tenant_id, "conversation_id": scope.conversation_id}


def children_of(scope: Scope, parent_id: str | None) -> Document:
    """The children of a revision, or the roots."""
    return all_revisions(scope) | {"parent_id": parent_id}


def tenant_page(tenant_id: str, field: str, after: str | None) -> Document:
    """One page of a tenant's conversations: those that sort behind ``after``. Names the tenant only: a listing."""
    query: Document = {"tenant_id": tenant_id}
    if after is not None:
        query[field] = {"$lt": after}
    return query
