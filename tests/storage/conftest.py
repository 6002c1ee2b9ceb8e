"""Fixtures of the storage's tests."""

import pytest

from convotree.settings import Settings
from convotree.storage.storage import Storage
from tests.conftest import Database


@pytest.fixture
async def storage(database: Database) -> Storage:
    """The storages of an empty database that is set up."""
    fresh = Storage.of(database, Settings())
    await fresh.schema.set_up()
    return fresh
