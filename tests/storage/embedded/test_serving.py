"""The embedded engine from the outside: real engines, real processes, real signals."""

import asyncio
import errno
import fcntl
import os
import shutil
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from pymongo import AsyncMongoClient
from pymongo.errors import OperationFailure

from convotree.errors import EmbeddedDirectoryError, EmbeddedStartError, UnavailableError
from convotree.storage.embedded import EmbeddedServer, serve_directory, serving
from convotree.storage.embedded.directory import prepare_directory
from convotree.storage.embedded.engine_command import find_engine_command
from convotree.storage.embedded.launch import GRACE_SECONDS
from convotree.storage.embedded.supervisor.engine_process import find_free_port
from convotree.storage.embedded.supervisor.layout import DATA, ENGINE_LOCK, LOG, STATE, SUPERVISOR_LOCK
from convotree.storage.embedded.supervisor.state import find_live_state, publish_state
from tests.storage.embedded.user_process import (
    UserProcess,
    end_server,
    eventually,
    is_answering,
    is_locked,
    live_state,
    nothing_runs,
)


async def write(server: EmbeddedServer, key: str) -> None:
    async with AsyncMongoClient[dict[str, Any]](server.uri) as client:
        await client.kept.things.insert_one({"_id": key})


async def keys(server: EmbeddedServer) -> set[str]:
    async with AsyncMongoClient[dict[str, Any]](server.uri) as client:
        return {thing["_id"] async for thing in client.kept.things.find()}


async def test_the_uri_opens_a_server_whose_data_survives_it(directory: Path) -> None:
    async with serve_directory(directory) as server:
        assert server.directory == directory
        await write(server, "first")
    eventually(lambda: nothing_runs(directory), "the server ends after its last user")
    async with serve_directory(directory) as server:
        assert await keys(server) == {"first"}


async def test_the_uri_asks_for_what_the_engine_needs(directory: Path) -> None:
    async with serve_directory(directory) as server, AsyncMongoClient[dict[str, Any]](server.uri) as client:
        assert client.options.retry_writes is False
        assert client.write_concern.document == {"w": "majority", "j": True}
        assert (await client.address or ("", 0))[0] == "127.0.0.1"


async def test_only_the_secret_opens_the_data(directory: Path) -> None:
    async with serve_directory(directory) as server:
        await write(server, "private")
        stranger = f"mongodb://127.0.0.1:{live_state(directory).port}/?directConnection=true"
        async with AsyncMongoClient[dict[str, Any]](stranger) as client:
            with pytest.raises(OperationFailure, match="requires authentication"):
                await client.kept.things.find_one()


async def test_the_secret_stays_out_of_sight(directory: Path) -> None:
    async with serve_directory(directory) as server:
        secret = server.uri.split(":")[2].split("@")[0]
        assert len(secret) == 64
        assert secret not in repr(server)
        assert [
            path.name for path in directory.iterdir() if path.is_file() and secret in path.read_text()
        ] == ["credentials.json"]


async def test_everything_in_the_directory_is_private(directory: Path) -> None:
    older = os.umask(0)
    try:
        async with serve_directory(directory) as server:
            await write(server, "private")
            paths = [directory, *directory.rglob("*")]
            modes = {path: stat.S_IMODE(path.stat().st_mode) for path in paths}
            assert {path: oct(mode) for path, mode in modes.items() if mode & 0o077} == {}
            assert modes[directory] == 0o700
            assert {modes[path] for path in paths if path.is_file()} == {0o600}
    finally:
        os.umask(older)


async def test_calls_in_one_process_share_one_server(directory: Path) -> None:
    async with serve_directory(directory) as outer:
        async with serve_directory(directory) as inner:
            assert inner == outer
        assert await keys(outer) == set()


def test_the_server_outlives_any_user_but_not_the_last_however_they_go(directory: Path) -> None:
    with ExitStack() as stack:
        first, second, third = (stack.enter_context(UserProcess(directory)) for _ in range(3))
        assert len({first.enter(), second.enter(), third.enter()}) == 1
        started = live_state(directory)
        first.leave()
        second.kill()
        time.sleep(GRACE_SECONDS + 1)
        assert live_state(directory) == started
        assert is_answering(started.port)
        third.kill()
        eventually(lambda: nothing_runs(directory), "the server ends after its last user was killed")
        assert not is_answering(started.port)


def test_ten_processes_that_come_at_once_get_one_server(directory: Path) -> None:
    with ExitStack() as stack:
        users = [stack.enter_context(UserProcess(directory)) for _ in range(10)]
        for user in users:
            user.begin_to_enter()
        assert len({user.entered() for user in users}) == 1
        assert len(processes_of(directory, "secantusd-py --")) == 1


async def test_a_killed_supervisor_takes_its_server_along_and_the_next_call_recovers(directory: Path) -> None:
    async with serve_directory(directory) as server:
        await write(server, "before")
        killed = live_state(directory)
        os.kill(killed.supervisor_pid, signal.SIGKILL)
        eventually(lambda: nothing_runs(directory), "the engine ends with its supervisor")
        async with serve_directory(directory) as again:
            assert await keys(again) == {"before"}
            assert live_state(directory).engine_pid != killed.engine_pid


