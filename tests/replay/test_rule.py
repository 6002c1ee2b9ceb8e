"""Findings take their severity from the rule and come in the order of the messages."""

from convotree.replay import Finding, Severity
from convotree.replay.notebook import TOOLS, Notebook
from convotree.replay.rule import Findings, Rule, rule_table

RULES = rule_table((Rule("Z1", Severity.ERROR, "s", "w", "E"), Rule("Z2", Severity.WARNING, "s", "w", "E")))


def test_findings() -> None:
    findings = Findings(RULES, Notebook("anthropic", ("r0", "r1")))
    findings.add("Z1", (1, 0), "one", inside=".x")
    findings.add("Z2", (0, 0), "two")
    findings.add("Z1", (TOOLS, 0), "three", severity=Severity.WARNING)
    assert findings.in_order() == (
        Finding(Severity.WARNING, "tools[0]", "Z1", "three"),
        Finding(Severity.WARNING, "messages[0].parts[0]", "Z2", "two", "r0"),
        Finding(Severity.ERROR, "messages[1].parts[0].x", "Z1", "one", "r1"),
    )
