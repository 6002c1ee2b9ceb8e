"""Makes the directory of an embedded engine: present, its own, private."""

import errno
import os
import stat
from pathlib import Path
from typing import Final

from convotree.errors import EmbeddedDirectoryError
from convotree.storage.embedded.supervisor.layout import CONFIG, MARKER

__all__ = ["prepare_directory"]

_PRIVATE: Final = 0o700
_MARKER_TEXT: Final = b"""\
The database of convotree's embedded engine. Only its owner may look in here; credentials.json opens it.
To copy or move it, wait until the programs that use it have ended, and take the whole directory.
"""
_REASONS: Final = {
    errno.EACCES: "permission denied; choose a directory that you may write to",
    errno.EEXIST: "it is a file; name a directory",
    errno.ELOOP: "its symbolic links lead in a circle",
    errno.ENAMETOOLONG: "its path is too long",
    errno.ENOSPC: "the disk is full",
    errno.ENOTDIR: "a part of its path is a file; name a directory",
    errno.EROFS: "its file system is read-only",
}


def prepare_directory(directory: str) -> Path:
    """The absolute path of the directory, which then exists with mode 0700 and holds our marker.

    A directory that holds other things and was not made here is refused rather than made private: it may be
    somebody's home or ``/tmp``. So is one that belongs to another user. Raises `EmbeddedDirectoryError`.
    """
    if not directory:
        raise EmbeddedDirectoryError(directory=directory, reason="the name is empty; name a directory")
    try:
        path = Path(directory).absolute()
        path.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _check_owner(directory, os.fstat(descriptor))
            _check_purpose(directory, path)
            mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
            if mode & ~_PRIVATE:
                os.fchmod(descriptor, mode & _PRIVATE)
        finally:
            os.close(descriptor)
        _ensure_file(path / CONFIG, b"")
    except ValueError as error:
        raise EmbeddedDirectoryError(directory=directory, reason=f"not a path: {error}") from error
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
        raise EmbeddedDirectoryError(directory=directory, reason=reason) from error
    return path


def _check_owner(directory: str, facts: os.stat_result) -> None:
    # For root too: its files would lock the owner out of his own directory.
    if facts.st_uid != os.geteuid():
        raise EmbeddedDirectoryError(
            directory=directory,
            reason=f"it belongs to user {facts.st_uid}, and this is user {os.geteuid()}; each needs their own",
        )


def _check_purpose(directory: str, path: Path) -> None:
    # Our first file is the marker: whatever else another process of ours has made by now, it is there.
    if any(path.iterdir()) and not (path / MARKER).exists():
        raise EmbeddedDirectoryError(
            directory=directory,
            reason="it holds other files; name a new or empty directory, which then belongs to the engine alone",
        )
    _ensure_file(path / MARKER, _MARKER_TEXT)


def _ensure_file(path: Path, content: bytes) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
