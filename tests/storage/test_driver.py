"""The one way to a database: the same on both drivers, errors translated, deadlines kept, options the library's own."""

import inspect
from pathlib import Path
from typing import Any

import pytest
from bson import Binary
from pymongo import AsyncMongoClient, MongoClient
from pymongo.errors import ConfigurationError

from convotree.errors import (
    ClientClosedError,
    ContentTooLargeError,
    CorruptTreeError,
    InvalidArgumentError,
    UnavailableError,
)
from convotree.storage import driver as module
from convotree.storage.driver import Driver, index_name
from tests.command_log import CommandLog
from tests.conftest import Connect, Database


@pytest.fixture
def own(database: Database) -> Driver:
    return Driver.of(database, prefix="p_", timeout_ms=20_000)


class TestWhatItTakes:
    @pytest.mark.parametrize("value", [None, "mongodb://localhost", object(), {}], ids=repr)
    def test_anything_but_a_database_is_refused(self, value: object) -> None:
        with pytest.raises(InvalidArgumentError):
            Driver.of(value, prefix="", timeout_ms=1000)

    def test_a_blocking_database_is_refused(self) -> None:
        client: MongoClient[Any] = MongoClient("mongodb://localhost", connect=False)
        try:
            with pytest.raises(InvalidArgumentError) as caught:
                Driver.of(client["x"], prefix="", timeout_ms=1000)
        finally:
            client.close()
        assert caught.value.argument == "database"

    async def test_a_client_is_no_database(self) -> None:
        async with AsyncMongoClient[Any]("mongodb://localhost", connect=False) as client:
            with pytest.raises(InvalidArgumentError):
                Driver.of(client, prefix="", timeout_ms=1000)


class TestCalls:
    async def test_what_is_written_is_read(self, own: Driver) -> None:
        assert await own.insert_one("things", {"_id": "a", "n": 1})
        assert not await own.insert_one("things", {"_id": "a", "n": 2})
        assert await own.insert_many("things", [{"_id": "b", "n": 2}, {"_id": "c", "n": 3}]) == 2

        assert await own.find_one("things", {"_id": "a"}) == {"_id": "a", "n": 1}
        assert await own.find_one("things", {"_id": "a"}, {"n": 0}) == {"_id": "a"}
        assert await own.find_one("things", {"_id": "x"}) is None
        found = await own.find("things", {"n": {"$gt": 1}}, {"_id": 1}, sort=[("n", -1)], limit=1)
        assert found == [{"_id": "c"}]
        assert await own.aggregate("things", [{"$match": {"_id": "b"}}]) == [{"_id": "b", "n": 2}]
        assert await own.update_one("things", {"_id": "b"}, {"$inc": {"n": 5}})
        assert not await own.update_one("things", {"_id": "x"}, {"$inc": {"n": 5}})
        assert await own.delete_one("things", {"_id": "b"})
        assert not await own.delete_one("things", {"_id": "b"})

    async def test_many_are_inserted_in_order_up_to_the_first_in_the_way(self, own: Driver) -> None:
        await own.insert_one("things", {"_id": "c"})

        assert await own.insert_many("things", [{"_id": one} for one in "abcde"]) == 2
        assert sorted(one["_id"] for one in await own.find("things", {})) == ["a", "b", "c"]

    async def test_a_stream_gives_everything_in_lists(self, own: Driver) -> None:
        await own.insert_many("things", [{"_id": str(number)} for number in range(25)])

        batches = [batch async for batch in own.stream("things", {}, size=10)]

        assert [len(batch) for batch in batches] == [10, 10, 5]
        assert len({one["_id"] for batch in batches for one in batch}) == 25

    async def test_a_stream_can_be_left_early(self, own: Driver, commands: CommandLog) -> None:
        await own.insert_many("things", [{"_id": str(number)} for number in range(25)])
        stream = own.stream("things", {}, size=10)

        async for _ in stream:
            break
        await stream.aclose()

        assert commands.names[-1] == "killCursors"

    async def test_an_index_is_made_once(self, own: Driver) -> None:
        keys = [("a", 1), ("b", -1)]
        assert await own.index_names("things") == {}

        for _ in range(2):
            await own.create_index("things", keys, unique=True)

        assert index_name(keys) == "a_1_b_-1"
        assert (await own.index_names("things"))["a_1_b_-1"]["unique"] is True

    async def test_the_options_are_the_librarys_own(self, own: Driver, commands: CommandLog) -> None:
        await own.insert_one("things", {"_id": "a"})

        collection = own.collection("things")
        assert collection.name == "p_things"
        assert collection.codec_options.tz_aware
        assert commands.started_events[-1].command["writeConcern"] == {"w": "majority", "j": True}

    async def test_the_suites_server_is_no_sharded_cluster(self, own: Driver) -> None:
        await own.find_one("things", {})

        assert own.is_sharded is False


