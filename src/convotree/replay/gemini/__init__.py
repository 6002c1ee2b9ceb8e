"""Google's Gemini API (``generateContent``): rendering, ingest and rules."""

from convotree.replay.gemini import provider as provider

__all__ = ["provider"]
