"""The one place that knows the drivers: pymongo's async API and motor, their differences, time-outs and errors.

Every call to a driver goes through ``Driver._call``, which keeps cancellation from it, bounds it by the deadline,
repeats it once after a lost connection (writes may be repeated) and turns the driver's errors into the library's.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import anyio
import anyio.lowlevel
import pymongo
from bson.binary import UuidRepresentation
from bson.codec_options import CodecOptions
from bson.errors import InvalidBSON
from pymongo.errors import (
    AutoReconnect,
    BulkWriteError,
    ConfigurationError,
    DocumentTooLarge,
    DuplicateKeyError,
    InvalidOperation,
    OperationFailure,
    PyMongoError,
    ServerSelectionTimeoutError,
    WriteError,
)
from pymongo.read_concern import ReadConcern
from pymongo.read_preferences import ReadPreference
from pymongo.write_concern import WriteConcern

from convotree.errors import (
    ClientClosedError,
    ContentTooLargeError,
    CorruptTreeError,
    InvalidArgumentError,
    UnavailableError,
)

if TYPE_CHECKING:
    from motor.motor_asyncio import AsyncIOMotorDatabase
    from pymongo.asynchronous.database import AsyncDatabase

__all__ = ["AnyDatabase", "Document", "Driver", "run_to_end"]

Document: TypeAlias = dict[str, Any]
AnyDatabase: TypeAlias = "AsyncDatabase[Any] | AsyncIOMotorDatabase[Any]"

_T = TypeVar("_T")

# Never the caller's: documents are plain dicts, times have a zone.
_CODEC: Final[CodecOptions[Document]] = CodecOptions(
    document_class=dict, tz_aware=True, uuid_representation=UuidRepresentation.STANDARD
)
# "majority": a write that is acknowledged survives an election. "j": also on engines where that does not imply it.
_WRITE_CONCERN: Final = WriteConcern(w="majority", j=True)
_DUPLICATE_KEY: Final = 11000
# BSONObjectTooLarge and its older spellings.
_TOO_LARGE_CODES: Final = frozenset({10334, 17280, 17419, 17420})
# What an expression of a pipeline says of a stored value of the wrong type: repeating the call will not help.
_WRONG_TYPE_CODES: Final = frozenset(
    {14, 241, 16554, 16556, 16609, 16702, 16883, 28651, 28664, 28765, 34443, 34444, 34445, 34446, 40080}
)
_BAD_VALUE: Final = 2
_REFUSED_CREDENTIALS: Final = frozenset({13, 18})
# What stands in the way of an index, by the server's code.
_IN_THE_WAY: Final = {
    _DUPLICATE_KEY: "equal documents",
    85: "options of another index",
    86: "keys of another index",
}
_TOKENS: Final = "writes"
_TOKENS_KEPT: Final = 16
"""More than that many updates of one document between a lost answer and its repetition, and it is applied again."""
_BATCH: Final = 1_000_000
"""Documents in a batch: more than fit into 16 MB, where the server ends it anyway, so that only size counts."""


@dataclass(frozen=True, slots=True)
class Driver:
    """One database behind either driver. Cheap to make; does no I/O until a method is awaited."""

    database: AnyDatabase
    prefix: str
    timeout: float
    """Seconds that one call may take."""

    @classmethod
    def of(cls, database: object, *, prefix: str, timeout_ms: int) -> Driver:
        """A driver for pymongo's ``AsyncDatabase`` or motor's ``AsyncIOMotorDatabase``.

        Raises:
            InvalidArgumentError: for anything else, pymongo's blocking ``Database`` included.
        """
        names = {f"{base.__module__.partition('.')[0]}.{base.__name__}" for base in type(database).__mro__}
        if not names & {"pymongo.AsyncDatabase", "motor.AgnosticDatabase", "motor.AsyncIOMotorDatabase"}:
            raise InvalidArgumentError(
                argument="database",
                reason=f"an AsyncDatabase or AsyncIOMotorDatabase was expected, not {type(database).__name__}",
            )
        return cls(database, prefix, timeout_ms / 1000)  # type: ignore[arg-type]  # checked by name just above

    @property
    def is_sharded(self) -> bool:
        """Whether the client has found itself connected to a sharded cluster; False before its first call."""
        description: Any = self.database.client.topology_description
        return bool(description.topology_type_name == "Sharded")

    def collection(self, name: str) -> Any:
        """The collection of this name, with the library's own options."""
        return self.database.get_collection(
            self.prefix + name,
            codec_options=_CODEC,
            read_preference=ReadPreference.PRIMARY,
            write_concern=_WRITE_CONCERN,
            read_concern=ReadConcern("local"),
        )

    # ------------------------------------------------------------ reads

    async def find_one(
        self, name: str, query: Document, projection: Mapping[str, Any] | None = None
    ) -> Document | None:
        """The document that ``query`` finds, or None. One round trip."""
        found: Document | None = await self._call(
            f"find in {name}", lambda: self.collection(name).find_one(query, projection)
        )
        return found

    async def find(
        self,
        name: str,
        query: Document,
        projection: Mapping[str, Any] | None = None,
        *,
        sort: Sequence[tuple[str, int]] | None = None,
        limit: int = 0,
    ) -> list[Document]:
        """All documents that ``query`` finds, in the order of ``sort`` (else unspecified)."""

        async def send() -> list[Document]:
            cursor = self.collection(name).find(query, projection, sort=sort, limit=limit, batch_size=_BATCH)
            found: list[Document] = await cursor.to_list(None)
            return found

        return await self._call(f"find in {name}", send)

    async def stream(
        self, name: str, query: Document, projection: Mapping[str, Any] | None = None, *, size: int
    ) -> AsyncGenerator[list[Document], None]:
        """What ``query`` finds, in lists of up to ``size``, in unspecified order; each list is one call."""
        cursor = self.collection(name).find(query, projection, batch_size=size)
        async with contextlib.aclosing(self._lists(f"find in {name}", cursor, size)) as lists:
            async for found in lists:
                yield found

    async def aggregate(self, name: str, pipeline: list[Document]) -> list[Document]:
        """All rows of ``pipeline``: one round trip, and one more for each further 16 MB."""

        async def send() -> list[Document]:
            return list(await (await self._cursor(name, pipeline)).to_list(None))

        return await self._call(f"aggregate on {name}", send)

    async def stream_aggregate(
        self, name: str, pipeline: list[Document], *, size: int
    ) -> AsyncGenerator[list[Document], None]:
        """The rows in order, in lists of up to ``size``; as many round trips as ``aggregate``, 16 MB held at most."""
        operation = f"aggregate on {name}"
        cursor = await self._call(operation, lambda: self._cursor(name, pipeline))
        async with contextlib.aclosing(self._lists(operation, cursor, size)) as lists:
            async for rows in lists:
                yield rows

    async def _cursor(self, name: str, pipeline: list[Document]) -> Any:
        cursor = self.collection(name).aggregate(pipeline, batchSize=_BATCH)
        return (
            await cursor if inspect.isawaitable(cursor) else cursor
        )  # pymongo: an awaitable, motor: the cursor

    async def _lists(self, operation: str, cursor: Any, size: int) -> AsyncGenerator[list[Document], None]:
        try:
            # Never repeated: a cursor that lost its connection would go on as if it had reached its end.
            while batch := await self._call(operation, lambda: cursor.to_list(size), attempts=1):
                yield batch
        finally:
            # Also under a cancellation, which ``_call`` would tell first.
            await run_to_end(self._answer(f"close cursor of {operation}", cursor.close, 1))

    # ------------------------------------------------------------ writes

    async def insert_one(self, name: str, document: Document) -> bool:
        """Insert; False if a unique key stands in the way, be it by this very document. One round trip."""

        async def send() -> bool:
            try:
                await self.collection(name).insert_one(document)
            except DuplicateKeyError:
                return False
            return True

        return await self._call(f"insert into {name}", send)

    async def insert_many(self, name: str, documents: Sequence[Document]) -> int:
        """Insert in order and stop at the first unique key in the way; gives how many are stored by now.

        One round trip for each 48 MB (or 100,000 documents).
        """

        async def send() -> int:
            try:
                await self.collection(name).insert_many(documents, ordered=True)
            except BulkWriteError as error:
                first = (error.details.get("writeErrors") or [{}])[0]
                if first.get("code") in _TOO_LARGE_CODES:
                    raise DocumentTooLarge(str(first.get("errmsg"))) from None
                if first.get("code") != _DUPLICATE_KEY:
                    raise
                return int(first["index"])
            return len(documents)

        return await self._call(f"insert into {name}", send)

    async def update_one(self, name: str, query: Document, update: Document) -> bool:
        """Update one document; whether ``query`` found it. One round trip."""
        result = await self._call(
            f"update in {name}", lambda: self.collection(name).update_one(query, update)
        )
        return bool(result.matched_count)

    async def update_once(self, name: str, query: Document, update: Document, *, token: str) -> bool:
        """Update one document exactly once, although a lost answer makes this call repeat it; whether it was updated.

        The document keeps the ``token`` s of its newest updates, so that the repetition can tell: a compare-and-set
        could not, since what it compares may have come back by another's hand. One round trip.
        """
        repeated = -1

        async def send() -> bool:
            nonlocal repeated
            repeated += 1
            unwritten = query | {_TOKENS: {"$ne": token}}
            result = await self.collection(name).update_one(unwritten, update | {"$push": pushed})
            return bool(result.matched_count)

        pushed = update.get("$push", {}) | {_TOKENS: {"$each": [token], "$slice": -_TOKENS_KEPT}}
        if await self._call(f"update in {name}", send):
            return True
        if not repeated:
            return False
        own = {key: value for key, value in query.items() if key in ("_id", "tenant_id", "conversation_id")}
        return await self.find_one(name, own | {_TOKENS: token}, {"_id": 1}) is not None

    async def delete_one(self, name: str, query: Document) -> bool:
        """Delete one document; whether it was there. One round trip."""
        result = await self._call(f"delete in {name}", lambda: self.collection(name).delete_one(query))
        return bool(result.deleted_count)

    # ------------------------------------------------------------ administration

    async def create_index(
        self, name: str, keys: Sequence[tuple[str, int]], *, unique: bool, sparse: bool = False
    ) -> None:
        """Create the index unless it is there already.

        Raises:
            CorruptTreeError: if documents or another index stand in its way.
        """

        async def send() -> None:
            try:
                # An option that is not wanted is not sent: not every server knows every one.
                options = {"sparse": True} if sparse else {}
                await self.collection(name).create_index(
                    list(keys), unique=unique, name=index_name(keys), **options
                )
            except OperationFailure as error:
                if error.code in _IN_THE_WAY:
                    raise CorruptTreeError(
                        problem=f"{_IN_THE_WAY[error.code]} of {name} are in the way of index {index_name(keys)}"
                    ) from error
                raise

        await self._call(f"create index on {name}", send)

    async def index_names(self, name: str) -> dict[str, Document]:
        """The indexes of a collection by name; empty if the collection is not there."""

        async def send() -> dict[str, Document]:
            cursor = self.collection(name).list_indexes()
            if inspect.isawaitable(cursor):
                cursor = await cursor
            return {index["name"]: dict(index) for index in await cursor.to_list(None)}

        return await self._call(f"list indexes of {name}", send)

    # ------------------------------------------------------------ the one way to the driver

    async def _call(self, operation: str, send: Callable[[], Awaitable[_T]], *, attempts: int = 2) -> _T:
        # On Python 3.11 a cancellation that reaches pymongo can leak its connection for good (inside an anyio scope)
        # or be lost on its way (asyncio.wait_for): it is kept here until the answer has come. One that came before,
        # while another call was shielded, is raised now: an anyio scope would wait for an unshielded moment for ever.
        await anyio.lowlevel.checkpoint_if_cancelled()
        return await run_to_end(self._answer(operation, send, attempts))

    async def _answer(self, operation: str, send: Callable[[], Awaitable[_T]], attempts: int) -> _T:
        try:
            return await self._send(send, attempts)
        except DocumentTooLarge as error:
            raise _too_large(operation) from error
        except (WriteError, OperationFailure) as error:
            if error.code in _TOO_LARGE_CODES:
                raise _too_large(operation) from error
            if error.code in _REFUSED_CREDENTIALS:
                raise InvalidArgumentError(
                    argument="database",
                    reason=f"the server refuses user or password, or this user's rights (code {error.code})",
                ) from error
            # The library's own updates are well formed: a bad value is one that is stored.
            if error.code in _WRONG_TYPE_CODES or (
                isinstance(error, WriteError) and error.code == _BAD_VALUE
            ):
                raise CorruptTreeError(
                    problem=f"{operation}: a stored value has the wrong type (server code {error.code})"
                ) from error
            raise UnavailableError(operation=operation, reason=_reason(error), code=error.code) from error
        except InvalidOperation as error:
            raise ClientClosedError(operation=operation) from error
        except ConfigurationError as error:
            raise InvalidArgumentError(
                argument="database", reason=f"the driver cannot use it: {error}"
            ) from error
        except PyMongoError as error:
            raise UnavailableError(operation=operation, reason=_reason(error)) from error
        except InvalidBSON as error:
            raise CorruptTreeError(problem=f"{operation}: what came back is no valid BSON") from error

    async def _send(self, send: Callable[[], Awaitable[_T]], attempts: int) -> _T:
        with pymongo.timeout(self.timeout):
            try:
                return await send()
            except AutoReconnect as error:
                if error.timeout or attempts < 2:
                    raise
                return await send()


