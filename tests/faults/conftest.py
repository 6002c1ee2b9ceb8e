"""A store for fault tests, set up on a database of its own."""

import pytest

from convotree import ConversationStore
from tests.conftest import Database


@pytest.fixture
async def store(database: Database) -> ConversationStore:
    fresh = ConversationStore(database)
    await fresh.setup()
    return fresh
