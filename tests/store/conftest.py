"""Fixtures of the store's tests."""

from collections.abc import Iterator

import pytest

from convotree import ConversationStore
from tests.conftest import Database
from tests.store.interloper import Interloper


@pytest.fixture
async def store(database: Database) -> ConversationStore:
    """A store that is set up, over an empty database."""
    fresh = ConversationStore(database)
    await fresh.setup()
    return fresh


@pytest.fixture
def commands(server_uri: str) -> Iterator[Interloper]:
    """What the test's clients send to the server; a test may let another process act in between."""
    interloper = Interloper(server_uri)
    yield interloper
    interloper.check()
