"""All storages of a database share one driver."""

import pytest

from convotree.errors import InvalidArgumentError
from convotree.settings import Settings
from convotree.storage.storage import Storage
from tests.command_log import CommandLog
from tests.conftest import Database


async def test_making_one_does_no_io(database: Database, commands: CommandLog) -> None:
    commands.clear()

    storage = Storage.of(database, Settings(collection_prefix="mine_", operation_timeout_ms=1500))

    assert commands.names == []
    assert storage.conversations.driver is storage.revisions.driver is storage.counters.driver
    assert storage.prompts.driver.collection("prompts").name == "mine_prompts"
    assert storage.schema.driver.timeout == 1.5


@pytest.mark.parametrize("database", [None, object(), "mongodb://localhost"], ids=repr)
def test_anything_but_an_asynchronous_database_is_refused(database: object) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        Storage.of(database, Settings())

    assert caught.value.argument == "database"
