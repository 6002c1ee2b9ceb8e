"""Exports of other products, read into values for ``ConversationStore.import_``."""

from convotree.interchange.loading import load, loads

__all__ = ["load", "loads"]
