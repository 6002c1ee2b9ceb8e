"""The server of a test session: one embedded engine in a process of its own, on a free loopback port.

Independent of how the library itself starts an engine, so that a fault there cannot hide in the suite's own
server.
"""

import contextlib
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pymongo import MongoClient
from pymongo.errors import PyMongoError

ENGINE = "secantusd-py"
# Between asking for a free port and the engine's taking it, another process may take it first.
ATTEMPTS = 5
# Starting takes half a second on an idle machine; a loaded one gets a hundred times that.
START_SECONDS = 60

# The guard outlives neither the engine nor the suite: its standard input is a pipe that the system closes
# when the test process ends, however that one ends (pytest-timeout leaves through os._exit, a person may use
# SIGKILL). It removes the data for the same reason.
GUARD = """
import shutil, subprocess, sys, threading
data, *command = sys.argv[1:]
engine = subprocess.Popen(command, stdin=subprocess.DEVNULL)
def watch():
    sys.stdin.read()
    engine.terminate()
threading.Thread(target=watch, daemon=True).start()
try:
    sys.exit(engine.wait())
finally:
    engine.kill()
    shutil.rmtree(data, ignore_errors=True)
"""


def engine_command() -> str | None:
    """The path of the engine's executable, or None where the extra ``embedded`` is not installed."""
    return shutil.which(ENGINE, path=sysconfig.get_path("scripts")) or shutil.which(ENGINE)


@contextlib.contextmanager
def engine_process() -> Iterator[str]:
    """The URI of a fresh, empty engine that ends with the block."""
    command = engine_command()
    if command is None:
        raise RuntimeError(
            f"{ENGINE} is not installed: install the extra 'embedded', "
            "or set CONVOTREE_TEST_URI to the URI of a MongoDB server"
        )
    # The engine may still write while it ends, so a leftover file is not an error.
    with tempfile.TemporaryDirectory(prefix="convotree-test-", ignore_cleanup_errors=True) as folder:
        for _ in range(ATTEMPTS):
            port = free_port()
            guard = _start(command, Path(folder), port)
            try:
                # The engine slows down without end under retryable writes, and without the journal a
                # killed one forgets writes it acknowledged.
                uri = f"mongodb://127.0.0.1:{port}/?retryWrites=false&journal=true"
                if _answers(uri, guard):
                    yield uri
                    return
            finally:
                _stop(guard)
        raise RuntimeError(f"{ENGINE} did not start:\n{(Path(folder) / 'log').read_text()}")


def _start(command: str, folder: Path, port: int) -> subprocess.Popen[bytes]:
    # Without a file of its own the engine would read one that it finds in the current folder.
    config = folder / "empty.toml"
    config.touch()
    data = folder / "data"
    arguments = ["--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
    arguments += ["--storage-path", str(data), "--log-level", "WARNING", "--enable-test-commands"]
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-c", GUARD, str(data), command, *arguments],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
        )


def _answers(uri: str, guard: subprocess.Popen[bytes]) -> bool:
    """Whether the engine answered before its process ended; raises if it does neither in time."""
    deadline = time.monotonic() + START_SECONDS
    with MongoClient[dict[str, object]](uri, serverSelectionTimeoutMS=200) as client:
        while guard.poll() is None:
            try:
                client.admin.command("ping")
            except PyMongoError:
                if time.monotonic() > deadline:
                    raise
            else:
                return guard.poll() is None
    return False


def _stop(guard: subprocess.Popen[bytes]) -> None:
    assert guard.stdin is not None
    guard.stdin.close()
    try:
        guard.wait(timeout=30)
    except subprocess.TimeoutExpired:
        guard.kill()
        guard.wait()


def free_port() -> int:
    """A loopback port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        assert isinstance(port, int)
        return port
