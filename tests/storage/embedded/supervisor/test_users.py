"""Users are those who hold the shared lock; gone means gone for the whole of the grace period."""

import os
import time
from pathlib import Path

from convotree.storage.embedded.supervisor.layout import USERS_LOCK
from convotree.storage.embedded.supervisor.locks import LockMode, open_lock_file, try_lock
from convotree.storage.embedded.supervisor.users import Users

# Far beyond what a loaded machine needs to look again.
PATIENCE_SECONDS = 60


def until_gone(users: Users) -> bool:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if users.are_gone():
            return True
        time.sleep(0.01)
    return False


def test_a_user_keeps_it_open_and_the_last_one_ends_it(tmp_path: Path) -> None:
    user = open_lock_file(tmp_path / USERS_LOCK)
    assert try_lock(user, LockMode.SHARED)
    users = Users(tmp_path, grace=0.0)
    assert not users.are_gone()

    os.close(user)

    assert until_gone(users)
    assert users.are_gone()
    late = open_lock_file(tmp_path / USERS_LOCK)
    assert not try_lock(late, LockMode.SHARED), "whoever comes now must wait for another server"
    os.close(late)


def test_before_the_grace_period_is_over_a_newcomer_is_let_in(tmp_path: Path) -> None:
    users = Users(tmp_path, grace=3600.0)
    assert not users.are_gone()

    newcomer = open_lock_file(tmp_path / USERS_LOCK)

    assert try_lock(newcomer, LockMode.SHARED)
    os.close(newcomer)


def test_a_directory_that_was_deleted_or_replaced_cuts_newcomers_off(tmp_path: Path) -> None:
    users = Users(tmp_path, grace=1.0)
    assert not users.are_cut_off()

    (tmp_path / USERS_LOCK).unlink()
    assert users.are_cut_off()
    (tmp_path / USERS_LOCK).touch()
    assert users.are_cut_off()
