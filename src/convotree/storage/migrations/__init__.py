"""Migrations: numbered, self-contained steps that bring an older database forward."""

from convotree.storage.migrations.step import MigrationStep
from convotree.storage.migrations.steps import MIGRATIONS

__all__ = ["MIGRATIONS", "MigrationStep"]
