"""Ports: the one asked for if it is free, else another."""

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest

from convotree.storage.embedded.directory import prepare_directory
from convotree.storage.embedded.engine_command import find_engine_command
from convotree.storage.embedded.supervisor.engine_process import Access, find_free_port
from convotree.storage.embedded.supervisor.layout import DATA
from convotree.storage.embedded.supervisor.orphans import OrphanGuard, take_engine_lock
from convotree.storage.embedded.supervisor.starter import Abandoned, Starter, StartFailedError


class PortTaker(threading.Thread):
    """Takes the port that the engine was told to use, before the engine does."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._done = threading.Event()
        self.port = 0

    def run(self) -> None:
        wanted = self._folder / "wanted"
        while not (wanted.exists() and wanted.read_text().endswith("\n")):
            if self._done.wait(0.01):
                return
        self.port = int(wanted.read_text())
        with socket.create_server(("127.0.0.1", self.port)):
            (self._folder / "port").touch()
            self._done.wait()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self.join()


@pytest.fixture
def lock(tmp_path: Path) -> Iterator[int]:
    prepare_directory(str(tmp_path / "database"))
    number = take_engine_lock(tmp_path / "database", patience=0)
    yield number
    os.close(number)


def starter(tmp_path: Path, lock: int, command: tuple[str, ...], *, unwanted: bool = False) -> Starter:
    return Starter(
        command,
        directory=tmp_path / "database",
        guard=OrphanGuard.WATCHER,
        lock=lock,
        watcher=None,
        is_unwanted=lambda: unwanted,
    )


def test_a_free_port_that_was_asked_for_is_used_and_a_taken_one_is_not(tmp_path: Path, lock: int) -> None:
    start = starter(tmp_path, lock, find_engine_command()).start
    port = find_free_port()
    engine = start(tmp_path / DATA, Access.OPEN, preferred_port=port)
    assert engine.port == port
    assert engine.stop() == 0
    with socket.create_server(("127.0.0.1", port)):
        engine = start(tmp_path / DATA, Access.OPEN, preferred_port=port)
        assert engine.port != port
        assert engine.answers()
        assert engine.stop() == 0


def test_an_engine_whose_port_was_taken_under_its_hands_gets_another(tmp_path: Path, lock: int) -> None:
    # The first time, the engine's place is taken by a program that occupies the port and ends as the engine
    # would.
    script = tmp_path / "engine"
    script.write_text(
        f"""#!/bin/sh
if [ ! -e {tmp_path}/port ]; then
    while [ "$1" != --port ]; do shift; done
    echo "$2" >{tmp_path}/wanted
    while [ ! -e {tmp_path}/port ]; do sleep 0.01; done
    exit 1
fi
exec {" ".join(find_engine_command())} "$@"
"""
    )
    script.chmod(0o755)
    with PortTaker(tmp_path) as taker:
        engine = starter(tmp_path, lock, (str(script),)).start(tmp_path / DATA, Access.OPEN)
        assert engine.port != taker.port
        assert engine.stop() == 0


def test_an_engine_that_ends_is_not_tried_again_for_its_port(tmp_path: Path, lock: int) -> None:
    with pytest.raises(StartFailedError, match="it ended with status 7 before it answered"):
        starter(tmp_path, lock, ("/bin/sh", "-c", "exit 7")).start(tmp_path / DATA, Access.OPEN)


def test_an_engine_that_nobody_waits_for_is_ended(tmp_path: Path, lock: int) -> None:
    with pytest.raises(Abandoned):
        starter(tmp_path, lock, ("/bin/sh", "-c", "exec sleep 600"), unwanted=True).start(
            tmp_path / DATA, Access.OPEN
        )
