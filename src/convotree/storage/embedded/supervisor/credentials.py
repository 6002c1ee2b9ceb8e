"""The engine's one user and its generated secret, in a file that only the owner of the directory can read."""

import json
import os
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from .files import write_new_file
from .layout import CREDENTIALS

USER: Final = "convotree"


class CredentialsUnreadableError(Exception):
    """The file is missing or is not what was written."""


@dataclass(frozen=True, slots=True)
class Credentials:
    user: str
    secret: str = field(repr=False)


def new_credentials() -> Credentials:
    return Credentials(user=USER, secret=secrets.token_hex(32))


def write_credentials(directory: Path, credentials: Credentials) -> None:
    new = directory / f"{CREDENTIALS}.new"
    os.close(write_new_file(new, json.dumps(asdict(credentials)).encode()))
    new.rename(directory / CREDENTIALS)


def read_credentials(directory: Path) -> Credentials:
    path = directory / CREDENTIALS
    try:
        fields = json.loads(path.read_bytes())
        return Credentials(user=str(fields["user"]), secret=str(fields["secret"]))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise CredentialsUnreadableError(
            f"{path} cannot be read ({error!r}); put it back from a copy of the directory, or run secantusd-py "
            f"without --auth on its folder data to get at what it holds"
        ) from error
