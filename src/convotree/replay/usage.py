"""What a model call used, in tokens, read from any provider's own record of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from convotree.domain.exact_json import ExactJson, parse_value

__all__ = ["Usage"]

_TOTAL: Final = ("total_tokens", "totalTokens", "totalTokenCount")
_INPUT: Final = ("input_tokens", "prompt_tokens", "inputTokens", "promptTokenCount", "input")
_OUTPUT: Final = ("output_tokens", "completion_tokens", "outputTokens", "candidatesTokenCount", "output")
_CACHE_READ: Final = ("cache_read_input_tokens", "cacheReadInputTokens", "cacheRead")
_CACHE_WRITE: Final = ("cache_creation_input_tokens", "cacheWriteInputTokens", "cacheWrite")
_TOOL_USE: Final = ("toolUseInputTokens", "toolUsePromptTokenCount")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call. ``input`` is without ``cache_read`` and ``cache_write`` where the provider counts those apart
    (Anthropic); with them where it does not (OpenAI and Gemini give ``total`` and no such counters of these names).
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    tool_use: int = 0
    total: int = 0

    @classmethod
    def of(cls, usage: ExactJson | Mapping[str, Any] | None) -> Usage:
        """What the members of the known names say; a counter that is no whole number above 0 is none."""
        if usage is None:
            return cls()
        found = parse_value(usage.text) if isinstance(usage, ExactJson) else usage
        if not isinstance(found, Mapping):
            return cls()

        def count(names: tuple[str, ...]) -> int:
            for name in names:
                value = found.get(name)
                if type(value) is int and value > 0:
                    return value
            return 0

        return cls(
            count(_INPUT),
            count(_OUTPUT),
            count(_CACHE_READ),
            count(_CACHE_WRITE),
            count(_TOOL_USE),
            count(_TOTAL),
        )

    @property
    def context(self) -> int:
        """Tokens of the conversation up to and with the answer; 0 if nothing is known."""
        return self.total or self.input + self.output + self.cache_read + self.cache_write + self.tool_use

    @property
    def prompt(self) -> int:
        """Tokens that were sent, those read from a cache included where they are counted apart."""
        return self.input + self.cache_read
