"""Anthropic's Messages API: rendering, ingest and rules."""

from convotree.replay.anthropic import provider as provider

__all__ = ["provider"]
