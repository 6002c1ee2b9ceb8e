"""Whether a call failed, or was cut, because the request is too long for the model's context window."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from convotree.domain.generation import GenerationRecord
from convotree.errors import InvalidArgumentError
from convotree.replay.usage import Usage

__all__ = ["is_context_overflow"]

_OVERFLOW: Final = re.compile(
    "|".join(
        (
            r"prompt is too long",
            r"request_too_large",
            r"input is too long for requested model",
            r"exceeds the context window",
            r"exceeds (?:the )?(?:model's )?maximum context length (?:of [\d,]+ tokens|\([\d,]+\))",
            r"input token count.{0,200}exceeds the maximum",
            r"maximum prompt length is [\d,]+",
            r"reduce the length of the messages",
            r"input \([\d,]+ tokens\) is longer than the model's context length \([\d,]+ tokens\)",
            r"exceeds the limit of [\d,]+",
            r"exceeds the available context size",
            r"greater than the context length",
            r"context window exceeds limit",
            r"exceeded model token limit",
            r"too large for model with [\d,]+ maximum context length",
            r"model_context_window_exceeded",
            r"prompt too long",
            r"exceeded (?:max )?context length",
            r"context[_ ]length[_ ]exceeded",
            r"too many tokens",
            r"token limit exceeded",
            r"\A(?:400|413) \(?status code\)? \(no body\)",
            r"\A(?:400|413) \(no body\)",
        )
    ),
    re.IGNORECASE | re.DOTALL,
)
_OTHER_LIMITS: Final = re.compile(
    r"\A(?:throttling error:|service unavailable:)|rate limit|too many requests", re.IGNORECASE
)
_ENDED: Final = frozenset({"end_turn", "stop", "STOP", "completed", "end-turn", "stop_sequence"})
_CUT: Final = frozenset(
    {"max_tokens", "length", "MAX_TOKENS", "max-tokens", "incomplete", "max_output_tokens"}
)
_LONGEST: Final = 20_000
"""Characters of an error that are looked at."""


def is_context_overflow(
    answer: str | bytes | Mapping[str, Any] | BaseException | GenerationRecord, window: int = 0
) -> bool:
    """Whether ``answer`` says that the request did not fit.

    An error (its text, its JSON, or the SDK's exception) is recognised by what the providers write; limits of rate are
    none of the context. A ``GenerationRecord`` by its stop reason, and, given the model's ``window`` in tokens, by its
    usage: more was sent than fits, or nothing could be answered because the window was all but full. Never raises for
    an error it does not know: that gives False.

    Raises:
        InvalidArgumentError: if ``answer`` is none of these, or ``window`` is no whole number of 0 or more.
    """
    if type(window) is not int or window < 0:
        raise InvalidArgumentError(argument="window", reason="a whole number of tokens was expected")
    if isinstance(answer, GenerationRecord):
        return _is_full(answer, window)
    if isinstance(answer, (bytes, bytearray)):
        answer = bytes(answer).decode("utf-8", "replace")
    if isinstance(answer, BaseException):
        answer = str(answer)
    if isinstance(answer, Mapping):
        answer = "\n".join(_strings(answer))
    if not isinstance(answer, str):
        raise InvalidArgumentError(
            argument="answer",
            reason=f"an error or a GenerationRecord was expected, not {type(answer).__name__}",
        )
    text = answer[:_LONGEST].strip()
    return _OVERFLOW.search(text) is not None and _OTHER_LIMITS.search(text) is None


def _is_full(record: GenerationRecord, window: int) -> bool:
    if record.stop_reason == "model_context_window_exceeded":
        return True
    usage = Usage.of(record.usage)
    if window == 0:
        return False
    if record.stop_reason in _ENDED:
        return usage.prompt > window
    return record.stop_reason in _CUT and usage.output == 0 and usage.prompt * 100 >= window * 99


def _strings(value: Any) -> Iterator[str]:
    """All strings in JSON values, in order, without recursion."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting.extend(reversed(list(one.values())))
        elif isinstance(one, (list, tuple)):
            waiting.extend(reversed(one))
