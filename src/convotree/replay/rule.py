"""A provider's rule, as data: what it says, how sure its rejection is, and what the provider answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from convotree.replay.finding import Finding, Severity
from convotree.replay.notebook import Notebook, Place, place_text

__all__ = ["Examined", "Findings", "Rule", "rule_table"]


class Examined(Enum):
    """Whether ``check`` can tell."""

    YES = "yes"
    NO = "no"
    """It needs what a request does not hold: the provider's keys, the size of a picture, the account."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. ``wording``: the provider's own error, shortened. ``evidence``: S SDK source, D documentation, R
    recorded traffic, E error text in public reports, L read from a library.
    """

    id: str
    severity: Severity
    says: str
    wording: str
    evidence: str
    examined: Examined = Examined.YES


def rule_table(rules: Iterable[Rule]) -> Mapping[str, Rule]:
    """The rules by id, in order."""
    return MappingProxyType({rule.id: rule for rule in rules})


class Findings:
    """Collects what one examination finds; ``rules`` gives each finding its severity."""

    def __init__(self, rules: Mapping[str, Rule], notebook: Notebook) -> None:
        self._rules = rules
        self._notebook = notebook
        self._found: list[tuple[Place, Finding]] = []

    def add(
        self, rule: str, place: Place, message: str, *, inside: str = "", severity: Severity | None = None
    ) -> None:
        """Record a finding; ``inside`` is the way from ``place``. ``severity``: where it is not the rule's own."""
        finding = Finding(
            self._rules[rule].severity if severity is None else severity,
            place_text(place, inside),
            rule,
            message,
            self._notebook.revision_at(place),
        )
        self._found.append((place, finding))

    def in_order(self) -> tuple[Finding, ...]:
        """Those of the system prompt, of the tools, then in the order of the messages and their parts."""
        return tuple(finding for _, finding in sorted(self._found, key=lambda entry: entry[0]))
