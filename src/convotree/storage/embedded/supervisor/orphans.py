"""How an engine is ended when its supervisor is killed, since the engine itself watches nobody.

Linux can send a signal to a child whose parent died. Elsewhere a watcher, a bare fork of the supervisor,
waits for the end of a pipe that only the supervisor holds open. Should an engine outlive both, the next
supervisor finds it by the engine's lock.
"""

import contextlib
import ctypes
import enum
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from .layout import DATA, ENGINE_LOCK
from .locks import LockMode, open_lock_file, try_lock

_PR_SET_PDEATHSIG: Final = 1
_PAUSE_SECONDS: Final = 0.05
_LARGEST_PID: Final = 32


class OrphanGuard(enum.Enum):
    DEATH_SIGNAL = "death-signal"
    WATCHER = "watcher"


def guard_of_this_system() -> OrphanGuard:
    return OrphanGuard.DEATH_SIGNAL if sys.platform == "linux" else OrphanGuard.WATCHER


def death_signal_setter() -> Callable[[], None]:
    """For a child between fork and exec: asks the kernel to kill it when the supervisor dies."""
    parent = os.getpid()
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def set_death_signal() -> None:
        # Killed, not terminated: the next supervisor may be waiting for the data already, and every write
        # that was acknowledged is in the journal.
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    return set_death_signal


class Watcher:
    """A fork of the supervisor that kills the engine it was last told of when the supervisor is gone."""

    def __init__(self, directory: Path, *, supervisors_own: Iterable[int]) -> None:
        """``supervisors_own``: every descriptor open by now that a watcher must not keep open (locks)."""
        reading, self._told = os.pipe()
        if os.fork() == 0:
            try:
                for descriptor in (self._told, *supervisors_own):
                    os.close(descriptor)
                _watch(directory, reading)
            finally:
                os._exit(0)
        os.close(reading)

    def tell(self, engine_pid: int) -> None:
        """The engine to kill; 0 for none."""
        os.write(self._told, b"%d\n" % engine_pid)


def _watch(directory: Path, reading: int) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    told = b""
    while piece := os.read(reading, 4096):
        told = (told + piece)[-4096:]
    engine_pid = int(told.split()[-1]) if told.split() else 0
    if engine_pid:
        lock = open_lock_file(directory / ENGINE_LOCK)
        while not try_lock(lock, LockMode.EXCLUSIVE):
            with contextlib.suppress(ProcessLookupError):
                os.kill(engine_pid, signal.SIGKILL)
            time.sleep(_PAUSE_SECONDS)


class EngineLockedError(Exception):
    """An engine that is not ours to kill holds the directory's lock."""


def take_engine_lock(directory: Path, *, patience: float) -> int:
    """The engine's lock, once no engine of an earlier supervisor runs; a left-over one is killed.

    Called under the supervisor's lock: whoever holds the engine's lock then has no supervisor.
    """
    lock = open_lock_file(directory / ENGINE_LOCK)
    # One whose supervisor has just been killed is on its way out already.
    kill_after = time.monotonic() + patience / 10
    deadline = time.monotonic() + patience
    while not try_lock(lock, LockMode.EXCLUSIVE):
        now = time.monotonic()
        if now > deadline:
            raise EngineLockedError(
                f"an engine without a supervisor (process {_recorded_pid(lock) or 'unknown'}) holds the data "
                "and does not end; end it by hand"
            )
        if now > kill_after:
            _kill_orphan(_recorded_pid(lock), directory / DATA)
        time.sleep(_PAUSE_SECONDS)
    return lock


def record_pid(lock: int, pid: int) -> None:
    os.pwrite(lock, str(pid).encode().ljust(_LARGEST_PID), 0)


def _recorded_pid(lock: int) -> int:
    """0 if none was recorded."""
    text = os.pread(lock, _LARGEST_PID, 0).strip()
    return int(text) if text.isdigit() else 0


def _kill_orphan(pid: int, data: Path) -> None:
    # In another container the same number is another process, so the command line has to name the data too.
    if pid > 1 and os.fsencode(data) in _command_line(pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _command_line(pid: int) -> bytes:
    """Empty if it cannot be found out."""
    try:
        if sys.platform == "linux":
            return Path(f"/proc/{pid}/cmdline").read_bytes()
        shown = subprocess.run(  # noqa: S603 - no shell, and nothing of it comes from a caller
            ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, check=False, timeout=5
        )
    except (OSError, subprocess.TimeoutExpired):
        return b""
    return shown.stdout
