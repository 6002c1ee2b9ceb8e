"""OpenAI's Responses API: rendering, ingest and rules."""

from convotree.replay.openai_responses import provider as provider

__all__ = ["provider"]
