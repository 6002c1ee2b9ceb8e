"""Names that the two reference shapes and the providers have for the same thing: APIs, and why an answer ended."""

from __future__ import annotations

from typing import Final

from convotree.domain.outcome import Outcome

__all__ = ["api_name", "or_llm_stop_reason", "outcome_of", "sigma_stop_reason", "stop_reason_for"]

_APIS: Final = {
    ("anthropic", "messages"): "anthropic-messages",
    ("openai", "chat"): "openai-completions",
    ("openai", "responses"): "openai-responses",
    ("google", "generate-content"): "google-generative-ai",
}
"""By the provider's name and the library's own name of its API."""

_SIGMA: Final = {
    "end-turn": ("end-turn", "end_turn", "stop", "STOP", "completed"),
    "max-tokens": (
        "max-tokens",
        "max_tokens",
        "length",
        "MAX_TOKENS",
        "max_output_tokens",
        "model_context_window_exceeded",
    ),
    "stop-sequence": ("stop-sequence", "stop_sequence"),
    "tool-calls": ("tool-calls", "tool_use", "tool_calls", "toolUse", "function_call"),
    "content-filter": ("content-filter", "content_filter", "refusal", "SAFETY", "PROHIBITED_CONTENT"),
    "error": ("error", "failed"),
    "aborted": ("aborted", "cancelled"),
    "unknown": ("unknown",),
}
_TO_SIGMA: Final = {spelled: reason for reason, all_of_it in _SIGMA.items() for spelled in all_of_it}

_TO_OR_LLM: Final = {
    "end-turn": "stop",
    "max-tokens": "length",
    "tool-calls": "toolUse",
    "error": "error",
    "aborted": "aborted",
}

_OUTCOMES: Final = {"error": Outcome.FAILED, "aborted": Outcome.ABORTED}


def api_name(provider: str | None, api: str | None) -> str:
    """What both shapes call a provider's API; a name that is none of the library's own stays as it is."""
    return _APIS.get((provider or "", api or ""), api or "")


def outcome_of(stop_reason: str) -> Outcome:
    """How an answer ended; both shapes spell the two reasons that matter alike."""
    return _OUTCOMES.get(stop_reason, Outcome.COMPLETE)


def stop_reason_for(outcome: Outcome) -> str:
    """The stop reason that says ``outcome``; none for an answer that came to its end."""
    return next((reason for reason, ended in _OUTCOMES.items() if ended is outcome), "")


def sigma_stop_reason(spelled: str) -> str | None:
    """sigma's name for any provider's stop reason; None if it has none."""
    return _TO_SIGMA.get(spelled)


def or_llm_stop_reason(spelled: str) -> str | None:
    """or/llm's name for any provider's stop reason, or sigma's; None if it has none."""
    return _TO_OR_LLM.get(_TO_SIGMA.get(spelled, ""))
