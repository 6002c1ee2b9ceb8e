"""The supervisor's life: detach, start the engine, publish it, watch engine and users, end both."""

import argparse
import contextlib
import json
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from .engine_process import Access, EngineProcess
from .layout import DATA
from .orphans import EngineLockedError, OrphanGuard, Watcher, take_engine_lock
from .provisioning import ensure_provisioned
from .starter import Abandoned, Starter, StartFailedError
from .state import last_port, publish_state
from .users import Users

_LOOK_EVERY_SECONDS: Final = 0.1
_ORPHAN_SECONDS: Final = 20.0
# An engine that ends again and again needs a person, and its users an error rather than an endless wait.
_RESTARTS: Final = 3
_RESTARTS_WITHIN_SECONDS: Final = 60.0


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="supervisor", description=__doc__)
    parser.add_argument("--directory", type=Path, required=True, help="absolute")
    parser.add_argument("--lock", type=int, required=True, help="descriptor that holds the supervisor's lock")
    parser.add_argument(
        "--report", type=int, required=True, help="descriptor for the reason of a failed start"
    )
    parser.add_argument("--guard", type=OrphanGuard, required=True)
    parser.add_argument("--grace", type=float, required=True, help="seconds to live on after the last user")
    parser.add_argument("command", nargs="+", help="starts the engine")
    options = parser.parse_args(argv)
    for descriptor in (options.lock, options.report):
        os.set_inheritable(descriptor, False)
    _detach()
    return Supervisor(
        options.command,
        directory=options.directory,
        lock=options.lock,
        report=options.report,
        guard=options.guard,
        grace=options.grace,
    ).run()


def _detach() -> None:
    """Leaves the user's process tree, so that nobody has to wait for us; the session was left before."""
    if os.fork():
        os._exit(0)
    os.umask(0o077)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


class Supervisor:
    def __init__(
        self,
        command: Sequence[str],
        *,
        directory: Path,
        lock: int,
        report: int,
        guard: OrphanGuard,
        grace: float,
    ) -> None:
        self._command = command
        self._directory = directory
        self._report: int | None = report
        self._guard = guard
        # Before anything else is opened: the watcher inherits what is open now.
        self._watcher = (
            Watcher(directory, supervisors_own=(lock, report)) if guard is OrphanGuard.WATCHER else None
        )
        self._users = Users(directory, grace=grace)
        self._state: int | None = None
        self._restarts: deque[float] = deque(maxlen=_RESTARTS)
        self._asked_to_end = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask_to_end)

    def run(self) -> int:
        """The exit status. Every lock is released by the end of the process, and not earlier."""
        try:
            self._serve()
        except Abandoned:
            return 0
        except (StartFailedError, EngineLockedError, OSError) as error:
            self._say(str(error))
            return 1
        finally:
            if self._watcher:
                self._watcher.tell(0)
        return 0

    def _serve(self) -> None:
        starter = Starter(
            self._command,
            directory=self._directory,
            guard=self._guard,
            lock=take_engine_lock(self._directory, patience=_ORPHAN_SECONDS),
            watcher=self._watcher,
            is_unwanted=self._is_unwanted,
        )
        ensure_provisioned(self._directory, starter)
        # Where the last one listened, if that is free: stores that are open since then find it by themselves.
        engine = starter.start(
            self._directory / DATA, Access.AUTHENTICATED, preferred_port=last_port(self._directory)
        )
        try:
            self._publish(engine)
            while not self._is_unwanted():
                if engine.exit_code is not None:
                    self._count_restart(engine)
                    # The same port, so that the clients of those who use it find it again by themselves.
                    engine = starter.start(
                        self._directory / DATA, Access.AUTHENTICATED, preferred_port=engine.port
                    )
                    self._publish(engine)
                time.sleep(_LOOK_EVERY_SECONDS)
        finally:
            if self._users.are_cut_off():
                engine.kill()
            else:
                engine.stop()

    def _publish(self, engine: EngineProcess) -> None:
        older = self._state
        self._state = publish_state(self._directory, port=engine.port, engine_pid=engine.pid)
        if older is not None:
            os.close(older)
        self._close_report()

    def _count_restart(self, engine: EngineProcess) -> None:
        ended = f"the engine ended with status {engine.exit_code}"
        now = time.monotonic()
        if len(self._restarts) == _RESTARTS and now - self._restarts[0] < _RESTARTS_WITHIN_SECONDS:
            raise StartFailedError(f"{ended}, again; it is not started any more")
        self._restarts.append(now)
        self._say(f"{ended}; starting it again")

    def _is_unwanted(self) -> bool:
        return self._asked_to_end or self._users.are_cut_off() or self._users.are_gone()

    def _ask_to_end(self, *_: object) -> None:
        self._asked_to_end = True

    def _say(self, text: str) -> None:
        """Into the log, and to the user who waits for this start, if one still does."""
        sys.stderr.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} supervisor {os.getpid()}: {text}\n")
        sys.stderr.flush()
        if self._report is not None:
            with contextlib.suppress(OSError):
                os.write(self._report, json.dumps({"reason": text}).encode())
            self._close_report()

    def _close_report(self) -> None:
        if self._report is not None:
            os.close(self._report)
            self._report = None
