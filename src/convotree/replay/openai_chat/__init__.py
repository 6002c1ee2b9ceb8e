"""OpenAI's Chat Completions API: rendering, ingest and rules."""

from convotree.replay.openai_chat.provider import OPENAI_CHAT

__all__ = ["OPENAI_CHAT"]
