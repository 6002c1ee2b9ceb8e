"""Documents stay true: their examples run, and their lists are those of the code."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import convotree
from convotree import errors
from convotree.domain.lanes import SEGMENT_LENGTH
from convotree.storage.collections import COLLECTIONS
from tests.engine_process import engine_command

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENTS = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
EXAMPLES = [
    pytest.param(block, id=f"{path.relative_to(REPOSITORY)}:{number}")
    for path in DOCUMENTS
    for number, block in enumerate(BLOCK.findall(path.read_text()))
]


def test_there_are_examples() -> None:
    assert EXAMPLES


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs_as_it_stands(example: str, tmp_path: Path) -> None:
    if "embedded:" in example and engine_command() is None:
        pytest.skip("the embedded engine is not installed")

    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", example],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr


def test_the_example_of_the_readme_prints_the_request() -> None:
    first = BLOCK.findall((REPOSITORY / "README.md").read_text())[0]
    body = first[first.index("async def main") : first.index("asyncio.run")]

    assert len([line for line in body.splitlines() if line.strip()]) <= 12, "it says ten lines"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text())

    missing = [target for target in targets if not (path.parent / target).exists()]

    assert missing == []


def test_the_errors_listed_are_the_errors_there_are() -> None:
    listed = set(re.findall(r"`(\w+Error)`", (REPOSITORY / "docs/errors.md").read_text()))

    assert listed == set(errors.__all__)


def test_the_attributes_listed_of_an_error_are_its_own() -> None:
    for line in (REPOSITORY / "docs/errors.md").read_text().splitlines():
        cells = line.split("|")
        if len(cells) != 5 or "Error`" not in cells[1]:
            continue
        error = getattr(errors, cells[1].strip(" `"))
        parameters = set(inspect.signature(error).parameters)
        source = "".join(
            inspect.getsource(base) for base in error.__mro__ if base.__module__ == errors.__name__
        )
        for attribute in re.findall(r"`(\w+)`", cells[3]):
            assert attribute in parameters or f"self.{attribute} = " in source, (error, attribute)


def test_the_public_names_are_all_described() -> None:
    described = (REPOSITORY / "docs/names.md").read_text() + (REPOSITORY / "docs/errors.md").read_text()

    assert [name for name in convotree.__all__ if f"`{name}`" not in described] == []


def test_the_architecture_names_every_collection_and_the_length_of_a_segment() -> None:
    text = (REPOSITORY / "docs/architecture.md").read_text()

    assert [one.name for one in COLLECTIONS if f"`{one.name}`" not in text] == []
    assert f"stretch of {SEGMENT_LENGTH} depths" in text
    assert len(text.splitlines()) < 250
