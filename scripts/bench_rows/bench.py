"""What every group of rows works with: a store and the bare driver under it, on one server."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bson.codec_options import CodecOptions
from motor.motor_asyncio import AsyncIOMotorClient
from pymongo import AsyncMongoClient, WriteConcern
from pymongo.monitoring import CommandFailedEvent, CommandListener, CommandStartedEvent, CommandSucceededEvent

from convotree import ConversationStore, Settings
from convotree.domain.stored import Scope
from convotree.storage.collections import COLLECTIONS, REVISIONS
from convotree.storage.driver import Document, Driver
from scripts.bench_rows.timing import Action

PREFIX = "bench_"
TENANT = "default"
DRIVERS = ("pymongo", "motor")

Documents = list[Document]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is stored and how often each thing is measured."""

    path: int = 1_000
    aside: int = 100_000
    aside_branches: int = 100
    depths: tuple[int, ...] = (10, 1_000, 10_000)
    siblings: tuple[int, ...] = (3, 1_000)
    deep: int = 10_000
    long: int = 20_000
    side_branches: int = 50
    window: int = 50
    forks: tuple[int, ...] = (1, 64, 65, 200)
    inserts: int = 500
    runs: int = 15
    writes: int = 60


FULL = Sizes()
QUICK = Sizes(aside=10_000, long=5_000, inserts=100, runs=5, writes=20)


class RoundTrips(CommandListener):
    """Counts the commands a client sends, by name."""

    def __init__(self) -> None:
        self.names: Counter[str] = Counter()

    def started(self, event: CommandStartedEvent) -> None:
        self.names[event.command_name] += 1

    def succeeded(self, event: CommandSucceededEvent) -> None:
        """Required by the interface; a round trip counts when it is sent."""

    def failed(self, event: CommandFailedEvent) -> None:
        """Required by the interface; a round trip counts when it is sent."""


@dataclass(frozen=True, slots=True)
class Bench:
    """A store and the same database by the bare driver. ``counted``: the same store on a client that counts."""

    store: ConversationStore
    database: Any
    counted: ConversationStore
    round_trips: RoundTrips
    sizes: Sizes

    @property
    def driver(self) -> Driver:
        """The library's own driver seam, for what is measured without the library's decoding."""
        return Driver.of(self.database, prefix=PREFIX, timeout_ms=600_000)

    def collection(self, name: str) -> Any:
        """A collection by the bare driver, with the write concern and time zone that the library uses."""
        return self.database.get_collection(
            PREFIX + name,
            codec_options=CodecOptions(tz_aware=True),
            write_concern=WriteConcern(w="majority", j=True),
        )

    async def documents(self, conversation_id: str, revision_ids: Sequence[str] | None = None) -> Documents:
        """The stored revisions of a conversation (those of ``revision_ids``, in that order)."""
        scope = {"tenant_id": TENANT, "conversation_id": conversation_id}
        found: Documents = await self.collection(REVISIONS).find(scope).to_list(None)
        if revision_ids is None:
            return found
        by_id = {document["revision_id"]: document for document in found}
        return [by_id[one] for one in revision_ids]

    async def find_of_copy(self, name: str, documents: Documents) -> Action:
        """A plain ``find`` of ``documents``, which stand alone in a collection, by the index of the original."""
        collection = self.collection(name)
        await collection.drop()
        await collection.create_index(
            [("tenant_id", 1), ("conversation_id", 1), ("parent_id", 1), ("ordinal", 1)]
        )
        await collection.insert_many(documents)
        scope = {field: documents[0][field] for field in ("tenant_id", "conversation_id")}

        async def find() -> Documents:
            found: Documents = await collection.find(scope).to_list(None)
            assert len(found) == len(documents)
            return found

        return find

    async def indexed_collection(self, name: str) -> None:
        """Make an empty collection with the indexes that the revisions have."""
        collection = self.collection(name)
        await collection.drop()
        for kept in COLLECTIONS:
            if kept.name == REVISIONS:
                for index in kept.indexes:
                    await collection.create_index(list(index.keys), unique=index.unique)


def scope_of(conversation_id: str) -> Scope:
    """The scope of a conversation of the benchmark's tenant."""
    return Scope(TENANT, conversation_id)


@asynccontextmanager
async def open_bench(uri: str, database: str, driver: str, sizes: Sizes) -> AsyncIterator[Bench]:
    """The bench on one driver (``pymongo`` or ``motor``), on a database that is there or is made."""
    round_trips = RoundTrips()
    make: Any = AsyncMongoClient if driver == "pymongo" else AsyncIOMotorClient
    plain, counting = make(uri), make(uri, event_listeners=[round_trips])
    settings = Settings(collection_prefix=PREFIX, operation_timeout_ms=600_000)
    store = ConversationStore(plain[database], settings=settings)
    try:
        await store.setup()
        counted = ConversationStore(counting[database], settings=settings)
        await counted.setup()
        yield Bench(store, plain[database], counted, round_trips, sizes)
    finally:
        for client in (plain, counting):
            closing = client.close()
            if closing is not None:
                await closing
