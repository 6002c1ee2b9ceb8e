"""Whether a history of the selected leaf could have come from one place at a time: linearizability, by its versions.

Every move of the pointer gives the header a new version, and every operation says which version it saw or made. So a
history is linearizable exactly if each version stands for one leaf, no two moves made the same version, and no
operation saw an older version than one that had ended before it began.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Seen", "contradictions"]


@dataclass(frozen=True, slots=True)
class Seen:
    """One operation: when it began and ended, on one clock for all, and the version and leaf that it saw or made."""

    began: float
    ended: float
    version: int
    leaf: str | None
    moved: bool = False


def contradictions(history: Iterable[Seen]) -> list[str]:
    """What no order of the operations explains; empty for a linearizable history."""
    operations = sorted(history, key=lambda one: one.began)
    found: list[str] = []
    leaves: dict[int, str | None] = {}
    made: set[int] = set()
    for one in operations:
        if leaves.setdefault(one.version, one.leaf) != one.leaf:
            found.append(f"version {one.version} is {leaves[one.version]!r} and {one.leaf!r}")
        if one.moved:
            if one.version in made:
                found.append(f"version {one.version} was made twice")
            made.add(one.version)
    by_end = sorted(operations, key=lambda one: one.ended)
    newest, at = 0, 0
    for one in operations:
        while at < len(by_end) and by_end[at].ended < one.began:
            newest = max(newest, by_end[at].version)
            at += 1
        if one.version < newest or (one.moved and one.version <= newest):
            found.append(f"version {one.version} after version {newest} had been seen")
    return found
