"""Small files that are there whole or not at all."""

import contextlib
import os
from pathlib import Path


def write_new_file(path: Path, content: bytes) -> int:
    """Writes a new private file to disk and gives its descriptor, still open; an older file is removed."""
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            file.write(content)
        os.fsync(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def sync_directory(path: Path) -> None:
    """Makes renames inside the directory survive a loss of power."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
