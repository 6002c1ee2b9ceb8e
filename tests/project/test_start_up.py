"""What a program does not wait for when it imports the library."""

import subprocess
import sys

import pytest

LAZY = [
    "anthropic",
    "convotree.interchange",
    "convotree.replay.anthropic.render",
    "convotree.replay.openai_chat.render",
    "convotree.replay.openai_responses.render",
    "convotree.storage.embedded",
    "motor",
    "openai",
    "pydantic",
]


@pytest.fixture(scope="module")
def imported() -> set[str]:
    code = "import sys, convotree; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("name", LAZY)
def test_what_few_programs_use_is_imported_when_it_is_used(imported: set[str], name: str) -> None:
    assert name not in imported


def test_the_library_was_imported(imported: set[str]) -> None:
    assert {"convotree", "convotree.store.store", "pymongo"} <= imported
