"""Connecting to a database that the library opens itself: from a URI to a database of pymongo's async client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import anyio
from pymongo import AsyncMongoClient
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import ConfigurationError, InvalidURI, PyMongoError

from convotree.errors import InvalidArgumentError, UnavailableError
from convotree.settings import Settings

__all__ = ["open_database"]

_DEFAULT_DATABASE: Final = "convotree"
_EMBEDDED: Final = "embedded:"


@asynccontextmanager
async def open_database(uri: str, settings: Settings) -> AsyncIterator[AsyncDatabase[Any]]:
    """A database for as long as the block lasts; what was opened for it is closed at its end.

    ``mongodb://`` and ``mongodb+srv://`` (default database ``convotree``), or ``embedded:DIRECTORY``.

    Raises:
        InvalidArgumentError: for another URI, or one that the driver cannot read.
        EmbeddedEngineMissingError, EmbeddedDirectoryError, EmbeddedStartError: see ``serve_directory``.
        UnavailableError: if the host of a ``mongodb+srv://`` URI cannot be resolved.
    """
    if type(uri) is not str:
        raise InvalidArgumentError(argument="uri", reason=f"a string was expected, not {type(uri).__name__}")
    if uri.startswith(_EMBEDDED):
        directory = _directory_of(uri)
        # Imported here: who connects to a server does not wait at start-up for what starts one.
        from convotree.storage.embedded import serve_directory

        async with (
            serve_directory(directory, start_timeout=settings.start_timeout_ms / 1000) as server,
            _connect(server.uri, settings) as database,
        ):
            yield database
        return
    if not uri.startswith(("mongodb://", "mongodb+srv://")):
        # The text may hold a password: only what stands before the first colon is repeated.
        raise InvalidArgumentError(
            argument="uri",
            reason=f"scheme {uri.partition(':')[0][:32]!r} is not mongodb://, mongodb+srv:// or embedded:",
        )
    async with _connect(uri, settings) as database:
        yield database


def _directory_of(uri: str) -> str:
    directory = uri.removeprefix(_EMBEDDED)
    if not directory:
        raise InvalidArgumentError(
            argument="uri", reason="embedded: must name a directory, as in embedded:./data"
        )
    if not directory.startswith("~"):
        return directory
    # No shell reads the URI: without this, ~ would become a directory of that name.
    try:
        return str(Path(directory).expanduser())
    except RuntimeError as error:
        raise InvalidArgumentError(argument="uri", reason=f"{directory!r}: {error}") from error


@asynccontextmanager
async def _connect(uri: str, settings: Settings) -> AsyncIterator[AsyncDatabase[Any]]:
    try:
        client: AsyncMongoClient[Any] = AsyncMongoClient(
            uri, serverSelectionTimeoutMS=settings.operation_timeout_ms, tz_aware=True
        )
        database = client.get_default_database(_DEFAULT_DATABASE)
    except (InvalidURI, ConfigurationError, ValueError) as error:
        raise InvalidArgumentError(argument="uri", reason=f"the driver cannot use it: {error}") from error
    except PyMongoError as error:
        raise UnavailableError(operation="connect", reason=type(error).__name__) from error
    try:
        yield database
    finally:
        with anyio.CancelScope(shield=True):
            await client.close()
