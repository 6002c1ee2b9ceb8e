"""open_store: a store that owns what it opened."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import pytest

from convotree import (
    ClientClosedError,
    ConversationNotFoundError,
    InvalidArgumentError,
    InvalidIdError,
    Message,
    SchemaTooNewError,
    Settings,
    UnavailableError,
    open_store,
)
from tests.conftest import Connect, Database

# Its own client is pymongo's, whatever driver the caller would use.
pytestmark = pytest.mark.parametrize("driver", ["pymongo"])


def uri_of(server_uri: str, name: str) -> str:
    parts = urlsplit(server_uri)
    return urlunsplit(parts._replace(path=f"/{name}"))


async def test_it_is_set_up_and_keeps_what_was_stored(server_uri: str, database: Database) -> None:
    uri = uri_of(server_uri, database.name)
    async with open_store(uri) as store:
        assert store.tenant_id == "default"
        await store.create("c")
        await store.append("c", Message.user("q1"))
    async with open_store(uri) as store:
        assert [one.message.text for one in await store.path("c")] == ["q1"]

    names = await database.list_collection_names()
    assert {"convotree_meta", "convotree_conversations", "convotree_revisions"} <= set(names)
    assert len(await database["convotree_revisions"].index_information()) > 1


async def test_tenant_and_settings_are_the_callers(server_uri: str, database: Database) -> None:
    uri = uri_of(server_uri, database.name)
    async with open_store(uri, tenant_id="ann", settings=Settings(collection_prefix="chat_")) as store:
        assert store.tenant_id == "ann"
        await store.create("c")
        with pytest.raises(ConversationNotFoundError):
            await store.for_tenant("bob").get("c")

    names = await database.list_collection_names()
    assert names
    assert all(name.startswith("chat_") for name in names)


async def test_the_default_database(server_uri: str, connect: Connect) -> None:
    # A prefix of its own: another program may use this database of the server.
    prefix = f"test_{uuid4().hex}_"
    async with open_store(server_uri, settings=Settings(collection_prefix=prefix)) as store:
        await store.create("c")
    async with connect() as client:
        database = client["convotree"]
        names = [name for name in await database.list_collection_names() if name.startswith(prefix)]
        for name in names:
            await database.drop_collection(name)
    assert f"{prefix}conversations" in names


async def test_nothing_is_open_after_the_block(server_uri: str, database: Database) -> None:
    async with open_store(uri_of(server_uri, database.name)) as store:
        await store.create("c")

    with pytest.raises(ClientClosedError):
        await store.get("c")


async def test_the_caller_s_error_passes_through(server_uri: str, database: Database) -> None:
    with pytest.raises(ZeroDivisionError):
        async with open_store(uri_of(server_uri, database.name)):
            raise ZeroDivisionError


async def test_a_newer_database_is_refused(server_uri: str, database: Database) -> None:
    await database["convotree_meta"].insert_one({"_id": "schema", "schema": 1, "number": 99})

    with pytest.raises(SchemaTooNewError) as caught:
        async with open_store(uri_of(server_uri, database.name)):
            pass
    assert (caught.value.found, caught.value.collection) == (99, "meta")


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "localhost:27017",
        "http://localhost",
        "postgres://user:secret@host/db",
        "mongodb://",
        "mongodb://host:port",
        "mongodb://us%er@host",
        "mongodb://host/a b",
        "embedded:",
        "embedded",
        Path("data"),
        None,
        b"mongodb://host",
    ],
)
async def test_another_uri_is_refused(uri: Any, driver: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        async with open_store(uri):
            pass
    assert caught.value.argument == "uri"
    assert "secret" not in str(caught.value)


async def test_a_bad_tenant_is_refused(server_uri: str, driver: str) -> None:
    with pytest.raises(InvalidIdError):
        async with open_store(server_uri, tenant_id=""):
            pass


async def test_settings_are_settings(server_uri: str, driver: str) -> None:
    bad: Any = {"collection_prefix": "x"}

    with pytest.raises(InvalidArgumentError):
        async with open_store(server_uri, settings=bad):
            pass


async def test_a_server_that_is_not_there_is_unavailable(driver: str) -> None:
    uri = "mongodb://127.0.0.1:1/?directConnection=true"  # port 1 is nobody's

    with pytest.raises(UnavailableError):
        async with open_store(uri, settings=Settings(operation_timeout_ms=200)):
            pass


async def test_it_opens_an_engine_of_its_own(tmp_path: Path, driver: str) -> None:
    for _ in range(2):
        async with open_store(f"embedded:{tmp_path / 'data'}") as store:
            await store.create("c", title="kept")
            assert (await store.get("c")).title == "kept"
