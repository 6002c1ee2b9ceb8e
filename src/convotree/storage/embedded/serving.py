"""A server for a directory, for as long as the block lasts."""

import os
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import anyio
from anyio import to_thread

from convotree.errors import EmbeddedDirectoryError, EmbeddedStartError
from convotree.storage.embedded.answering import answers
from convotree.storage.embedded.directory import prepare_directory
from convotree.storage.embedded.engine_command import find_engine_command
from convotree.storage.embedded.launch import Launch, log_tail
from convotree.storage.embedded.lease import Lease
from convotree.storage.embedded.supervisor.credentials import (
    Credentials,
    CredentialsUnreadableError,
    read_credentials,
)
from convotree.storage.embedded.supervisor.locks import LocksUnsupportedError
from convotree.storage.embedded.supervisor.state import ServerState, find_live_state

__all__ = ["EmbeddedServer", "serve_directory"]

_PAUSE_SECONDS: Final = 0.02

# Retryable writes slow the engine without end (the library repeats its writes by their ids), and without the
# journal a killed engine forgets writes that it acknowledged.
_OPTIONS: Final = {
    "directConnection": "true",
    "retryWrites": "false",
    "w": "majority",
    "journal": "true",
    "authSource": "admin",
    "authMechanism": "SCRAM-SHA-256",
}


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """A running engine.

    ``uri`` is complete for any MongoDB driver and names no database. It contains the secret of the directory,
    so it is left out of ``repr`` and belongs in no log. ``directory`` is absolute.
    """

    uri: str = field(repr=False)
    directory: Path


@asynccontextmanager
async def serve_directory(
    directory: str | os.PathLike[str], *, start_timeout: float = 30.0
) -> AsyncIterator[EmbeddedServer]:
    """A server on the data of ``directory``: the one that runs already, or a new one.

    Any number of processes of one user, and of calls in one process, may be in such a block for the same
    directory at once; they share one server, whoever came first. It ends about two seconds after the last
    block, or after the death of the last process that was in one, however that process ended. If the
    engine itself dies inside a block it is started again on the same port and the same data; if its
    supervisor dies, the engine dies too and the next call starts both.

    The directory is created if missing (``~`` is not expanded), belongs to the engine alone, and is made
    private (mode 0700); the server listens on loopback and demands the secret that is kept there. The first
    use of a directory takes one more start of the engine than later ones, to set that secret.

    Raises `EmbeddedEngineMissingError` if the extra ``embedded`` is not installed, `EmbeddedDirectoryError` if
    the directory cannot be used, and `EmbeddedStartError`, with the end of the engine's log, if there is no
    answer within ``start_timeout`` seconds or the engine cannot start. Nothing is left running by a call that
    fails or is cancelled. The event loop is never blocked.
    """
    name = os.fspath(directory)
    if sys.platform == "win32":
        raise EmbeddedDirectoryError(
            directory=name, reason="the embedded engine needs Linux or macOS; use a mongodb:// URI"
        )
    command = await to_thread.run_sync(find_engine_command)
    path = await to_thread.run_sync(prepare_directory, name)
    lease = Lease(path)
    try:
        try:
            state = await _reach(path, command, lease, start_timeout)
            credentials = await to_thread.run_sync(read_credentials, path)
        except LocksUnsupportedError as error:
            raise EmbeddedDirectoryError(
                directory=str(path),
                reason=f"its file system has no file locks ({error}); choose a directory on a local disk",
            ) from error
        except CredentialsUnreadableError as error:
            raise EmbeddedDirectoryError(directory=str(path), reason=str(error)) from error
        except OSError as error:
            raise EmbeddedDirectoryError(
                directory=str(path), reason=f"{error.filename or 'a file in it'}: {error.strerror}"
            ) from error
        yield EmbeddedServer(uri=_uri(state, credentials), directory=path)
    finally:
        lease.end()


async def _reach(path: Path, command: Sequence[str], lease: Lease, patience: float) -> ServerState:
    """The state of a server that answers; starts one whenever nobody else is at it."""
    deadline = anyio.current_time() + patience
    launch = Launch(path, command)
    state: ServerState | None = None
    try:
        while anyio.current_time() < deadline:
            # The lease comes first: it keeps a running server running, and waits for one about to end.
            if await to_thread.run_sync(lease.try_take):
                state = await to_thread.run_sync(find_live_state, path)
                if state is None:
                    await to_thread.run_sync(launch.advance)
                elif await answers(state.port):
                    return state
            await anyio.sleep(_PAUSE_SECONDS)
    finally:
        launch.forget()
    raise EmbeddedStartError(
        directory=str(path),
        reason=f"no answer within {patience:g} s{_hint(state)}",
        log_tail=await to_thread.run_sync(log_tail, path),
    )


def _hint(state: ServerState | None) -> str:
    if state is None:
        return ""
    if state.machine != socket.gethostname():
        return (
            f"; {state.machine!r} serves this directory, and only its own processes can connect: "
            "give each machine or container a directory of its own"
        )
    return f" from process {state.engine_pid} on port {state.port}"


def _uri(state: ServerState, credentials: Credentials) -> str:
    return f"mongodb://{credentials.user}:{credentials.secret}@127.0.0.1:{state.port}/?{urlencode(_OPTIONS)}"
