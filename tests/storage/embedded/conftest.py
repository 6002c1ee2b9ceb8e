"""Directories for embedded engines, left with nothing running in them."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.storage.embedded.user_process import end_server

if sys.platform == "win32":
    pytest.skip("the embedded engine needs Linux or macOS", allow_module_level=True)


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Path]:
    """A directory that does not exist yet."""
    path = tmp_path / "database"
    yield path
    end_server(path)
