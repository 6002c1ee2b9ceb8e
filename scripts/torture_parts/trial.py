"""What every part works with: servers, seeds, a deadline, and the tally of what was done and what was found."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import uuid4

from motor.motor_asyncio import AsyncIOMotorClient
from pymongo import AsyncMongoClient

from convotree import ConversationStore, Settings

__all__ = ["Tally", "Trial", "connected", "drop", "fresh_database"]


@dataclass
class Tally:
    """``counts``: what was done, by name. ``faults``: what went wrong, each a sentence that says where and how."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def found(self, fault: str) -> None:
        """Remember a fault; the trial goes on."""
        self.faults.append(fault)
        print(f"\nFAULT {fault}", file=sys.stderr, flush=True)


@dataclass
class Trial:
    """One part's share of a run. ``uri``: the server that all parts share. ``random`` follows from seed and part."""

    part: str
    uri: str
    drivers: tuple[str, ...]
    seed: int
    deadline: float
    tally: Tally
    random: Random = field(init=False)
    _shown: float = 0.0

    def __post_init__(self) -> None:
        self.random = Random(f"{self.seed} {self.part}")

    def goes_on(self) -> bool:
        """Whether there is time left; shows how far it is, about once a second."""
        now = time.monotonic()
        if sys.stderr.isatty() and now - self._shown > 1:
            self._shown = now
            counts = ", ".join(f"{count:,} {name}" for name, count in self.tally.counts.items())
            print(
                f"\r{self.part}: {self.deadline - now:4.0f} s left; {counts}",
                end="",
                file=sys.stderr,
                flush=True,
            )
        return now < self.deadline


def fresh_database() -> str:
    """The name of a database that nobody else uses."""
    return f"convotree_torture_{uuid4().hex[:12]}"


@asynccontextmanager
async def connected(
    uri: str, driver: str, database: str, *, settings: Settings | None = None, **options: Any
) -> AsyncIterator[ConversationStore]:
    """A store on a client of its own, closed at the end."""
    client: Any = (AsyncMongoClient if driver == "pymongo" else AsyncIOMotorClient)(uri, **options)
    try:
        yield ConversationStore(client[database], settings=settings)
    finally:
        closing = client.close()
        if closing is not None:
            await closing


async def drop(uri: str, database: str) -> None:
    """Remove what a part has left."""
    async with AsyncMongoClient[dict[str, Any]](uri) as client:
        await client.drop_database(database)
