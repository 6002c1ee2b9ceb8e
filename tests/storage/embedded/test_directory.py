"""What the engine's directory must be, and what is done to it."""

import os
import stat
from pathlib import Path

import pytest

from convotree.errors import EmbeddedDirectoryError
from convotree.storage.embedded.directory import prepare_directory


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_missing_directory_is_made_with_its_parents(tmp_path: Path) -> None:
    path = prepare_directory(str(tmp_path / "new" / "er"))
    assert mode_of(path) == 0o700
    assert {mode_of(file) for file in path.iterdir()} == {0o600}


def test_an_empty_directory_is_made_private(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    prepare_directory(str(tmp_path))
    assert mode_of(tmp_path) == 0o700


def test_a_directory_of_ours_that_was_opened_up_is_made_private_again(tmp_path: Path) -> None:
    path = prepare_directory(str(tmp_path / "database"))
    path.chmod(0o777)
    assert prepare_directory(str(path)) == path
    assert mode_of(path) == 0o700


def test_a_directory_with_other_things_in_it_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(EmbeddedDirectoryError, match="it holds other files"):
        prepare_directory(str(tmp_path))
    assert mode_of(tmp_path) == 0o755
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_relative_name_is_taken_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert prepare_directory("database") == tmp_path / "database"


def test_a_symbolic_link_to_a_directory_is_followed(tmp_path: Path) -> None:
    real = prepare_directory(str(tmp_path / "real"))
    (tmp_path / "link").symlink_to(real)
    assert prepare_directory(str(tmp_path / "link")).samefile(real)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "the name is empty"),
        ("a\0b", "not a path"),
        ("file", "it is a file"),
        ("file/below", "a part of its path is a file"),
        ("x" * 300, "its path is too long"),
        ("/".join(["x" * 200] * 30), "its path is too long"),
        ("circle", "circle"),
    ],
)
def test_names_that_cannot_be_a_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(EmbeddedDirectoryError, match=reason) as caught:
        prepare_directory(name)
    assert caught.value.directory == name
    assert caught.value.reason in str(caught.value)


def test_another_users_directory_is_refused(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        os.chown(tmp_path, 12345, -1)
        others = tmp_path
    else:
        others = Path("/")
    before = mode_of(others)
    with pytest.raises(EmbeddedDirectoryError, match="it belongs to user"):
        prepare_directory(str(others))
    assert mode_of(others) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_may_not_be_written_to(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(EmbeddedDirectoryError, match="permission denied"):
        prepare_directory(str(tmp_path))


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="needs a file system that nobody may write to")
def test_a_place_where_nothing_can_be_made() -> None:
    with pytest.raises(EmbeddedDirectoryError):
        prepare_directory("/sys/kernel/database")
