"""The library's own rules are listed, and no id is used twice."""

from convotree.replay import own_rules, plain_body
from convotree.replay.anthropic.rules import RULES as ANTHROPIC
from convotree.replay.openai_chat.rules import RULES as CHAT


def test_every_constant_is_in_the_table() -> None:
    names = [name for name in own_rules.__all__ if name != "OWN_RULES"]
    used = {getattr(own_rules, name) for name in names} | {
        plain_body.INEXACT_NUMBER,
        plain_body.LONE_SURROGATE,
    }
    assert used == set(own_rules.OWN_RULES)


def test_no_id_is_that_of_a_provider() -> None:
    assert set(own_rules.OWN_RULES).isdisjoint(ANTHROPIC)
    assert set(own_rules.OWN_RULES).isdisjoint(CHAT)
