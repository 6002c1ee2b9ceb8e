"""Processes that use a directory, so that tests can end them in every way; and ways to see what still runs."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from convotree.storage.embedded.supervisor.layout import ENGINE_LOCK, SUPERVISOR_LOCK
from convotree.storage.embedded.supervisor.locks import LockMode, open_lock_file, try_lock
from convotree.storage.embedded.supervisor.state import ServerState, find_live_state

# No test measures time: this only ends one that would wait for ever.
DEADLINE_SECONDS = 60

USER = """
import sys, anyio
from convotree.storage.embedded import serve_directory
async def main():
    print("ready", flush=True)
    sys.stdin.readline()
    async with serve_directory(sys.argv[1]) as server:
        print(server.uri, flush=True)
        await anyio.to_thread.run_sync(sys.stdin.readline)
    print("left", flush=True)
anyio.run(main)
"""


class UserProcess:
    """A process that waits for `enter`, is then in the block until `leave`, and is killed at the end."""

    def __init__(self, directory: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", USER, str(directory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        assert self._line() == "ready"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._process.__exit__(kind, error, trace)

    def begin_to_enter(self) -> None:
        self._say()

    def entered(self) -> str:
        """The URI."""
        return self._line()

    def enter(self) -> str:
        self.begin_to_enter()
        return self.entered()

    def leave(self) -> None:
        self._say()
        assert self._line() == "left"
        self._process.wait()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def _say(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


def eventually(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, f"not after {DEADLINE_SECONDS} s: {what}"
        time.sleep(0.02)


def is_locked(path: Path) -> bool:
    """Whether a living process holds it. A process that is dead but not yet waited for holds nothing."""
    if not path.exists():
        return False
    descriptor = open_lock_file(path)
    try:
        return not try_lock(descriptor, LockMode.EXCLUSIVE)
    finally:
        os.close(descriptor)


def nothing_runs(directory: Path) -> bool:
    return not is_locked(directory / SUPERVISOR_LOCK) and not is_locked(directory / ENGINE_LOCK)


def live_state(directory: Path) -> ServerState:
    state = find_live_state(directory)
    assert state is not None
    return state


def is_answering(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def end_server(directory: Path) -> None:
    """Ends what a test left running, without waiting for the grace period or for an orderly end."""

    def ended() -> bool:
        if (state := find_live_state(directory)) is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(state.supervisor_pid, signal.SIGKILL)
        return nothing_runs(directory)

    if directory.is_dir():
        eventually(ended, f"nothing runs in {directory}: {_state_text(directory)}")


def _state_text(directory: Path) -> str:
    path = directory / "state.json"
    return json.dumps(path.read_text()) if path.exists() else "no state"
