"""Starts a directory's supervisor, unless somebody else does."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final

from convotree.errors import EmbeddedStartError
from convotree.storage.embedded import supervisor
from convotree.storage.embedded.descriptor import Descriptor
from convotree.storage.embedded.supervisor.layout import LOG, OLD_LOG, SUPERVISOR_LOCK
from convotree.storage.embedded.supervisor.locks import LockMode, open_lock_file, try_lock
from convotree.storage.embedded.supervisor.orphans import OrphanGuard, guard_of_this_system

__all__ = ["Launch", "log_tail"]

# Long enough for a program that leaves the directory and comes back, short enough for nobody to notice.
GRACE_SECONDS: Final = 2.0

_SILENT_DEATHS: Final = 3
_LOG_BYTES: Final = 1 << 20
_TAIL_BYTES: Final = 4096
_TAIL_LINES: Final = 20

# Supervisor and engine outlive the process that starts them and serve others too, so they get what any
# program needs, and not its API keys or its settings for Python.
_ENVIRONMENT: Final = frozenset(
    {
        *("DYLD_FALLBACK_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE"),
        *("LD_LIBRARY_PATH", "LOGNAME", "PATH", "PYTHONPATH", "TMPDIR", "TZ", "USER", "VIRTUAL_ENV"),
    }
)


class Launch:
    """One call's attempt to get a supervisor started; `advance` is called until the state is published."""

    def __init__(self, directory: Path, command: Sequence[str], *, guard: OrphanGuard | None = None) -> None:
        self._directory = directory
        self._command = command
        self._guard = guard or guard_of_this_system()
        self._report: Descriptor | None = None
        self._silent_deaths = 0
        self._forgotten = False

    def advance(self) -> None:
        """Starts a supervisor if there is none, else sees how the one started here fares.

        Raises `EmbeddedStartError` with the reason that a supervisor started by this call gave. One started by
        another call reports there; when it gives up, this call becomes the next to try.
        """
        if self._report is None:
            self._start_unless_another_does()
        else:
            self._read_report(self._report)

    def forget(self) -> None:
        """Lets go of the supervisor started here; it lives on for as long as there are users."""
        self._forgotten = True
        if self._report is not None:
            self._report.close()

    def _start_unless_another_does(self) -> None:
        lock = Descriptor()
        try:
            number = open_lock_file(self._directory / SUPERVISOR_LOCK)
            lock.hold(number)
            # The supervisor inherits the open file and with it the lock: from here to its death there is no
            # moment at which a second one could start.
            if try_lock(number, LockMode.EXCLUSIVE) and not self._forgotten:
                self._start(number)
        finally:
            lock.close()

    def _start(self, lock: int) -> None:
        reading, writing = os.pipe()
        report = Descriptor()
        report.hold(reading)
        try:
            os.set_blocking(reading, False)
            with _open_log(self._directory) as log:
                # All arguments are ours; no shell takes part.
                detaching = subprocess.run(  # noqa: S603
                    [
                        *(sys.executable, "-I", "-S", str(Path(supervisor.__file__).parent)),
                        *("--directory", str(self._directory), "--guard", self._guard.value),
                        *("--lock", str(lock), "--report", str(writing)),
                        *("--grace", str(GRACE_SECONDS), "--", *self._command),
                    ],
                    pass_fds=(lock, writing),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd=self._directory,
                    env={name: value for name, value in os.environ.items() if name in _ENVIRONMENT},
                    start_new_session=True,
                    check=False,
                )
        except OSError as error:
            report.close()
            raise self._failure(f"{sys.executable or 'Python'} cannot be run: {error.strerror}") from error
        finally:
            os.close(writing)
        if detaching.returncode != 0:
            report.close()
            raise self._failure(f"its supervisor ended with status {detaching.returncode}")
        self._report = report
        if self._forgotten:
            report.close()

    def _read_report(self, report: Descriptor) -> None:
        with report.in_use() as number:
            if number is None:
                return
            try:
                content = os.read(number, _TAIL_BYTES)
            except BlockingIOError:
                return
        if content:
            raise self._failure(json.loads(content)["reason"])
        # Closed without a word: published just now, or killed. If it was killed, start another.
        report.close()
        self._report = None
        self._silent_deaths += 1
        if self._silent_deaths == _SILENT_DEATHS:
            raise self._failure("its supervisor ended without a reason, several times in a row")

    def _failure(self, reason: str) -> EmbeddedStartError:
        return EmbeddedStartError(
            directory=str(self._directory), reason=reason, log_tail=log_tail(self._directory)
        )


def log_tail(directory: Path) -> str:
    """The last twenty lines that engine and supervisor printed; empty if there is no log."""
    try:
        with (directory / LOG).open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - _TAIL_BYTES))
            text = log.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-_TAIL_LINES:])


def _open_log(directory: Path) -> IO[bytes]:
    """Under the supervisor's lock, so nobody writes to it: a log that has grown large makes place for a new one."""
    path = directory / LOG
    if path.exists() and path.stat().st_size > _LOG_BYTES:
        path.replace(directory / OLD_LOG)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600), "ab")
