"""The collections and their indexes, as data: what each is for and which query needs which index.

Each secondary index costs an insert about 45 microseconds on the embedded engine, so each names its reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = [
    "COLLECTIONS",
    "CONVERSATIONS",
    "COUNTERS",
    "META",
    "PROMPTS",
    "REVISIONS",
    "TOOL_SETS",
    "Collection",
    "Index",
]

CONVERSATIONS: Final = "conversations"
REVISIONS: Final = "revisions"
PROMPTS: Final = "prompts"
TOOL_SETS: Final = "tool_sets"
COUNTERS: Final = "counters"
META: Final = "meta"


@dataclass(frozen=True, slots=True)
class Index:
    """One index: its keys with directions, and the query that needs it. ``sparse``: only documents that have the key
    are in it.
    """

    keys: tuple[tuple[str, int], ...]
    reason: str
    unique: bool = False
    sparse: bool = False


@dataclass(frozen=True, slots=True)
class Collection:
    """One collection: what it holds, and its secondary indexes."""

    name: str
    holds: str
    indexes: tuple[Index, ...] = ()


COLLECTIONS: Final = (
    Collection(
        CONVERSATIONS,
        "one header for each conversation: pointer, title, metadata, current prompt and tools",
        (
            Index(
                (("tenant_id", 1), ("created_key", -1)),
                "list: newest created first, one trailing operator so that every engine uses it",
            ),
            Index((("tenant_id", 1), ("updated_key", -1)), "list by last update"),
        ),
    ),
    Collection(
        REVISIONS,
        "one immutable document for each revision, with its coordinates",
        (
            Index(
                (("tenant_id", 1), ("conversation_id", 1), ("parent_id", 1), ("ordinal", 1)),
                "two writers cannot take one ordinal; tree and verify read its prefix; holds the shard key",
                unique=True,
            ),
            Index(
                (("segment", 1), ("depth", 1)), "path: the join by segment needs an index that leads with it"
            ),
            Index((("parent_key", 1), ("ordinal", 1)), "siblings: the join by parent"),
            Index(
                (("call_keys", 1),),
                "an id of a tool call is found wherever it is used; costs only messages with tool parts",
                sparse=True,
            ),
        ),
    ),
    Collection(PROMPTS, "prompt versions by hash, shared within a tenant"),
    Collection(TOOL_SETS, "tool sets by hash, shared within a tenant"),
    Collection(COUNTERS, "the next ordinal below a parent that has more than one child"),
    Collection(META, "the schema number of the database"),
)
