"""An engine of a test's own that can be killed at once and started again on the same data and port."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.errors import PyMongoError

from tests.engine_process import START_SECONDS, engine_command, free_port

# Ends the engine when the test process ends, however that one ends.
GUARD = """
import subprocess, sys, threading
engine = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
print(engine.pid, flush=True)
def watch():
    sys.stdin.read()
    engine.kill()
threading.Thread(target=watch, daemon=True).start()
sys.exit(engine.wait())
"""


class KillableEngine:
    """Started by ``start``, killed by ``kill``; ``uri`` stays the same."""

    def __init__(self, command: str, folder: Path, *options: str) -> None:
        self._port = free_port()
        self._folder = folder
        config = folder / "empty.toml"
        config.touch()
        self._command = [command, "--config", str(config), "--host", "127.0.0.1", "--port", str(self._port)]
        self._command += ["--storage-path", str(folder / "data"), "--log-level", "WARNING", *options]
        self._guard: subprocess.Popen[str] | None = None
        self._pid = 0

    @property
    def uri(self) -> str:
        # No ``journal``: the library must ask for it itself.
        return f"mongodb://127.0.0.1:{self._port}/?retryWrites=false"

    def start(self) -> None:
        """Returns when it answers."""
        with (self._folder / "log").open("a") as log:
            self._guard = subprocess.Popen(
                [sys.executable, "-c", GUARD, *self._command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._guard.stdout is not None
        self._pid = int(self._guard.stdout.readline())
        deadline = time.monotonic() + START_SECONDS
        with MongoClient[dict[str, Any]](self.uri, serverSelectionTimeoutMS=200) as client:
            while True:
                assert self._guard.poll() is None, (self._folder / "log").read_text()
                try:
                    client.admin.command("ping")
                except PyMongoError:
                    assert time.monotonic() < deadline
                else:
                    return

    def kill(self) -> None:
        """SIGKILL: whatever is not on the disk by now is lost."""
        os.kill(self._pid, signal.SIGKILL)
        self.stop()

    def stop(self) -> None:
        if self._guard is not None:
            assert self._guard.stdin is not None
            assert self._guard.stdout is not None
            self._guard.stdin.close()
            self._guard.wait()
            self._guard.stdout.close()
            self._guard = None


@contextlib.contextmanager
def killable_engine(folder: Path, *options: str) -> Iterator[KillableEngine]:
    """``options``: more arguments of the engine."""
    command = engine_command()
    if command is None:
        pytest.skip("the embedded engine is not installed")
    engine = KillableEngine(command, folder, *options)
    engine.start()
    try:
        yield engine
    finally:
        engine.stop()
