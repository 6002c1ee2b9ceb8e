"""Model families, dated, aliased, and as platforms name them."""

import pytest

from convotree.replay.anthropic.models import ModelFacts, facts_of, same_model


@pytest.mark.parametrize(
    ("model", "prefill", "manual", "binds", "system", "media"),
    [
        ("claude-3-7-sonnet-latest", True, True, False, False, 100),
        ("claude-2.1", True, True, False, False, 100),
        ("claude-sonnet-4-0", True, True, False, False, 100),
        ("claude-sonnet-4-20250514", True, True, False, False, 100),
        ("claude-opus-4-1-20250805", True, True, False, False, 100),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", True, True, False, False, 100),
        ("claude-haiku-4-5@20251001", True, True, False, False, 100),
        ("claude-opus-4-6", False, True, False, False, 600),
        ("claude-sonnet-4-6", False, True, False, False, 600),
        ("anthropic/claude-opus-4-7", False, False, False, False, 600),
        ("claude-opus-4-8-20260101", False, False, False, True, 600),
        ("claude-sonnet-5", False, False, False, True, 600),
        ("claude-fable-5", False, False, False, True, 600),
        ("claude-fable-5-1", False, False, True, True, 600),
        ("claude-opus-5-5-20260901", False, False, True, True, 600),
        ("claude-sonnet-5-5", False, False, True, True, 600),
        ("claude-haiku-5-5", False, False, True, True, None),
        ("claude-opus-6-20270101", False, False, True, True, None),
        ("claude-novel-1", False, None, False, None, None),
    ],
)
def test_facts(
    model: str, prefill: bool, manual: bool | None, binds: bool, system: bool | None, media: int | None
) -> None:
    assert facts_of(model) == ModelFacts(
        prefill=prefill,
        manual_thinking=manual,
        binds_prefix=binds,
        system_messages=system,
        most_media=media,
    )


@pytest.mark.parametrize("model", ["gpt-5", "", "my-claude-3", "x\n"])
def test_of_other_names_nothing_is_known(model: str) -> None:
    assert facts_of(model) == ModelFacts()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("claude-sonnet-4-0", "claude-sonnet-4-20250514", True),
        ("claude-3-7-sonnet-latest", "claude-3-7-sonnet-20250219", True),
        ("claude-opus-4-1", "claude-opus-4-1-20250805", True),
        ("claude-sonnet-4-5", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", True),
        ("claude-3-5-sonnet-20240620", "claude-3-5-sonnet-20241022", False),
        ("claude-opus-4-1", "claude-opus-4-5", False),
        ("claude-sonnet-4-0", "claude-opus-4-0", False),
    ],
)
def test_same_model(one: str, other: str, same: bool) -> None:
    assert same_model(one, other) is same
    assert same_model(other, one) is same
