"""Where the engine is found, and that its absence is told."""

import importlib.metadata
import os
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

import convotree

FIND = """
from convotree.errors import EmbeddedEngineMissingError
from convotree.storage.embedded.engine_command import find_engine_command
try:
    print(*find_engine_command(), sep="\\n")
except EmbeddedEngineMissingError as error:
    print(error)
"""
SERVE = """
import sys, anyio
from convotree.errors import EmbeddedEngineMissingError
from convotree.storage.embedded import serve_directory
async def main():
    try:
        async with serve_directory(sys.argv[1]):
            pass
    except EmbeddedEngineMissingError as error:
        print(error)
anyio.run(main)
"""
ADVICE = "secantusdb is not installed; run: pip install 'convotree[embedded]'"


class Environment:
    """A virtual environment that has the library and what it needs; the engine's package only on request."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._packages = folder / "packages"
        self._packages.mkdir(parents=True)
        venv.create(folder / "venv", symlinks=True)
        self.scripts = folder / "venv" / "bin"
        self._link(engine=False)

    def install_engine_without_scripts(self) -> None:
        self._link(engine=True)

    def run(self, code: str, *arguments: str, path: str = "") -> str:
        environment = {"PYTHONPATH": os.pathsep.join(self._paths()), "PATH": path}
        ran = subprocess.run(
            [self.scripts / "python", "-c", code, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return ran.stdout.rstrip("\n")

    def _paths(self) -> list[str]:
        return [str(Path(convotree.__file__).parent.parent), str(self._packages)]

    def _link(self, *, engine: bool) -> None:
        for package in Path(sysconfig.get_path("purelib")).iterdir():
            if package.name.startswith("secantus") is engine and package.suffix != ".pth":
                (self._packages / package.name).symlink_to(package)


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path / "environment")


def make_script(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    script = folder / "secantusd-py"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    return script


def test_without_the_engine_nothing_is_made_and_the_extra_is_named(
    environment: Environment, tmp_path: Path
) -> None:
    assert environment.run(SERVE, str(tmp_path / "database")) == ADVICE
    assert not (tmp_path / "database").exists()


def test_the_script_of_the_own_environment_wins_over_one_on_the_path(
    environment: Environment, tmp_path: Path
) -> None:
    elsewhere = make_script(tmp_path / "elsewhere")
    assert environment.run(FIND, path=str(elsewhere.parent)) == str(elsewhere)
    own = make_script(environment.scripts)
    assert environment.run(FIND, path=str(elsewhere.parent)) == str(own)


@pytest.mark.skipif(
    not importlib.metadata.entry_points(group="console_scripts", name="secantusd-py"),
    reason="needs the extra 'embedded'",
)
def test_a_package_without_its_script_is_run_by_its_entry_point(environment: Environment) -> None:
    environment.install_engine_without_scripts()
    _, *arguments = environment.run(FIND).split("\n")
    code = arguments.pop()
    assert arguments == ["-c"]
    assert "--storage-path" in environment.run(code, "--help")
