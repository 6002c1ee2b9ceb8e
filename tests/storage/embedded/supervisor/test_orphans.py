"""An engine that outlived its supervisor is found and ended; a stranger's process is not."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from convotree.storage.embedded.supervisor.layout import DATA, ENGINE_LOCK
from convotree.storage.embedded.supervisor.locks import LockMode, open_lock_file, try_lock
from convotree.storage.embedded.supervisor.orphans import EngineLockedError, record_pid, take_engine_lock


@contextmanager
def holder_of_the_lock(directory: Path, argument: str) -> Iterator[subprocess.Popen[bytes]]:
    lock = open_lock_file(directory / ENGINE_LOCK)
    assert try_lock(lock, LockMode.EXCLUSIVE)
    with subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)", argument], pass_fds=(lock,)
    ) as holder:
        record_pid(lock, holder.pid)
        os.close(lock)
        try:
            yield holder
        finally:
            holder.kill()


def test_a_free_lock_is_taken_at_once(tmp_path: Path) -> None:
    os.close(take_engine_lock(tmp_path, patience=0))


def test_an_orphaned_engine_is_killed(tmp_path: Path) -> None:
    with holder_of_the_lock(tmp_path, str(tmp_path / DATA)) as orphan:
        os.close(take_engine_lock(tmp_path, patience=5))
        assert orphan.wait() == -9


def test_a_process_that_does_not_name_the_data_is_left_alone_and_told(tmp_path: Path) -> None:
    with holder_of_the_lock(tmp_path, "something else") as stranger:
        with pytest.raises(EngineLockedError, match=f"process {stranger.pid}"):
            take_engine_lock(tmp_path, patience=0.5)
        assert stranger.poll() is None
