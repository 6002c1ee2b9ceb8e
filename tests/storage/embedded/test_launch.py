"""Starting a supervisor, with the guards of systems other than this one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from convotree.errors import EmbeddedStartError
from convotree.storage.embedded.directory import prepare_directory
from convotree.storage.embedded.engine_command import find_engine_command
from convotree.storage.embedded.launch import Launch, log_tail
from convotree.storage.embedded.lease import Lease
from convotree.storage.embedded.supervisor.orphans import OrphanGuard
from convotree.storage.embedded.supervisor.state import find_live_state
from tests.storage.embedded.user_process import eventually, is_answering, live_state, nothing_runs


def advance_until_published(launch: Launch, directory: Path) -> None:
    def published() -> bool:
        if find_live_state(directory) is None:
            launch.advance()
            return False
        return True

    eventually(published, "the server is published")


@pytest.mark.parametrize("guard", OrphanGuard)
def test_every_guard_ends_the_engine_of_a_killed_supervisor(directory: Path, guard: OrphanGuard) -> None:
    if guard is OrphanGuard.DEATH_SIGNAL and sys.platform != "linux":
        pytest.skip("only Linux sends a signal to the child of a dead parent")
    prepare_directory(str(directory))
    lease = Lease(directory)
    assert lease.try_take()
    launch = Launch(directory, find_engine_command(), guard=guard)
    advance_until_published(launch, directory)
    killed = live_state(directory)
    os.kill(killed.supervisor_pid, signal.SIGKILL)
    eventually(lambda: nothing_runs(directory), "the engine is ended")
    assert not is_answering(killed.port)
    launch.forget()
    lease.end()


def test_a_watcher_ends_with_its_supervisor(directory: Path) -> None:
    prepare_directory(str(directory))
    lease = Lease(directory)
    assert lease.try_take()
    launch = Launch(directory, find_engine_command(), guard=OrphanGuard.WATCHER)
    advance_until_published(launch, directory)
    assert supervisors_of(directory) == 2
    os.kill(live_state(directory).supervisor_pid, signal.SIGTERM)
    eventually(lambda: supervisors_of(directory) == 0, "both are gone")
    launch.forget()
    lease.end()


def supervisors_of(directory: Path) -> int:
    shown = subprocess.run(["ps", "-ww", "-eo", "args="], capture_output=True, text=True, check=True).stdout
    return sum(f"supervisor --directory {directory}" in line for line in shown.splitlines())


def test_a_command_that_cannot_be_run_is_told(directory: Path) -> None:
    prepare_directory(str(directory))
    lease = Lease(directory)
    assert lease.try_take()
    launch = Launch(directory, [str(directory / "missing")])
    with pytest.raises(EmbeddedStartError, match=r"missing cannot be run: No such file"):
        advance_until_published(launch, directory)
    launch.forget()
    lease.end()


def test_an_interpreter_that_cannot_run_the_supervisor_is_told(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare_directory(str(directory))
    launch = Launch(directory, find_engine_command())
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(EmbeddedStartError, match="its supervisor ended with status 1"):
        launch.advance()
    monkeypatch.setattr(sys, "executable", str(directory / "missing"))
    with pytest.raises(EmbeddedStartError, match="cannot be run: No such file"):
        launch.advance()
    launch.forget()


def test_a_large_log_makes_place_for_a_new_one(directory: Path) -> None:
    prepare_directory(str(directory))
    (directory / "engine.log").write_bytes(b"x" * ((1 << 20) + 1))
    launch = Launch(directory, ["/bin/false"])
    lease = Lease(directory)
    assert lease.try_take()
    with pytest.raises(EmbeddedStartError, match="ended with status 1 before it answered"):
        advance_until_published(launch, directory)
    assert (directory / "engine.log.old").stat().st_size == (1 << 20) + 1
    assert (directory / "engine.log").stat().st_size < 1 << 10
    launch.forget()
    lease.end()


def test_the_tail_of_a_log_is_its_last_lines(tmp_path: Path) -> None:
    assert log_tail(tmp_path) == ""
    (tmp_path / "engine.log").write_text("".join(f"line {number}\n" for number in range(5000)))
    assert log_tail(tmp_path).splitlines() == [f"line {number}" for number in range(4980, 5000)]
