"""A state is believed exactly as long as its writer lives."""

import os
from pathlib import Path

import pytest

from convotree.storage.embedded.supervisor.locks import LockMode, open_lock_file, try_lock
from convotree.storage.embedded.supervisor.state import find_live_state, last_port, publish_state


def test_a_state_is_believed_until_its_writer_lets_go(tmp_path: Path) -> None:
    assert find_live_state(tmp_path) is None
    assert last_port(tmp_path) is None
    held = publish_state(tmp_path, port=4711, engine_pid=12)
    state = find_live_state(tmp_path)
    assert state is not None
    assert (state.port, state.engine_pid, state.supervisor_pid) == (4711, 12, os.getpid())
    os.close(held)
    assert find_live_state(tmp_path) is None
    assert last_port(tmp_path) == 4711


def test_a_newer_state_takes_the_place_of_an_older(tmp_path: Path) -> None:
    older = publish_state(tmp_path, port=1, engine_pid=1)
    newer = publish_state(tmp_path, port=2, engine_pid=2)
    os.close(older)
    state = find_live_state(tmp_path)
    assert state is not None
    assert state.port == 2
    os.close(newer)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"port": "x"}', '{"port": 1}'])
def test_what_no_supervisor_writes_is_not_believed(tmp_path: Path, content: str) -> None:
    (tmp_path / "state.json").write_text(content)
    held = open_lock_file(tmp_path / "state.json")
    assert try_lock(held, LockMode.EXCLUSIVE)
    assert find_live_state(tmp_path) is None
    assert last_port(tmp_path) is None
    os.close(held)
