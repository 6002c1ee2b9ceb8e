"""The supervisor as a program."""

import subprocess
import sys
from pathlib import Path

from convotree.storage.embedded import supervisor


def test_it_runs_without_any_installed_package() -> None:
    folder = Path(supervisor.__file__).parent
    ran = subprocess.run(
        [sys.executable, "-I", "-S", str(folder), "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={},
    )
    assert "--directory" in ran.stdout
