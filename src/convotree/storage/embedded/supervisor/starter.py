"""Brings an engine up until it answers."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from .engine_process import Access, EngineProcess, find_free_port, is_taken
from .orphans import OrphanGuard, Watcher, death_signal_setter, record_pid

_PORTS_TO_TRY: Final = 5
_PAUSE_SECONDS: Final = 0.02


class StartFailedError(Exception):
    """The engine cannot be had; the text is the reason given to the users."""


class Abandoned(Exception):  # noqa: N818 - no error: nobody needs the engine any more
    """Its users left, or a signal asked for the end, before the engine was ready."""


class Starter:
    def __init__(
        self,
        command: Sequence[str],
        *,
        directory: Path,
        guard: OrphanGuard,
        lock: int,
        watcher: Watcher | None,
        is_unwanted: Callable[[], bool],
    ) -> None:
        self._command = command
        self._directory = directory
        self._lock = lock
        self._watcher = watcher
        self._is_unwanted = is_unwanted
        # Looked up here, because between fork and exec as little as possible should happen.
        self._set_death_signal = death_signal_setter() if guard is OrphanGuard.DEATH_SIGNAL else None

    def start(self, data: Path, access: Access, *, preferred_port: int | None = None) -> EngineProcess:
        """An engine that answers; raises `StartFailedError` or `Abandoned`, and then none is left running."""
        port = preferred_port
        for _ in range(_PORTS_TO_TRY):
            if port is None or is_taken(port):
                port = find_free_port()
            engine = self._spawn(data, access, port)
            try:
                if self._comes_up(engine):
                    return engine
            except BaseException:
                engine.kill()
                raise
            if not is_taken(port):
                raise StartFailedError(f"it ended with status {engine.exit_code} before it answered")
            port = None
        raise StartFailedError(f"other programs took {_PORTS_TO_TRY} loopback ports in turn before it could")

    def _spawn(self, data: Path, access: Access, port: int) -> EngineProcess:
        try:
            engine = EngineProcess(
                self._command,
                directory=self._directory,
                data=data,
                port=port,
                access=access,
                lock=self._lock,
                before_exec=self._set_death_signal or _nothing,
            )
        except OSError as error:
            raise StartFailedError(f"{self._command[0]} cannot be run: {error.strerror}") from error
        record_pid(self._lock, engine.pid)
        if self._watcher:
            self._watcher.tell(engine.pid)
        return engine

    def _comes_up(self, engine: EngineProcess) -> bool:
        """False if it ended; a large database may take long, so only its users' patience limits the wait."""
        while engine.exit_code is None:
            if engine.answers():
                return True
            if self._is_unwanted():
                raise Abandoned
            time.sleep(_PAUSE_SECONDS)
        return False


def _nothing() -> None: ...
