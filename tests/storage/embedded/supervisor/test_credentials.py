"""The secret: new each time, private on disk, in no text that could be logged."""

from pathlib import Path

import pytest

from convotree.storage.embedded.supervisor.credentials import (
    CredentialsUnreadableError,
    new_credentials,
    read_credentials,
    write_credentials,
)
from convotree.storage.embedded.supervisor.layout import CREDENTIALS


def test_they_come_back_from_a_private_file(tmp_path: Path) -> None:
    written = new_credentials()

    write_credentials(tmp_path, written)

    assert read_credentials(tmp_path) == written
    assert (tmp_path / CREDENTIALS).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [CREDENTIALS]


def test_no_two_secrets_are_alike_and_none_is_shown() -> None:
    one, other = new_credentials(), new_credentials()

    assert one.secret != other.secret
    assert len(one.secret) == 64
    assert one.secret not in repr(one)


@pytest.mark.parametrize("content", [None, b"", b"{}", b"[]", b"\xff", b'{"user": "convotree"}'])
def test_a_file_that_is_damaged_says_what_to_do(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / CREDENTIALS).write_bytes(content)

    with pytest.raises(CredentialsUnreadableError) as caught:
        read_credentials(tmp_path)

    assert CREDENTIALS in str(caught.value)
    assert "copy of the directory" in str(caught.value)
