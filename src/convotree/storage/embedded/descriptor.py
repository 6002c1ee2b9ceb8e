"""A file descriptor with one owner."""

import contextlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakSet

__all__ = ["Descriptor"]


class Descriptor:
    """Closes a descriptor exactly once, whichever thread opened or uses it, and drops it in forked children.

    When a task is cancelled its worker thread works on: what that hands over after `close` is closed at once,
    and what it is using is closed as soon as it stops, so no thread ever works on a number that the system has
    given to another file. A forked child would share the lock behind the descriptor, and keep a server alive,
    or a directory locked, that the parent has long left.
    """

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._number: int | None = None
        self._to_close = False
        _ALL.add(self)

    def hold(self, number: int) -> None:
        """Takes over an open descriptor; at most once."""
        with self._mutex:
            self._number = number
        self._close_if_due()

    @contextmanager
    def in_use(self) -> Iterator[int | None]:
        """The number, which stays open for the block; None before `hold` and after `close`."""
        try:
            with self._mutex:
                yield None if self._to_close else self._number
        finally:
            self._close_if_due()

    def close(self) -> None:
        """Never waits: what is in use is closed by its user."""
        self._to_close = True
        self._close_if_due()

    def _close_if_due(self) -> None:
        # If the mutex is held, its holder comes here after releasing it.
        if self._to_close and self._mutex.acquire(blocking=False):
            try:
                number, self._number = self._number, None
            finally:
                self._mutex.release()
            if number is not None:
                os.close(number)

    def _drop_in_child(self) -> None:
        # Another thread of the parent may have held the mutex at the fork; here is only this one.
        self._mutex = threading.Lock()
        with contextlib.suppress(OSError):
            self.close()


_ALL: WeakSet[Descriptor] = WeakSet()


def _drop_all_in_child() -> None:
    for descriptor in list(_ALL):
        descriptor._drop_in_child()


if hasattr(os, "register_at_fork"):  # not on Windows, where there is no fork either
    os.register_at_fork(after_in_child=_drop_all_in_child)
