"""Whether anybody still uses the directory, and whether anybody still can."""

import os
import time
from pathlib import Path
from typing import Final

from .layout import USERS_LOCK
from .locks import LockMode, open_lock_file, try_lock, unlock

_LOOK_EVERY_SECONDS: Final = 0.25


class Users:
    """Watches the users' lock, which every user holds shared.

    Looking takes the lock for an instant; a user who comes in that instant simply tries again. Once nobody
    has been there for the whole of ``grace`` seconds the lock is kept, so that whoever comes later waits
    until this supervisor is gone instead of meeting an engine about to end.
    """

    def __init__(self, directory: Path, *, grace: float) -> None:
        self._path = directory / USERS_LOCK
        self._lock = open_lock_file(self._path)
        self._grace = grace
        self._nobody_since: float | None = None
        self._looked_at = float("-inf")
        self._closed = False

    def are_gone(self) -> bool:
        """True from the moment on that the last user has been gone for the grace period."""
        now = time.monotonic()
        if self._closed or now - self._looked_at < _LOOK_EVERY_SECONDS:
            return self._closed
        self._looked_at = now
        if not try_lock(self._lock, LockMode.EXCLUSIVE):
            self._nobody_since = None
        elif self._nobody_since is None:
            self._nobody_since = now
            unlock(self._lock)
        elif now - self._nobody_since < self._grace:
            unlock(self._lock)
        else:
            self._closed = True
        return self._closed

    def are_cut_off(self) -> bool:
        """True if a newcomer would not find this lock: the directory was deleted, replaced or moved."""
        try:
            return not os.path.samestat(self._path.stat(), os.fstat(self._lock))
        except FileNotFoundError:
            return True
