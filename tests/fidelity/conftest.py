"""A store for tests of fidelity: one database for all examples of a test, a fresh conversation for each."""

import pytest

from convotree import ConversationStore
from tests.conftest import Database


@pytest.fixture
async def store(database: Database) -> ConversationStore:
    fresh = ConversationStore(database)
    await fresh.setup()
    return fresh
