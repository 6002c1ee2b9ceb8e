"""A driver that lets a test act at the n-th call of an operation: the real database, an accident at a chosen place."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from pymongo.errors import AutoReconnect

from convotree import ConversationStore, UnavailableError
from convotree.storage.conversations import ConversationStorage
from convotree.storage.counters import CounterStorage
from convotree.storage.driver import Driver
from convotree.storage.prompts import PromptStorage
from convotree.storage.revisions import RevisionStorage
from convotree.storage.schema import SchemaStorage
from convotree.storage.storage import Storage
from convotree.store.context import StoreContext
from tests.conftest import Database

T = TypeVar("T")
Send = Callable[[], Awaitable[T]]


@dataclass
class Script:
    """What happens at call number ``at`` (from 1). ``count``: the calls so far. This one lets every call through."""

    at: int = 0
    count: int = 0

    @property
    def was_reached(self) -> bool:
        return self.count >= self.at

    async def answer(self, number: int, send: Send[T]) -> T:
        """The outcome of call ``number``, in place of what ``send`` gives."""
        return await send()

    def disturbed(self, number: int, send: Send[T]) -> Send[T]:
        """What the driver sends for call ``number``; it may send it twice."""
        return send

    def disturbed_operation(self, operation: str, send: Send[T]) -> Send[T]:
        """As ``disturbed``, by the name of the operation."""
        return send


@dataclass
class EndsBefore(Script):
    """The process ends before the call is sent: neither it nor any later one reaches the server."""

    async def answer(self, number: int, send: Send[T]) -> T:
        if number >= self.at:
            raise _gone()
        return await send()


@dataclass
class EndsAfter(Script):
    """The process ends when the server has done the call, before its answer arrives."""

    async def answer(self, number: int, send: Send[T]) -> T:
        if number > self.at:
            raise _gone()
        found = await send()
        if number == self.at:
            raise _gone()
        return found


@dataclass
class LosesAnswer(Script):
    """The connection breaks once, after the server has done the call."""

    def disturbed(self, number: int, send: Send[T]) -> Send[T]:
        return _losing_one_answer(send) if number == self.at else send


@dataclass
class LosesAnswerTo(Script):
    """As ``LosesAnswer`` for the first call of ``operation``; before it is repeated, another acts: ``meanwhile``."""

    operation: str = ""
    meanwhile: Callable[[], Awaitable[object]] | None = None

    def disturbed_operation(self, operation: str, send: Send[T]) -> Send[T]:
        if operation != self.operation or self.meanwhile is None:
            return send
        act, self.meanwhile = self.meanwhile, None
        return _losing_one_answer(send, act)


@dataclass
class Acts(Script):
    """Something is done at the call: ``before`` it is sent, ``after`` its answer arrived."""

    before: Callable[[], None] = field(default=lambda: None)
    after: Callable[[], None] = field(default=lambda: None)

    async def answer(self, number: int, send: Send[T]) -> T:
        if number == self.at:
            self.before()
        found = await send()
        if number == self.at:
            self.after()
        return found


@dataclass(frozen=True)
class ScriptedDriver(Driver):
    """The library's own driver, each of whose calls goes through a script."""

    script: Script

    async def _call(self, operation: str, send: Send[T], *, attempts: int = 2) -> T:
        self.script.count += 1
        number = self.script.count

        async def call() -> T:
            disturbed = self.script.disturbed_operation(operation, self.script.disturbed(number, send))
            return await Driver._call(self, operation, disturbed, attempts=attempts)

        return await self.script.answer(number, call)


def scripted_store(database: Database, script: Script) -> ConversationStore:
    """A store over ``database`` whose driver calls go through ``script``."""
    driver = ScriptedDriver(database, "convotree_", 30.0, script)
    store = ConversationStore(database)
    storage = Storage(
        ConversationStorage(driver),
        RevisionStorage(driver),
        CounterStorage(driver),
        PromptStorage(driver),
        SchemaStorage(driver),
    )
    store._context = StoreContext(store.tenant_id, storage)
    return store


def _gone() -> UnavailableError:
    return UnavailableError(operation="scripted", reason="the process has ended")


async def _nothing() -> None:
    pass


def _losing_one_answer(send: Send[T], meanwhile: Callable[[], Awaitable[object]] = _nothing) -> Send[T]:
    lost = False

    async def lose_first() -> T:
        nonlocal lost
        found = await send()
        if lost:
            return found
        lost = True
        await meanwhile()
        raise AutoReconnect("connection closed")

    return lose_first
