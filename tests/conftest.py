"""Fixtures that every test may use. Clients are created here and nowhere else in the tests.

The suite's server is chosen by one environment variable, ``CONVOTREE_TEST_URI``; unset, the suite runs an
embedded engine of its own. Tests that use ``database`` run once for each driver, on a database of their own
that is dropped afterwards.
"""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings
from motor.motor_asyncio import AsyncIOMotorClient, AsyncIOMotorDatabase
from pymongo import AsyncMongoClient
from pymongo.asynchronous.database import AsyncDatabase

from tests.command_log import CommandLog
from tests.engine_process import engine_process

Client = AsyncMongoClient[dict[str, Any]] | AsyncIOMotorClient[dict[str, Any]]
Database = AsyncDatabase[dict[str, Any]] | AsyncIOMotorDatabase[dict[str, Any]]

REPOSITORY = Path(__file__).resolve().parent.parent

# No test measures time: how long an example takes says something about the machine, not about the library.
settings.register_profile("convotree", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("convotree")


class Connect(Protocol):
    """Opens a client of the test's driver, closed at the end of the block; ``options`` go to the client."""

    def __call__(self, uri: str | None = None, **options: Any) -> AbstractAsyncContextManager[Client]: ...


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The drivers know asyncio only."""
    return "asyncio"


@pytest.fixture(scope="session")
def server_uri() -> Iterator[str]:
    """The URI of the suite's server, without a database name."""
    given = os.environ.get("CONVOTREE_TEST_URI")
    if given:
        yield given
    else:
        with engine_process() as uri:
            yield uri


@pytest.fixture(params=["pymongo", "motor"])
def driver(request: pytest.FixtureRequest) -> str:
    """The driver a test runs on; parametrise it directly to run on one only."""
    name = request.param
    assert isinstance(name, str)
    return name


@pytest.fixture
def commands(request: pytest.FixtureRequest) -> Iterator[CommandLog]:
    """What the test's clients send to the server. Nothing that the library sends may reach beyond one conversation."""
    log = CommandLog()
    yield log
    if request.node.get_closest_marker("whole_database") is None:
        assert log.beyond == []


@pytest.fixture
def connect(server_uri: str, driver: str, commands: CommandLog) -> Connect:
    """For a test that needs more than one client, or one with options of its own."""

    # A client belongs to the event loop it is made on, so it lives no longer than its test.
    @asynccontextmanager
    async def open_client(uri: str | None = None, **options: Any) -> AsyncIterator[Client]:
        if driver == "pymongo":
            async with AsyncMongoClient[dict[str, Any]](
                uri or server_uri, event_listeners=[commands], **options
            ) as client:
                yield client
        else:
            motor_client = AsyncIOMotorClient[dict[str, Any]](
                uri or server_uri, event_listeners=[commands], **options
            )
            try:
                yield motor_client
            finally:
                motor_client.close()

    return open_client


@pytest.fixture
async def client(connect: Connect) -> AsyncIterator[Client]:
    async with connect() as opened:
        yield opened


@pytest.fixture
async def database(client: Client) -> AsyncIterator[Database]:
    """An empty database with a name of its own, dropped after the test."""
    fresh = client[f"convotree_test_{uuid4().hex}"]
    yield fresh
    await client.drop_database(fresh.name)


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of the shared sample data, which is no part of the project."""
    given = os.environ.get("CONVOTREE_CASES")
    folder = Path(given) if given else REPOSITORY.parent / "shared" / "cases"
    if given and not folder.is_dir():
        pytest.fail(f"CONVOTREE_CASES names {given}, which is no folder")
    if not folder.is_dir():
        pytest.skip("no shared cases: set CONVOTREE_CASES to their folder")
    return folder
