"""Exports of other products, read into values for ``ConversationStore.import_``; the two reference request shapes."""

from convotree.interchange import or_llm, sigma
from convotree.interchange.loading import load, loads

__all__ = ["load", "loads", "or_llm", "sigma"]
