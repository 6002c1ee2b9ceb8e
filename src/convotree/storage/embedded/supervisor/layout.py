"""What lies in the directory of an embedded engine."""

from typing import Final

MARKER: Final = "CONVOTREE-EMBEDDED.txt"
"""Says that the directory is ours. A directory that holds other things and no marker is left alone."""

USERS_LOCK: Final = "users.lock"
"""Each user holds a shared lock; the supervisor finds out that nobody does by getting an exclusive one."""

SUPERVISOR_LOCK: Final = "supervisor.lock"
"""Held exclusively by the one supervisor, from the moment a user decides to start it."""

ENGINE_LOCK: Final = "engine.lock"
"""Held by supervisor and engine alike, so it shows an engine that outlived its supervisor. Holds its pid."""

STATE: Final = "state.json"
"""Where the engine listens. Believed only while its writer holds a lock on that very file."""

CREDENTIALS: Final = "credentials.json"
"""User and secret of the engine; made before the data, so that data without credentials cannot come about."""

CONFIG: Final = "engine.toml"
"""An empty configuration; without one the engine would read a file that it finds in the current folder."""

LOG: Final = "engine.log"
OLD_LOG: Final = "engine.log.old"

DATA: Final = "data"

UNFINISHED_DATA: Final = "data.unfinished"
"""A new database before its user exists. Found at a start, it is what an interrupted first start left."""
