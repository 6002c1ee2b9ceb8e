"""Files that are there whole, private, and new."""

import os
from pathlib import Path

from convotree.storage.embedded.supervisor.files import sync_directory, write_new_file


def test_a_file_is_private_and_replaces_an_older_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("older and longer")
    path.chmod(0o644)
    with path.open("rb") as older:
        descriptor = write_new_file(path, b"new")
        os.close(descriptor)

        assert older.read() == b"older and longer", "whoever has the older file open keeps it"
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("untouched")
    (tmp_path / "link").symlink_to(tmp_path / "target")

    os.close(write_new_file(tmp_path / "link", b"new"))

    assert (tmp_path / "target").read_text() == "untouched"
    assert not (tmp_path / "link").is_symlink()


def test_a_directory_can_be_synced(tmp_path: Path) -> None:
    sync_directory(tmp_path)
