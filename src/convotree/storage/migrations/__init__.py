"""Migrations: numbered, self-contained steps that bring an older database forward."""

from convotree.storage.migrations import m0001_first_schema
from convotree.storage.migrations.step import MigrationStep

__all__ = ["MIGRATIONS"]

MIGRATIONS: tuple[MigrationStep, ...] = (
    MigrationStep(m0001_first_schema.NUMBER, m0001_first_schema.PURPOSE, m0001_first_schema.apply),
)
