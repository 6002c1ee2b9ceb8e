"""All migrations, in order."""

from __future__ import annotations

from convotree.storage.migrations import m0001_first_schema
from convotree.storage.migrations.step import MigrationStep

__all__ = ["MIGRATIONS"]

MIGRATIONS: tuple[MigrationStep, ...] = (
    MigrationStep(m0001_first_schema.NUMBER, m0001_first_schema.PURPOSE, m0001_first_schema.apply),
)
