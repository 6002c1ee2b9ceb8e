"""Another process that acts between two commands of the client under test: races that are always lost."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pymongo import AsyncMongoClient
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.monitoring import CommandStartedEvent

from tests.command_log import CommandLog

Act = Callable[[AsyncDatabase[dict[str, Any]]], Awaitable[object]]


class Interloper(CommandLog):
    """A command log that lets another client act just before a command is sent."""

    def __init__(self, uri: str) -> None:
        super().__init__()
        self._uri = uri
        self._waiting: list[tuple[str, str, str, Act]] = []
        self._failures: list[BaseException] = []

    def once_before(self, command: str, collection: str, act: Act, *, saying: str = "") -> None:
        """Run ``act`` with the same database just before the next ``command`` on ``collection`` that holds a text."""
        self._waiting.append((command, collection, saying, act))

    def started(self, event: CommandStartedEvent) -> None:
        super().started(event)
        for waiting in self._waiting:
            command, collection, saying, act = waiting
            if event.command_name != command or event.command[command] != f"convotree_{collection}":
                continue
            if saying in str(event.command):
                self._waiting.remove(waiting)
                self._run(act, event.database_name)
                return

    def check(self) -> None:
        """Fail the test if what was planned did not happen: the driver swallows errors of a listener."""
        assert self.beyond == []
        assert not self._waiting, "the command to act before was not sent"
        for failure in self._failures:
            raise failure

    def _run(self, act: Act, database_name: str) -> None:
        async def with_client() -> None:
            async with AsyncMongoClient[dict[str, Any]](self._uri) as client:
                await act(client[database_name])

        # A loop of its own: the one under test stands still until this is done.
        with ThreadPoolExecutor(1) as thread:
            failure = thread.submit(asyncio.run, with_client()).exception()
        if failure is not None:
            self._failures.append(failure)
