"""Opening a store from a URI: the store owns what is opened for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from convotree.errors import InvalidArgumentError
from convotree.settings import Settings
from convotree.storage.connecting import open_database
from convotree.store.store import ConversationStore

__all__ = ["open_store"]


@asynccontextmanager
async def open_store(
    uri: str, *, tenant_id: str = "default", settings: Settings | None = None
) -> AsyncIterator[ConversationStore]:
    """A store for as long as the ``async with`` block lasts, set up and ready.

    ``uri``: ``mongodb://…`` or ``mongodb+srv://…`` (database ``convotree`` unless it names one), or
    ``embedded:DIRECTORY``: an engine for development, tests and one user's machine, with its data in that directory
    (``~`` is the user's home), shared by the user's processes and started if need be (extra ``embedded``).

    Raises:
        InvalidArgumentError: for a URI that is none of these, or settings of another type.
        MissingExtraError, EmbeddedDirectoryError: if the embedded engine is not installed, or cannot use the directory.
        SchemaTooNewError: if a newer release has written to the database.
        EmbeddedStartError: if the embedded engine does not start; ``log_tail`` says what it printed.
        UnavailableError: if the database does not answer within the deadline.
    """
    chosen = Settings() if settings is None else settings
    if not isinstance(chosen, Settings):
        raise InvalidArgumentError(argument="settings", reason="a Settings was expected")
    async with open_database(uri, chosen) as database:
        store = ConversationStore(database, tenant_id=tenant_id, settings=chosen)
        await store.setup()
        yield store
