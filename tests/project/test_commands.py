"""The project's own commands, as far as they can be run from inside one of them."""

import os
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
COMMANDS = ["scripts/test", "scripts/demo", ".ci/run"]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_can_be_executed(name: str) -> None:
    assert (REPOSITORY / name).stat().st_mode & 0o111


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_from_any_folder_refuses_an_interpreter_that_does_not_serve(
    tmp_path: Path, name: str
) -> None:
    outcome = subprocess.run(
        [REPOSITORY / name],
        cwd=tmp_path,
        env={**os.environ, "PYTHON": "no-such-python"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert outcome.returncode == 1
    [message] = outcome.stderr.splitlines()
    assert "PYTHON=no-such-python is no Python 3.11 or later" in message