class TestErrors:
    async def test_a_document_that_is_too_large_is_the_callers_to_mend(self, own: Driver) -> None:
        large = {"_id": "a", "data": Binary(bytes(17 * 1024 * 1024))}

        with pytest.raises(ContentTooLargeError):
            await own.insert_one("things", large)
        with pytest.raises(ContentTooLargeError):
            await own.insert_many("things", [large])

    async def test_an_error_of_the_server_carries_its_code_and_cause(self, own: Driver) -> None:
        with pytest.raises(UnavailableError) as caught:
            await own.find("things", {"$nonsense": 1})

        assert caught.value.code is not None
        assert caught.value.operation == "find in things"
        assert caught.value.__cause__ is not None

    async def test_an_expression_over_a_value_of_the_wrong_type_is_damage(self, own: Driver) -> None:
        await own.insert_one("things", {"_id": "a", "n": "no number"})

        with pytest.raises(CorruptTreeError):
            await own.aggregate("things", [{"$project": {"n": {"$subtract": ["$n", 1]}}}])

    async def test_a_server_that_is_not_there_is_unavailable(self, connect: Connect) -> None:
        async with connect("mongodb://127.0.0.1:9", serverSelectionTimeoutMS=200) as client:
            own = Driver.of(client["x"], prefix="", timeout_ms=500)
            for call in (own.find_one("t", {}), own.insert_one("t", {"_id": 1}), own.aggregate("t", [])):
                with pytest.raises(UnavailableError) as caught:
                    await call
                assert "127.0.0.1:9" in caught.value.reason
                assert "Topology" not in caught.value.reason

    @pytest.mark.parametrize("driver", ["pymongo"], indirect=True)
    async def test_a_client_that_was_closed_says_so(self, connect: Connect) -> None:
        async with connect() as client:
            own = Driver.of(client["x"], prefix="", timeout_ms=500)

        with pytest.raises(ClientClosedError, match="find in t"):
            await own.find_one("t", {})

    async def test_a_uri_that_cannot_be_resolved_is_no_reason_to_try_again(self, connect: Connect) -> None:
        async with connect() as client:
            own = Driver.of(client["x"], prefix="", timeout_ms=500)

        async def unusable() -> None:
            raise ConfigurationError("The DNS query name does not exist: _mongodb._tcp.nope.invalid.")

        with pytest.raises(InvalidArgumentError, match="nope"):
            await own._call("find in t", unusable)

    async def test_the_deadline_bounds_a_call(
        self, database: Database, own: Driver, commands: CommandLog
    ) -> None:
        await own.find_one("things", {})

        assert commands.started_events[-1].command["maxTimeMS"] <= 20_000


def test_no_other_module_of_the_library_calls_a_driver() -> None:
    """Only this file, and the one that makes clients, import what does I/O; the layer contracts do the rest."""
    folder = Path(inspect.getfile(module)).parent
    importing = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if any(
            line.startswith(("import pymongo", "from pymongo", "import motor", "from motor"))
            for line in path.read_text(encoding="utf-8").splitlines()
        )
    }

    assert importing == {"driver.py", "connecting.py"}
