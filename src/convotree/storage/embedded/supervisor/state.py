"""The state file: where the engine listens.

Its writer locks the file before giving it its name and holds the lock for as long as the content is true. A
reader that finds the lock free knows that the writer is gone, whatever pid or port the file names; since the
lock belongs to that very file, no other supervisor can make an old content look alive.
"""

import json
import os
import socket
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from .files import write_new_file
from .layout import STATE
from .locks import LockMode, try_lock

_LARGEST: Final = 65536


@dataclass(frozen=True, slots=True)
class ServerState:
    """One run of an engine: its loopback port, the two processes, and the name of the machine they run on."""

    port: int
    engine_pid: int
    supervisor_pid: int
    machine: str


def publish_state(directory: Path, *, port: int, engine_pid: int) -> int:
    """Puts the state in place of any older one; it is believed until the returned descriptor is closed."""
    state = ServerState(
        port=port, engine_pid=engine_pid, supervisor_pid=os.getpid(), machine=socket.gethostname()
    )
    new = directory / f"{STATE}.new"
    descriptor = write_new_file(new, json.dumps(asdict(state)).encode())
    try_lock(descriptor, LockMode.EXCLUSIVE)
    new.rename(directory / STATE)
    return descriptor


def find_live_state(directory: Path) -> ServerState | None:
    """The state, if there is one and its writer lives."""
    try:
        descriptor = os.open(directory / STATE, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    try:
        if try_lock(descriptor, LockMode.SHARED):
            return None
        content = os.read(descriptor, _LARGEST)
    finally:
        os.close(descriptor)
    return _parse(content)


def last_port(directory: Path) -> int | None:
    """Where the last engine listened, be it alive or not; None if that is not known."""
    try:
        descriptor = os.open(directory / STATE, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        state = _parse(os.read(descriptor, _LARGEST))
    finally:
        os.close(descriptor)
    return state.port if state is not None and 0 < state.port < 65536 else None


def _parse(content: bytes) -> ServerState | None:
    """None for what no supervisor of this release writes: its file may come from another release."""
    try:
        fields = json.loads(content)
        return ServerState(
            port=int(fields["port"]),
            engine_pid=int(fields["engine_pid"]),
            supervisor_pid=int(fields["supervisor_pid"]),
            machine=str(fields["machine"]),
        )
    except (ValueError, TypeError, KeyError):
        return None
