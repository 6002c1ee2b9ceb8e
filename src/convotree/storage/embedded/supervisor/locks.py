"""Locks on whole files (``flock``): the kernel releases them when their holder ends, however it ends.

A lock belongs to the open file, not to the process: several in one process are independent, and a child that
inherits the descriptor shares the lock.
"""

import enum
import errno
import os
import sys
from pathlib import Path
from typing import Final

if sys.platform != "win32":
    import fcntl


class LockMode(enum.Enum):
    SHARED = "shared"
    EXCLUSIVE = "exclusive"


class LocksUnsupportedError(Exception):
    """The file system has no such locks."""


_HELD_BY_ANOTHER: Final = frozenset({errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES})
_UNSUPPORTED: Final = frozenset(
    {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOTTY}
)


def open_lock_file(path: Path) -> int:
    """A new descriptor of the file, which is created if missing; children do not inherit it."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def try_lock(descriptor: int, mode: LockMode) -> bool:
    """Takes the lock unless another open file holds a conflicting one; never waits."""
    operation = fcntl.LOCK_SH if mode is LockMode.SHARED else fcntl.LOCK_EX
    try:
        fcntl.flock(descriptor, operation | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD_BY_ANOTHER:
            return False
        if error.errno in _UNSUPPORTED:
            raise LocksUnsupportedError(error.strerror) from error
        raise
    return True


def unlock(descriptor: int) -> None:
    """Gives the lock up for everyone who shares the open file."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)
