"""Settings: what a deployment may choose. Limits that follow from the stored form are in ``domain``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from convotree.errors import InvalidArgumentError

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

    # Hidden from type checkers, which see pydantic's signature with every field by name and type.
    if not TYPE_CHECKING:

        def __init__(self, **values: Any) -> None:
            """Settings from keywords.

            Raises:
                InvalidArgumentError: for an unknown name, a wrong type or a value outside its range.
            """
            try:
                super().__init__(**values)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                name = ".".join(str(step) for step in first["loc"])
                raise InvalidArgumentError(argument=f"settings.{name}", reason=first["msg"]) from error
