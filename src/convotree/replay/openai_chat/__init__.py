"""OpenAI's Chat Completions API: rendering, ingest and rules."""

from convotree.replay.openai_chat import provider as provider

__all__ = ["provider"]
