"""The schema of a database: its number, its indexes, and the way from an older number to this release's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from convotree.domain.limits import SCHEMA_NUMBER
from convotree.errors import CorruptTreeError, SchemaTooNewError
from convotree.storage.collections import COLLECTIONS, META, Index
from convotree.storage.driver import Driver, index_name
from convotree.storage.migrations.step import MigrationStep
from convotree.storage.migrations.steps import MIGRATIONS

__all__ = ["SchemaStorage"]

_ID: Final = "schema"


@dataclass(frozen=True, slots=True)
class SchemaStorage:
    """The schema number in collection ``meta``, and the indexes."""

    driver: Driver

    async def number(self) -> int:
        """The database's schema number; 0 if nothing was set up yet.

        Raises:
            CorruptTreeError: if the number cannot be read.
        """
        document = await self.driver.find_one(META, {"_id": _ID})
        if document is None:
            return 0
        number = document.get("number")
        if type(number) is not int or number < 0:
            raise CorruptTreeError(problem=f"the schema number of the database is {number!r}")
        return number

    async def set_up(self, migrations: Sequence[MigrationStep] = MIGRATIONS) -> None:
        """Refuse a newer schema, migrate an older one step by step, then make the indexes that are missing.

        Idempotent, resumable, and safe while other processes do the same.

        Raises:
            SchemaTooNewError: if a newer release has written here; nothing was changed.
            CorruptTreeError: if what is stored is in the way of an index.
        """
        number = await self.number()
        if number > SCHEMA_NUMBER:
            raise SchemaTooNewError(found=number, supported=SCHEMA_NUMBER, collection=META)
        if number == 0:
            await self.driver.insert_one(META, {"_id": _ID, "schema": SCHEMA_NUMBER, "number": 0})
        for step in migrations:
            if step.number > number:
                await self._migrate(step)
        await self._make_indexes()

    async def _migrate(self, step: MigrationStep) -> None:
        await step.apply(self.driver.collection)
        # Compare-and-set: of two processes one advances the number, and no process ever sets it back.
        await self.driver.update_one(
            META, {"_id": _ID, "number": step.number - 1}, {"$set": {"number": step.number}}
        )

    async def _make_indexes(self) -> None:
        for collection in COLLECTIONS:
            if not collection.indexes:
                continue
            present = await self.driver.index_names(collection.name)
            for index in collection.indexes:
                found: dict[str, Any] | None = present.get(index_name(index.keys))
                if found is None:
                    await self.driver.create_index(
                        collection.name, index.keys, unique=index.unique, sparse=index.sparse
                    )
                elif not _serves(found, index):
                    raise CorruptTreeError(
                        problem=(
                            f"index {index_name(index.keys)} of {collection.name} has other keys or options than "
                            "it must; drop it and run setup() again"
                        )
                    )


def _serves(found: Mapping[str, Any], index: Index) -> bool:
    """Whether an index that has the name of ``index`` does what that one must."""
    return (
        tuple(found["key"].items()) == index.keys
        and bool(found.get("unique", False)) is index.unique
        and bool(found.get("sparse", False)) is index.sparse
        and not any(found.get(option) for option in ("partialFilterExpression", "collation", "hidden"))
    )
