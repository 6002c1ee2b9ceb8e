"""From a URI to a database: what is accepted, what is refused, and that nothing secret is repeated."""

from pathlib import Path
from typing import Any

import pytest

from convotree.errors import (
    EmbeddedDirectoryError,
    InvalidArgumentError,
    InvalidRequestError,
)
from convotree.settings import Settings
from convotree.storage.connecting import _directory_of, open_database
from tests.engine_process import engine_command


@pytest.mark.parametrize(
    "uri",
    [
        None,
        1,
        b"mongodb://localhost",
        "",
        "localhost",
        "embedded:",
        "http://user:secret@host/",
        "mongodb://",
        "mongodb://user:sec ret@host:port:port/",
    ],
)
async def test_a_uri_that_is_none_is_refused_without_its_secrets(uri: Any) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        async with open_database(uri, Settings()):
            pass

    assert isinstance(caught.value, InvalidArgumentError)
    assert caught.value.argument == "uri"
    assert "secret" not in str(caught.value)


def test_a_tilde_is_the_users_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert _directory_of("embedded:~/data") == str(tmp_path / "data")
    assert _directory_of("embedded:./~") == "./~"
    with pytest.raises(InvalidArgumentError, match="nobody-of-this-name"):
        _directory_of("embedded:~nobody-of-this-name/data")


@pytest.mark.parametrize(
    ("uri", "name"), [("mongodb://127.0.0.1:9", "convotree"), ("mongodb://127.0.0.1:9/mine", "mine")]
)
async def test_connecting_waits_for_nothing(uri: str, name: str) -> None:
    async with open_database(uri, Settings()) as database:
        assert database.name == name


async def test_the_servers_database_answers(server_uri: str) -> None:
    async with open_database(server_uri, Settings()) as database:
        assert (await database.command("ping"))["ok"] == 1.0


@pytest.mark.skipif(engine_command() is None, reason="the embedded engine is not installed")
async def test_a_directory_is_served(tmp_path: Path) -> None:
    async with open_database(f"embedded:{tmp_path / 'data'}", Settings()) as database:
        assert database.name == "convotree"
        assert (await database.command("ping"))["ok"] == 1.0


@pytest.mark.skipif(engine_command() is None, reason="the embedded engine is not installed")
async def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    with pytest.raises(EmbeddedDirectoryError):
        async with open_database(f"embedded:{tmp_path / 'file'}", Settings()):
            pass