async def test_who_has_it_open_finds_the_next_server_where_the_last_one_was(directory: Path) -> None:
    async with serve_directory(directory) as server, AsyncMongoClient[dict[str, Any]](server.uri) as client:
        await client.kept.things.insert_one({"_id": "before"})
        os.kill(live_state(directory).supervisor_pid, signal.SIGKILL)
        eventually(lambda: nothing_runs(directory), "the engine ends with its supervisor")
        async with serve_directory(directory) as again:
            assert again == server
            assert await client.kept.things.count_documents({}) == 1


async def test_a_port_that_another_program_took_meanwhile_is_left_to_it(directory: Path) -> None:
    async with serve_directory(directory):
        port = live_state(directory).port
    eventually(lambda: nothing_runs(directory), "the last user has gone")
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        async with serve_directory(directory):
            assert live_state(directory).port != port


async def test_a_killed_engine_comes_back_for_those_who_use_it(directory: Path) -> None:
    async with serve_directory(directory) as server, AsyncMongoClient[dict[str, Any]](server.uri) as client:
        await client.kept.things.insert_one({"_id": "before"})
        killed = live_state(directory)
        os.kill(killed.engine_pid, signal.SIGKILL)
        async with serve_directory(directory) as again:
            assert await keys(again) == {"before"}
            assert again == server
        # It may answer before its supervisor has written down that it does.

        def is_known() -> bool:
            state = find_live_state(directory)
            return state is not None and state.engine_pid != killed.engine_pid

        eventually(is_known, "the new engine is known")
        # The same client, with the connections and the address it had.
        assert await client.kept.things.count_documents({}) == 1


async def test_an_engine_that_dies_again_and_again_is_given_up_until_the_next_call(directory: Path) -> None:
    async with serve_directory(directory) as server:
        await write(server, "before")
        supervisor = live_state(directory).supervisor_pid
        killed = 0

        def given_up() -> bool:
            nonlocal killed
            if not is_locked(directory / SUPERVISOR_LOCK):
                return True
            state = live_state(directory)
            if state.engine_pid != killed and is_answering(state.port):
                killed = state.engine_pid
                os.kill(killed, signal.SIGKILL)
            return False

        eventually(given_up, "the supervisor gives up")
        assert "not started any more" in (directory / LOG).read_text()
        async with serve_directory(directory) as again:
            assert live_state(directory).supervisor_pid != supervisor
            assert await keys(again) == {"before"}


async def test_a_deleted_directory_loses_its_server_before_a_new_one_can_be_harmed(directory: Path) -> None:
    async with serve_directory(directory) as server:
        await write(server, "old")
        older = live_state(directory)
        shutil.rmtree(directory)
        async with serve_directory(directory) as again:
            await write(again, "new")
            eventually(lambda: not is_answering(older.port), "the older engine ends though it has a user")
            # At an orderly end the older one would have written to the paths of the newer.
            os.kill(live_state(directory).engine_pid, signal.SIGKILL)
            async with serve_directory(directory) as restarted:
                assert await keys(restarted) == {"new"}


async def test_a_supervisor_asked_to_end_ends_its_engine(directory: Path) -> None:
    async with serve_directory(directory):
        os.kill(live_state(directory).supervisor_pid, signal.SIGTERM)
        eventually(lambda: nothing_runs(directory), "both end")
        async with serve_directory(directory) as again:
            assert await keys(again) == set()


async def test_what_earlier_processes_left_behind_is_not_believed(directory: Path) -> None:
    async with serve_directory(directory) as server:
        await write(server, "before")
    end_server(directory)
    with socket_that_answers_nothing() as port:
        facts = f'{{"port": {port}, "engine_pid": {os.getpid()}, "supervisor_pid": {os.getpid()}, "machine": "x"}}'
        (directory / STATE).write_text(facts)
        (directory / ENGINE_LOCK).write_text(f"{os.getpid():<32}")
        async with serve_directory(directory) as server:
            assert live_state(directory).port != port
            assert await keys(server) == {"before"}


async def test_an_interrupted_first_start_is_begun_again(directory: Path) -> None:
    with UserProcess(directory) as user:
        user.begin_to_enter()
        eventually(lambda: (directory / "data.unfinished").exists(), "the first start is under way")
        user.kill()
        # Not the supervisor but the whole of it, as when the machine is switched off.
        for line in processes_of(directory):
            os.kill(line, signal.SIGKILL)
    eventually(lambda: nothing_runs(directory), "all were killed")
    assert not (directory / DATA).exists()
    async with serve_directory(directory) as server:
        assert await keys(server) == set()
    assert not (directory / "data.unfinished").exists()


