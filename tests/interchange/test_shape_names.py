"""What the shapes call APIs and stop reasons."""

import pytest

from convotree.domain.outcome import Outcome
from convotree.interchange.shape_names import (
    api_name,
    or_llm_stop_reason,
    outcome_of,
    sigma_stop_reason,
    stop_reason_for,
)
from convotree.replay.anthropic.target import TARGET as ANTHROPIC
from convotree.replay.gemini.target import TARGET as GEMINI
from convotree.replay.openai_chat.target import TARGET as OPENAI_CHAT
from convotree.replay.openai_responses.target import TARGET as OPENAI_RESPONSES
from convotree.replay.target import Target


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (ANTHROPIC, "anthropic-messages"),
        (OPENAI_CHAT, "openai-completions"),
        (OPENAI_RESPONSES, "openai-responses"),
        (GEMINI, "google-generative-ai"),
    ],
)
def test_the_library_s_own_names_of_apis_are_translated(target: Target, name: str) -> None:
    assert api_name(target.provider, target.api) == name


def test_other_names_of_apis_stay() -> None:
    assert api_name("anthropic", "anthropic-messages") == "anthropic-messages"
    assert api_name("openai", "messages") == "messages"
    assert api_name("anthropic", None) == api_name(None, None) == ""


@pytest.mark.parametrize(
    ("spelled", "of_sigma", "of_or_llm"),
    [
        ("end_turn", "end-turn", "stop"),
        ("stop", "end-turn", "stop"),
        ("length", "max-tokens", "length"),
        ("toolUse", "tool-calls", "toolUse"),
        ("stop-sequence", "stop-sequence", None),
        ("refusal", "content-filter", None),
        ("aborted", "aborted", "aborted"),
        ("made up", None, None),
    ],
)
def test_stop_reasons_of_all_origins(spelled: str, of_sigma: str | None, of_or_llm: str | None) -> None:
    assert sigma_stop_reason(spelled) == of_sigma
    assert or_llm_stop_reason(spelled) == of_or_llm


@pytest.mark.parametrize("outcome", list(Outcome))
def test_an_outcome_is_a_stop_reason_and_back(outcome: Outcome) -> None:
    assert outcome_of(stop_reason_for(outcome)) is outcome
