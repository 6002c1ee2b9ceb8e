"""Anthropic's Messages API: rendering, ingest and rules."""

from convotree.replay.anthropic.provider import ANTHROPIC

__all__ = ["ANTHROPIC"]
