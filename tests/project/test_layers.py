"""The contracts of pyproject.toml: that the source keeps them, and that each of them catches what it is for."""

import ast
import os
import re
import shutil
import subprocess
import sysconfig
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "src" / "convotree"
PURE_MODULES = sorted(
    path.relative_to(PACKAGE) for layer in ("domain", "replay") for path in (PACKAGE / layer).rglob("*.py")
)


def lint_imports(repository: Path, *contracts: str) -> str:
    """What the checker says of the package in ``repository/src``: its report's last line.

    ``contracts`` are ids; without any, all are checked.
    """
    command = shutil.which("lint-imports", path=sysconfig.get_path("scripts"))
    assert command is not None
    outcome = subprocess.run(
        [command, "--no-cache", *(f"--contract={contract}" for contract in contracts)],
        cwd=repository,
        # Comes before the installed package.
        env={**os.environ, "PYTHONPATH": str(repository / "src")},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    summary = re.findall(r"^Contracts: .*$", outcome.stdout, re.MULTILINE)
    assert summary, outcome.stdout + outcome.stderr
    return str(summary[-1]) if outcome.returncode < 2 else outcome.stderr


def test_the_source_keeps_every_contract() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    count = len(project["tool"]["importlinter"]["contracts"])

    assert lint_imports(REPOSITORY) == f"Contracts: {count} kept, 0 broken."


@pytest.mark.parametrize(
    ("module", "text", "contract"),
    [
        ("domain/planted.py", "import convotree.storage", "layers"),
        ("storage/planted.py", "import convotree.replay", "layers"),
        ("storage/planted.py", "from convotree import store", "layers"),
        ("unplaced.py", "", "layers"),
        ("store/planted.py", "import pymongo.errors", "driver"),
        ("interchange/planted.py", "from bson import Binary", "driver"),
        ("unplaced.py", "import motor.motor_asyncio", "driver"),
        ("storage/planted.py", "import secantus", "engine"),
        ("domain/planted.py", "import asyncio", "pure-io"),
        ("replay/planted.py", "def late():\n    import urllib.request", "pure-io"),
        ("domain/planted.py", "from time import time", "pure-clock"),
        ("replay/planted.py", "import random", "pure-clock"),
    ],
)
def test_a_planted_import_breaks_its_contract(tmp_path: Path, module: str, text: str, contract: str) -> None:
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    copy = tmp_path / "src" / "convotree"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / module).write_text(text + "\n", encoding="utf-8")

    assert lint_imports(tmp_path, contract) == "Contracts: 0 kept, 1 broken."


@pytest.mark.parametrize("module", PURE_MODULES, ids=str)
def test_pure_layers_neither_await_nor_read_the_clock(module: Path) -> None:
    """The contracts see imports; values of ``datetime`` are welcome in the pure layers, its clock is not."""
    assert impurities((PACKAGE / module).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "async def load(): ...",
        "def load(): return datetime.now(UTC)",
        "def load(): return datetime.datetime.utcnow()",
        "def load(): return date.today()",
        "def load(): return open('file')",
    ],
)
def test_impurities_are_seen(text: str) -> None:
    assert impurities(text) != []


def impurities(text: str) -> list[str]:
    """Each await and each call of a clock or of ``open`` in a module, with its line."""
    found = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.AsyncFunctionDef() | ast.Await() | ast.AsyncFor() | ast.AsyncWith():
                found.append(f"line {node.lineno}: async")
            case ast.Call(func=ast.Attribute(attr="now" | "utcnow" | "today" as name)):
                found.append(f"line {node.lineno}: {name}()")
            case ast.Call(func=ast.Name(id="open" | "input" | "print" as name)):
                found.append(f"line {node.lineno}: {name}()")
            case _:
                pass
    return found