async def test_configurations_that_lie_about_are_not_read(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secantusd.toml").write_text("[nonsense]\n")
    async with serve_directory(directory):
        pass
    end_server(directory)
    (directory / "secantusd.toml").write_text("[nonsense]\n")
    async with serve_directory("database") as server:
        assert server.directory == directory


@pytest.mark.parametrize(
    "name", ["with space", "ünï-☃", "-leading", "a" * 200 + "/" + "/".join(["b" * 250] * 8)]
)
async def test_paths_of_all_kinds(tmp_path: Path, name: str) -> None:
    directory = tmp_path / name
    try:
        async with serve_directory(directory) as server:
            await write(server, "there")
            assert await keys(server) == {"there"}
    finally:
        end_server(directory)


async def test_a_directory_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(EmbeddedDirectoryError, match="it is a file"):
        async with serve_directory(file):
            pytest.fail("there is no server to be had")


async def test_lost_credentials_are_told_and_put_back_by_hand(directory: Path) -> None:
    async with serve_directory(directory) as server:
        await write(server, "before")
    end_server(directory)
    kept = (directory / "credentials.json").rename(directory / "kept")
    with pytest.raises(EmbeddedStartError, match="put it back from a copy"):
        async with serve_directory(directory):
            pytest.fail("there is no server to be had")
    kept.rename(directory / "credentials.json")
    async with serve_directory(directory) as server:
        assert await keys(server) == {"before"}


async def test_an_engine_that_cannot_start_says_why(directory: Path) -> None:
    async with serve_directory(directory):
        pass
    end_server(directory)
    (directory / "empty.toml").touch()
    arguments = [
        "--config",
        str(directory / "empty.toml"),
        "--storage-path",
        str(directory / DATA),
        "--port",
        "0",
    ]
    other = subprocess.Popen([*find_engine_command(), *arguments], stderr=subprocess.PIPE, text=True)
    assert other.stderr is not None
    try:
        while "listening" not in other.stderr.readline():
            assert other.poll() is None
        with pytest.raises(EmbeddedStartError, match="it ended with status 1") as caught:
            async with serve_directory(directory):
                pytest.fail("there is no server to be had")
        assert "WiredTiger" in caught.value.log_tail
        assert isinstance(caught.value, UnavailableError)
    finally:
        other.kill()
        other.wait()
        other.stderr.close()
    async with serve_directory(directory) as server:
        assert await keys(server) == set()


async def test_an_engine_that_never_answers_is_given_up_and_ended(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub_engine(monkeypatch, directory, "echo thinking; exec sleep 600")
    with pytest.raises(EmbeddedStartError, match="no answer within 1 s") as caught:
        async with serve_directory(directory, start_timeout=1):
            pytest.fail("there is no server to be had")
    assert caught.value.log_tail == "thinking"
    assert caught.value.directory == str(directory)
    eventually(lambda: nothing_runs(directory), "what was started is ended")


async def test_a_directory_that_another_machine_serves_is_told(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare_directory(str(directory))
    monkeypatch.setattr(socket, "gethostname", lambda: "elsewhere")
    held = publish_state(directory, port=find_free_port(), engine_pid=1)
    monkeypatch.undo()
    with pytest.raises(EmbeddedStartError, match="'elsewhere' serves this directory"):
        async with serve_directory(directory, start_timeout=0.5):
            pytest.fail("there is no server to be had")
    os.close(held)


async def test_a_file_system_without_locks_is_told(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # No such file system can be made here, so its answer is.
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(EmbeddedDirectoryError, match="its file system has no file locks"):
        async with serve_directory(directory):
            pytest.fail("there is no server to be had")
    monkeypatch.undo()


async def test_a_cancelled_call_leaves_nothing_running(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub_engine(monkeypatch, directory, "exec sleep 600")

    async def enter() -> None:
        async with serve_directory(directory):
            pytest.fail("there is no server to be had")

    # Once as a structured program cancels and once as plain asyncio does, which no scope holds up.
    plain = asyncio.create_task(enter())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(enter)
        await anyio.to_thread.run_sync(eventually, lambda: is_locked(directory / ENGINE_LOCK), "under way")
        plain.cancel()
        tasks.cancel_scope.cancel()
    with pytest.raises(asyncio.CancelledError):
        await plain
    eventually(lambda: nothing_runs(directory), "what was started is ended")


def stub_engine(monkeypatch: pytest.MonkeyPatch, directory: Path, script: str) -> None:
    """Another program in the engine's place."""
    command = ("/bin/sh", "-c", script, str(directory))
    monkeypatch.setattr(serving, "find_engine_command", lambda: command)


def processes_of(directory: Path, name: str = "") -> list[int]:
    """Supervisor and engine, by their command lines."""
    shown = subprocess.run(
        ["ps", "-ww", "-eo", "pid=,args="], capture_output=True, text=True, check=True
    ).stdout
    return [int(line.split()[0]) for line in shown.splitlines() if str(directory) in line and name in line]


@contextmanager
def socket_that_answers_nothing() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield int(listening.getsockname()[1])
