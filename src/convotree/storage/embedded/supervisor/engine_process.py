"""One run of the engine as a child of the supervisor."""

import contextlib
import enum
import errno
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from . import wire
from .layout import CONFIG

_ANSWER_SECONDS: Final = 2.0
_STOP_SECONDS: Final = 5.0
_WAKE_AFTER_SECONDS: Final = 0.4
_PAUSE_SECONDS: Final = 0.02


class Access(enum.Enum):
    """Who may use the engine: anybody on this machine (to make the first user), or its user alone."""

    OPEN = "open"
    AUTHENTICATED = "authenticated"


class EngineProcess:
    def __init__(
        self,
        command: Sequence[str],
        *,
        directory: Path,
        data: Path,
        port: int,
        access: Access,
        lock: int,
        before_exec: Callable[[], None],
    ) -> None:
        """Starts it; it keeps ``lock`` open, and so holds that lock, for as long as it lives."""
        arguments = ["--config", str(directory / CONFIG), "--host", "127.0.0.1", "--port", str(port)]
        arguments += ["--storage-path", str(data), "--log-level", "WARNING"]
        if access is Access.AUTHENTICATED:
            arguments.append("--auth")
        self.port = port
        # The command comes from the library, the arguments from above; no shell takes part. The supervisor
        # has one thread, so code between fork and exec is safe.
        self._process = subprocess.Popen(  # noqa: S603
            [*command, *arguments],
            stdin=subprocess.DEVNULL,
            pass_fds=(lock,),
            preexec_fn=before_exec,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative for a signal."""
        return self._process.poll()

    def answers(self) -> bool:
        try:
            self.call({"hello": 1})
        except (OSError, wire.WireError):
            return False
        # Another program on the same port may have answered for an engine that could not take it.
        return self.exit_code is None

    def call(self, command: Mapping[str, object]) -> dict[str, object]:
        return wire.call(self.port, command, patience=_ANSWER_SECONDS)

    def stop(self) -> int:
        """Ends it, by force if it does not end by itself within five seconds; gives its exit status."""
        if self.exit_code is None:
            self._process.send_signal(signal.SIGTERM)
        asked = time.monotonic()
        while self.exit_code is None:
            waited = time.monotonic() - asked
            if waited > _STOP_SECONDS:
                return self.kill()
            # It sits in accept() for up to two seconds before it looks at anything else, and a connection
            # wakes it. One that comes while it still takes in the signal can make it miss that for ever.
            if waited > _WAKE_AFTER_SECONDS:
                with contextlib.suppress(OSError):
                    socket.create_connection(("127.0.0.1", self.port), timeout=_PAUSE_SECONDS).close()
            time.sleep(_PAUSE_SECONDS)
        return self._process.wait()

    def kill(self) -> int:
        """Ends it at once. What was written with the journal, or before ``fsync``, is safe.

        An engine that is still starting may hang for ever when asked; and at an orderly end it writes to the
        paths it knows, where by then another database may lie.
        """
        self._process.kill()
        return self._process.wait()


def find_free_port() -> int:
    """Free at this moment; another program may take it before the engine does."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            return error.errno == errno.EADDRINUSE
    return False