def index_name(keys: Sequence[tuple[str, int]]) -> str:
    """The name an index of these keys has."""
    return "_".join(f"{field}_{direction}" for field, direction in keys)


async def run_to_end(work: Coroutine[Any, Any, _T]) -> _T:
    """Await ``work`` and let it finish even if the caller is cancelled; the cancellation is raised after that.

    For writes: an answer that has been paid for is stored although its reader has left. ``work`` is bounded by the
    deadlines of its own calls.
    """
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    with anyio.CancelScope(shield=True):
        while not task.done():
            try:
                await asyncio.shield(task)
            except asyncio.CancelledError as error:
                if task.cancelled():
                    raise
                cancelled = error
            except BaseException:
                if not task.done():  # pragma: no cover  # a shield raises only what its task raised
                    raise
    if cancelled is not None:
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not report it as lost
        raise cancelled
    return task.result()


def _reason(error: PyMongoError) -> str:
    if isinstance(error, ServerSelectionTimeoutError):
        # Hosts and why each failed, no credentials; behind that the driver prints its whole state.
        hosts = str(error).partition(", Timeout:")[0].partition(" (configured timeouts")[0][:300]
        return f"no server was found in time ({hosts}); check that one runs where the URI says"
    if error.timeout:
        return "the deadline passed"
    if isinstance(error, OperationFailure):
        return f"the server refused it with code {error.code}"
    return type(error).__name__


def _too_large(operation: str) -> ContentTooLargeError:
    return ContentTooLargeError(
        subject=f"a document ({operation})", size=16 * 1024 * 1024 + 1, limit=16 * 1024 * 1024
    )
