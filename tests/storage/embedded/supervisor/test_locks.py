"""Locks belong to open files: they exclude each other within one process too, and end with their holder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from convotree.storage.embedded.supervisor.locks import LockMode, open_lock_file, try_lock, unlock

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")


def test_an_exclusive_lock_is_held_alone(tmp_path: Path) -> None:
    one, other = (open_lock_file(tmp_path / "lock") for _ in range(2))
    try:
        assert try_lock(one, LockMode.EXCLUSIVE)
        assert not try_lock(other, LockMode.EXCLUSIVE)
        assert not try_lock(other, LockMode.SHARED)
        unlock(one)
        assert try_lock(other, LockMode.EXCLUSIVE)
    finally:
        os.close(one)
        os.close(other)


def test_shared_locks_are_held_together_and_keep_an_exclusive_one_out(tmp_path: Path) -> None:
    descriptors = [open_lock_file(tmp_path / "lock") for _ in range(3)]
    try:
        assert try_lock(descriptors[0], LockMode.SHARED)
        assert try_lock(descriptors[1], LockMode.SHARED)
        assert not try_lock(descriptors[2], LockMode.EXCLUSIVE)
    finally:
        for one in descriptors:
            os.close(one)


def test_a_lock_file_is_private_and_no_link(tmp_path: Path) -> None:
    os.close(open_lock_file(tmp_path / "lock"))
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")

    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600
    with pytest.raises(OSError, match="link"):
        open_lock_file(tmp_path / "link")


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    descriptor = open_lock_file(tmp_path / "lock")
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import fcntl, os, sys\n"
            "lock = os.open(sys.argv[1], os.O_RDWR)\n"
            "fcntl.flock(lock, fcntl.LOCK_EX)\n"
            "print('held', flush=True)\n"
            "sys.stdin.read()\n",
            str(tmp_path / "lock"),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert not try_lock(descriptor, LockMode.EXCLUSIVE)
    finally:
        holder.kill()
        holder.communicate()

    assert try_lock(descriptor, LockMode.EXCLUSIVE)
    os.close(descriptor)
