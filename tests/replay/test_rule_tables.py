"""The tables in ``docs/replay.md`` are those of the code: print what a test expected and put it in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import pytest

from convotree.replay import RenderPolicy, Severity
from convotree.replay.anthropic.rules import RULES as ANTHROPIC
from convotree.replay.gemini.rules import RULES as GEMINI
from convotree.replay.openai_chat.rules import RULES as CHAT
from convotree.replay.openai_responses.rules import RULES as RESPONSES
from convotree.replay.own_rules import OWN_RULES
from convotree.replay.rule import Examined, Rule

DOCUMENT = (Path(__file__).parents[2] / "docs" / "replay.md").read_text(encoding="utf-8")


def rule_table(rules: Mapping[str, Rule]) -> str:
    lines = ["| rule | severity | says | the provider's words | evidence |", "|---|---|---|---|---|"]
    for rule in rules.values():
        severity = "error" if rule.severity is Severity.ERROR else "warning"
        if rule.examined is Examined.NO:
            severity = "not examined"
        lines.append(f"| {rule.id} | {severity} | {rule.says} | {rule.wording} | {rule.evidence} |")
    return "\n".join(lines)


def own_table() -> str:
    return "\n".join(
        ["| rule | about |", "|---|---|", *(f"| {one} | {about} |" for one, about in OWN_RULES.items())]
    )


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("anthropic", rule_table(ANTHROPIC)),
        ("openai-chat", rule_table(CHAT)),
        ("openai-responses", rule_table(RESPONSES)),
        ("gemini", rule_table(GEMINI)),
        ("own", own_table()),
    ],
)
def test_a_table_is_that_of_the_code(name: str, table: str) -> None:
    found = re.search(rf"<!-- table: {name} -->\n(.*?)\n<!-- end -->", DOCUMENT, re.DOTALL)
    assert found is not None
    assert found[1] == table


@pytest.mark.parametrize("question", fields(RenderPolicy), ids=lambda field: field.name)
def test_every_policy_is_described_with_its_default_first(question: object) -> None:
    name, default = question.name, question.default  # type: ignore[attr-defined]  # a dataclass field
    (line,) = [line for line in DOCUMENT.splitlines() if line.startswith(f"| `{name}` |")]
    choices = re.findall(r"`([A-Z_]+)`", line)
    assert choices[0] == default.name
    assert set(choices) == {one.name for one in type(default)}
