"""What makes a process count as a user of the directory."""

from pathlib import Path

from convotree.storage.embedded.descriptor import Descriptor
from convotree.storage.embedded.supervisor.layout import USERS_LOCK
from convotree.storage.embedded.supervisor.locks import LockMode, open_lock_file, try_lock

__all__ = ["Lease"]


class Lease:
    """A shared lock on the users' file, from the first successful `try_take` to `end` or the process's death."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / USERS_LOCK
        self._descriptor = Descriptor()
        self._opened = False
        self._taken = False

    def try_take(self) -> bool:
        """False while a supervisor looks for users or is about to end; blocks on the file system only."""
        if self._taken:
            return True
        if not self._opened:
            self._descriptor.hold(open_lock_file(self._path))
            self._opened = True
        with self._descriptor.in_use() as number:
            self._taken = number is not None and try_lock(number, LockMode.SHARED)
        return self._taken

    def end(self) -> None:
        self._descriptor.close()
