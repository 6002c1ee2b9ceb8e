"""The schema of a database: set up once, by whoever; older ones brought forward; newer ones refused."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from convotree.domain.limits import SCHEMA_NUMBER
from convotree.errors import CorruptTreeError, SchemaTooNewError
from convotree.settings import Settings
from convotree.storage.collections import COLLECTIONS
from convotree.storage.driver import Driver, index_name
from convotree.storage.migrations.step import MigrationStep
from convotree.storage.migrations.steps import MIGRATIONS
from convotree.storage.schema import SchemaStorage
from tests.command_log import CommandLog
from tests.conftest import Database


def schema(database: Database) -> SchemaStorage:
    settings = Settings()
    return SchemaStorage(
        Driver.of(database, prefix=settings.collection_prefix, timeout_ms=settings.operation_timeout_ms)
    )


async def set_number(database: Database, number: object) -> None:
    await database["convotree_meta"].update_one({"_id": "schema"}, {"$set": {"number": number}}, upsert=True)


async def indexes(database: Database, collection: str) -> set[str]:
    found = await database[collection].index_information()
    return set(found) - {"_id_"}


async def test_a_new_database_gets_its_number_and_its_indexes(database: Database) -> None:
    await schema(database).set_up()

    assert await schema(database).number() == SCHEMA_NUMBER
    for collection in COLLECTIONS:
        if collection.indexes:
            expected = {index_name(index.keys) for index in collection.indexes}
            assert await indexes(database, f"convotree_{collection.name}") == expected


async def test_again_writes_nothing(database: Database, commands: CommandLog) -> None:
    await schema(database).set_up()
    commands.clear()

    await schema(database).set_up()

    assert set(commands.names) == {"find", "listIndexes"}


async def test_many_at_once_agree(database: Database) -> None:
    await asyncio.gather(*(schema(database).set_up() for _ in range(8)))

    assert await schema(database).number() == SCHEMA_NUMBER


async def test_a_newer_database_is_refused_and_not_touched(database: Database, commands: CommandLog) -> None:
    await set_number(database, SCHEMA_NUMBER + 1)
    commands.clear()

    with pytest.raises(SchemaTooNewError) as caught:
        await schema(database).set_up()

    assert (caught.value.found, caught.value.supported) == (SCHEMA_NUMBER + 1, SCHEMA_NUMBER)
    assert commands.names == ["find"]


@pytest.mark.parametrize("number", ["1", None, -1, 1.0, True])
async def test_a_number_that_is_none_is_damage(database: Database, number: object) -> None:
    await set_number(database, number)

    with pytest.raises(CorruptTreeError):
        await schema(database).set_up()


@pytest.mark.parametrize("options", [{"unique": False}, {"unique": True, "sparse": True}], ids=str)
async def test_an_index_that_would_not_do_is_named(database: Database, options: dict[str, Any]) -> None:
    keys = [("tenant_id", 1), ("conversation_id", 1), ("parent_id", 1), ("ordinal", 1)]
    await database["convotree_revisions"].create_index(keys, name=index_name(keys), **options)

    with pytest.raises(CorruptTreeError) as caught:
        await schema(database).set_up()

    assert index_name(keys) in caught.value.problem


async def test_an_index_of_other_keys_under_the_name_is_named(database: Database) -> None:
    await database["convotree_revisions"].create_index([("role", 1)], name="segment_1_depth_1")

    with pytest.raises(CorruptTreeError, match="segment_1_depth_1"):
        await schema(database).set_up()


async def test_documents_in_the_way_of_an_index_are_damage(database: Database) -> None:
    place = {"tenant_id": "t", "conversation_id": "c", "parent_id": None, "ordinal": 0}
    await database["convotree_revisions"].insert_many([{"_id": "a", **place}, {"_id": "b", **place}])

    with pytest.raises(CorruptTreeError) as caught:
        await schema(database).set_up()

    assert "equal documents of revisions" in caught.value.problem
    await database["convotree_revisions"].delete_one({"_id": "b"})
    await schema(database).set_up()


async def test_another_index_in_the_way_is_damage(database: Database) -> None:
    await database["convotree_revisions"].create_index([("parent_key", 1), ("ordinal", 1)], name="other")

    with pytest.raises(CorruptTreeError, match="another index"):
        await schema(database).set_up()


class Recorder:
    """Migrations after the real ones that record what was run; one of them fails as often as it is told."""

    def __init__(self, *, failures: int = 0) -> None:
        self.ran: list[int] = []
        self.failures = failures

    def step(self, number: int) -> MigrationStep:
        async def apply(collection: Callable[[str], Any]) -> None:
            self.ran.append(number)
            await collection("conversations").update_many({}, {"$set": {f"step_{number}": True}})
            if self.failures and number == 3:
                self.failures -= 1
                raise RuntimeError("stopped in the middle")

        return MigrationStep(number, "a test's", apply)

    @property
    def steps(self) -> tuple[MigrationStep, ...]:
        return (*MIGRATIONS, self.step(2), self.step(3), self.step(4))


@pytest.mark.whole_database
async def test_an_older_database_is_brought_forward_step_by_step(database: Database) -> None:
    await database["convotree_conversations"].insert_one({"_id": "old"})
    recorder = Recorder()

    await schema(database).set_up(recorder.steps)

    assert recorder.ran == [2, 3, 4]
    assert await schema(database).number() == 4
    old = await database["convotree_conversations"].find_one({})
    assert old is not None
    assert {"step_2", "step_3", "step_4"} <= set(old)


@pytest.mark.whole_database
async def test_a_stopped_migration_is_taken_up_where_it_stopped(database: Database) -> None:
    recorder = Recorder(failures=1)
    with pytest.raises(RuntimeError):
        await schema(database).set_up(recorder.steps)
    assert await schema(database).number() == 2

    # This release's schema is 1, so the number is set back to what a release with these steps would accept.
    await set_number(database, 1)
    recorder.ran.clear()
    await schema(database).set_up(recorder.steps)

    assert recorder.ran == [2, 3, 4]
    assert await schema(database).number() == 4


@pytest.mark.whole_database
async def test_a_number_is_never_set_back(database: Database) -> None:
    await schema(database).set_up()
    await set_number(database, 4)

    await schema(database)._migrate(Recorder().step(2))

    assert await schema(database).number() == 4
