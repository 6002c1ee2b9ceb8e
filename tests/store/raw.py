"""The stored documents themselves, past the library: to look at them, and to damage them on purpose."""

from collections.abc import Mapping
from typing import Any

from tests.conftest import Database


async def documents(database: Database, collection: str) -> list[dict[str, Any]]:
    """All documents of a collection of the library."""
    return await database[f"convotree_{collection}"].find().to_list(None)


async def revision(database: Database, revision_id: str) -> dict[str, Any]:
    """The document of one revision."""
    found = await database["convotree_revisions"].find_one({"revision_id": revision_id})
    assert found is not None
    return found


async def header(database: Database) -> dict[str, Any]:
    """The document of the only conversation."""
    (found,) = await documents(database, "conversations")
    return found


async def change_revision(database: Database, revision_id: str, fields: Mapping[str, Any]) -> None:
    """Set fields of a revision's document."""
    result = await database["convotree_revisions"].update_one(
        {"revision_id": revision_id}, {"$set": dict(fields)}
    )
    assert result.matched_count == 1


async def change_header(database: Database, fields: Mapping[str, Any]) -> None:
    """Set fields of the only conversation's document."""
    result = await database["convotree_conversations"].update_one({}, {"$set": dict(fields)})
    assert result.matched_count == 1


async def remove_revision(database: Database, revision_id: str) -> None:
    """Remove a revision's document."""
    result = await database["convotree_revisions"].delete_one({"revision_id": revision_id})
    assert result.deleted_count == 1


async def count(database: Database, collection: str) -> int:
    """How many documents a collection of the library holds."""
    return await database[f"convotree_{collection}"].count_documents({})
