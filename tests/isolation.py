"""Whether a command can reach one conversation only: by equality on tenant and conversation, or on a key of both.

Held against every command that the library sends in the whole suite (``tests/conftest.py``). It is the proof that
tenants cannot see each other, and that on a cluster sharded by tenant and conversation every operation goes to one
shard: the sharded forms of the same filters are compared with these in ``tests/storage/test_sharded_forms.py``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from convotree.storage.collections import COLLECTIONS

__all__ = ["EXCEPTIONS", "is_of_the_library", "reaches_beyond"]

_KEY = re.compile(r"[A-Za-z0-9_-]{24}")
_SEGMENT = re.compile(r"[A-Za-z0-9_-]{24}:\d+")
_KEY_FIELDS = frozenset({"_id", "parent_key", "call_keys", "segment"})
"""Each value of these is derived from tenant and conversation, or from tenant and content hash."""
_READS = frozenset({"find", "aggregate", "count", "distinct"})
_WRITES = frozenset({"insert", "update", "delete", "findAndModify"})
_NO_DATA = frozenset({"createIndexes", "listIndexes", "getMore", "killCursors"})
"""They name no document: indexes are for all, and a cursor was opened by a command that was looked at."""
_SHARED = frozenset({"prompts", "tool_sets"})

EXCEPTIONS = {
    "conversations": "a listing is of a tenant: equality on tenant_id",
    "prompts": "prompt versions are shared within a tenant: equality on tenant_id where they are inserted",
    "tool_sets": "tool sets are shared within a tenant: equality on tenant_id where they are inserted",
    "meta": "one document for the whole database, which holds its schema number",
}


def is_of_the_library(command: Mapping[str, Any]) -> bool:
    """Whether the library sent it: it alone states its concerns in every command. Tests that write past it do not."""
    written = command.get("writeConcern", {})
    return command.get("readConcern") == {"level": "local"} or (
        written.get("w") == "majority" and written.get("j") is True
    )


def reaches_beyond(command: Mapping[str, Any]) -> list[str]:
    """Why the command can reach more than one conversation; empty if it cannot."""
    name = next(iter(command))
    if name in _NO_DATA:
        return []
    if name not in _READS | _WRITES:
        return [f"{name} is no command that is known to be of one conversation"]
    collection = _collection(str(command[name]))
    if collection is None:
        return []  # a test of the driver itself, on a collection of its own
    if name == "aggregate":
        return list(_of_pipeline(command["pipeline"], collection, whole=True))
    if name == "insert":
        return [why for document in command["documents"] for why in _of_document(document, collection)]
    parts = {"update": ("updates", "q"), "delete": ("deletes", "q")}.get(name)
    if parts is not None:
        return [why for one in command[parts[0]] for why in _of_filter(one[parts[1]], collection)]
    return list(_of_filter(command.get("filter", command.get("query", {})), collection))


def _collection(name: str) -> str | None:
    """Which of the library's collections this is, whatever prefix it has."""
    return next((kept.name for kept in COLLECTIONS if name.endswith(f"_{kept.name}")), None)


def _of_pipeline(stages: Sequence[Any], collection: str, *, whole: bool) -> Iterator[str]:
    if whole:
        first = stages[0] if stages else {}
        if "$match" not in first:
            yield f"a pipeline on {collection} does not begin with a match"
        else:
            yield from _of_filter(first["$match"], collection)
    for stage in stages:
        ((operator, argument),) = stage.items()
        if operator == "$lookup":
            yield from _of_join(argument)
        elif operator in ("$unionWith", "$graphLookup", "$facet", "$out", "$merge"):
            yield f"{operator} on {collection}"


def _of_join(join: Mapping[str, Any]) -> Iterator[str]:
    inner = join.get("pipeline", [])
    if join.get("foreignField") not in _KEY_FIELDS:
        if not inner or "$match" not in inner[0]:
            yield f"a join with {join['from']} by {join.get('foreignField')!r}, which is no derived key"
        else:
            yield from _of_filter(inner[0]["$match"], str(join["from"]))
    yield from _of_pipeline(inner, str(join["from"]), whole=False)


def _of_filter(query: Mapping[str, Any], collection: str) -> Iterator[str]:
    of_tenant = type(query.get("tenant_id")) is str
    if of_tenant and (type(query.get("conversation_id")) is str or collection == "conversations"):
        return
    if any(_is_key(field, query[field]) for field in _KEY_FIELDS & query.keys()):
        return
    if collection == "meta" and type(query.get("_id")) is str:
        return
    yield f"a filter on {collection} by {dict(query)!r:.300}"


def _is_key(field: str, value: Any) -> bool:
    """Equality with one key or some of them."""
    form = _SEGMENT if field == "segment" else _KEY
    values = value["$in"] if isinstance(value, Mapping) and list(value) == ["$in"] else [value]
    return all(type(one) is str and form.fullmatch(one) is not None for one in values)


def _of_document(document: Mapping[str, Any], collection: str) -> Iterator[str]:
    if collection == "meta" or (
        type(document.get("tenant_id")) is str
        and (collection in _SHARED or type(document.get("conversation_id")) is str)
    ):
        return
    yield f"a document for {collection} that does not say whose it is"
