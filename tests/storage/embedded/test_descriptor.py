"""Descriptors are closed once, by whoever comes last, and never by a forked child for its parent."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from convotree.storage.embedded.descriptor import Descriptor
from tests.storage.embedded.user_process import eventually, is_locked

FORKING_USER = """
import os, sys, time
from pathlib import Path
from convotree.storage.embedded.lease import Lease
lease = Lease(Path(sys.argv[1]))
assert lease.try_take()
child = os.fork()
if child == 0:
    time.sleep(600)
print(child, flush=True)
sys.stdin.read()
"""


def is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


@pytest.fixture
def number() -> int:
    return os.open(os.devnull, os.O_RDONLY)


def test_closing_twice_closes_once(number: int) -> None:
    descriptor = Descriptor()
    descriptor.hold(number)
    descriptor.close()
    reused = os.open(os.devnull, os.O_RDONLY)
    descriptor.close()
    assert is_open(reused)
    os.close(reused)


def test_what_is_handed_over_too_late_is_closed(number: int) -> None:
    descriptor = Descriptor()
    descriptor.close()
    descriptor.hold(number)
    assert not is_open(number)


def test_what_is_in_use_is_closed_afterwards(number: int) -> None:
    descriptor = Descriptor()
    descriptor.hold(number)
    with contextlib.suppress(KeyError), descriptor.in_use() as used:
        descriptor.close()
        assert used == number
        assert is_open(number)
        raise KeyError
    assert not is_open(number)
    with descriptor.in_use() as used:
        assert used is None


def test_a_forked_child_does_not_keep_its_parents_lease(tmp_path: Path) -> None:
    lock = tmp_path / "users.lock"
    with subprocess.Popen(
        [sys.executable, "-c", FORKING_USER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        try:
            assert is_locked(lock)
            parent.kill()
            parent.wait()
            eventually(lambda: not is_locked(lock), "the lock goes with the parent")
            os.kill(child, 0)
        finally:
            os.kill(child, 9)
