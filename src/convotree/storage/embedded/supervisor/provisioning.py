"""The first start: a database with one user, whose secret only the owner of the directory can read.

The engine makes users only while it lets everybody in, so the database is made aside, gets its user, and is
put in its place when it is complete. Interrupted anywhere, the next start begins again.
"""

import shutil
from pathlib import Path
from typing import Final

from .credentials import (
    Credentials,
    CredentialsUnreadableError,
    new_credentials,
    read_credentials,
    write_credentials,
)
from .engine_process import Access, EngineProcess
from .files import sync_directory
from .layout import DATA, UNFINISHED_DATA
from .starter import Starter, StartFailedError
from .wire import WireError

_DATABASES_OF_A_NEW_ENGINE: Final = frozenset({"admin", "config", "local"})


def ensure_provisioned(directory: Path, starter: Starter) -> None:
    data = directory / DATA
    if data.exists():
        try:
            read_credentials(directory)
        except CredentialsUnreadableError as error:
            raise StartFailedError(str(error)) from error
        return
    unfinished = directory / UNFINISHED_DATA
    shutil.rmtree(unfinished, ignore_errors=True)
    credentials = new_credentials()
    engine = starter.start(unfinished, Access.OPEN)
    try:
        _make_user(engine, credentials)
    except (OSError, WireError) as error:
        raise StartFailedError(f"its user could not be made: {error}") from error
    finally:
        # Not asked to end: all is on disk, and every moment it lives on is one in which anybody may come in.
        engine.kill()
    write_credentials(directory, credentials)
    unfinished.rename(data)
    sync_directory(directory)


def _make_user(engine: EngineProcess, credentials: Credentials) -> None:
    engine.call(
        {
            "createUser": credentials.user,
            "pwd": credentials.secret,
            "roles": [{"role": "root", "db": "admin"}],
            "mechanisms": ["SCRAM-SHA-256"],
        }
    )
    engine.call({"fsync": 1})
    # For a moment everybody on this machine could connect: whoever did must not have left a way back in.
    cursor = engine.call({"find": "system.users", "projection": {"_id": 1}}).get("cursor")
    users = cursor.get("firstBatch") if isinstance(cursor, dict) else None
    databases = engine.call({"listDatabases": 1, "nameOnly": True}).get("databases")
    if not isinstance(users, list) or len(users) != 1:
        raise WireError("somebody else made a user at the same time")
    if (
        not isinstance(databases, list)
        or not {one["name"] for one in databases} <= _DATABASES_OF_A_NEW_ENGINE
    ):
        raise WireError("somebody else wrote to the new database")
