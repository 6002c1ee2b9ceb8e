"""Settings: what a deployment may choose. Limits that follow from the stored form are in ``domain``."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Settings"]


class Settings(BaseModel):
    """Choices of one deployment; immutable, shared by every store made from it.

    ``collection_prefix``: put before each collection's name, so that the library can share a database.
    ``operation_timeout_ms``: deadline of one driver call, in milliseconds; past it the call raises
    ``UnavailableError`` and may be repeated. ``start_timeout_ms``: how long the embedded engine may take to
    start.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    collection_prefix: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,40}$|^$")] = "convotree_"
    operation_timeout_ms: Annotated[int, Field(ge=50, le=3_600_000)] = 30_000
    start_timeout_ms: Annotated[int, Field(ge=1_000, le=600_000)] = 30_000
