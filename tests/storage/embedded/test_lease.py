"""A user holds its lock until it ends, beside any number of others."""

from pathlib import Path

from convotree.storage.embedded.lease import Lease
from convotree.storage.embedded.supervisor.locks import LockMode, open_lock_file, try_lock
from tests.storage.embedded.user_process import is_locked


def test_leases_stand_side_by_side_and_end_one_by_one(tmp_path: Path) -> None:
    first, second = Lease(tmp_path), Lease(tmp_path)
    assert first.try_take()
    assert second.try_take()
    first.end()
    assert is_locked(tmp_path / "users.lock")
    second.end()
    assert not is_locked(tmp_path / "users.lock")


def test_a_lease_waits_for_a_supervisor_about_to_end(tmp_path: Path) -> None:
    supervisor = open_lock_file(tmp_path / "users.lock")
    assert try_lock(supervisor, LockMode.EXCLUSIVE)
    lease = Lease(tmp_path)
    assert not lease.try_take()
    assert try_lock(supervisor, LockMode.SHARED)
    assert lease.try_take()
    lease.end()


def test_an_ended_lease_cannot_be_taken(tmp_path: Path) -> None:
    lease = Lease(tmp_path)
    lease.end()
    assert not lease.try_take()
    assert not is_locked(tmp_path / "users.lock")
