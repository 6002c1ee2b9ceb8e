"""From the links of a file to a tree: who is whose parent, siblings in order, parents before children.

Links decide, times never do, and neither do ids or the order of records in the file where links say more.
The rules for links that do not fit, each use of one reported:

* a record's own parent link is the truth; a list of children only orders the siblings;
* a record without a parent, or with one that is not in the file, hangs under the record that lists it as a child;
  if none does, it is a root;
* children that no list names follow those it names, in the order of the file;
* a cycle is cut: its first record in the file becomes a root. If no record is a root without such a cut, the file
  says nothing of where the conversation begins, and it is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from convotree.interchange.problems import Problems

__all__ = ["Forest", "LinkedRecord", "arrange"]

_NAMED_AT_MOST = 50


@dataclass(frozen=True, slots=True)
class LinkedRecord:
    """One record and its links. ``children``: in order, or None where the format has no such list."""

    id: str
    parent_id: str | None
    place: str
    children: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Forest:
    """A tree in order. ``order``: every id, parents before children, a sibling with its subtree before the next."""

    order: tuple[str, ...]
    parents: dict[str, str | None]
    children: dict[str, list[str]]
    roots: tuple[str, ...]

    def last_leaf_below(self, record_id: str) -> str:
        """The leaf reached from ``record_id`` by the last child at each fork."""
        while self.children[record_id]:
            record_id = self.children[record_id][-1]
        return record_id

    def path_to(self, record_id: str) -> list[str]:
        """The ids from a root to ``record_id``."""
        path: list[str] = []
        step: str | None = record_id
        while step is not None:
            path.append(step)
            step = self.parents[step]
        return path[::-1]

    def without(self, left_out: Collection[str]) -> Forest:
        """The tree of the others: what hung below one left out stands in its place, in the same order."""
        above: dict[str, str | None] = {}
        children: dict[str, list[str]] = {}
        roots: list[str] = []
        for one in self.order:
            parent = self.parents[one]
            above[one] = parent if parent is None or parent in children else above[parent]
            if one in left_out:
                continue
            children[one] = []
            nearest = above[one]
            (roots if nearest is None else children[nearest]).append(one)
        return Forest(tuple(children), {one: above[one] for one in children}, children, tuple(roots))


def arrange(records: Sequence[LinkedRecord], problems: Problems, *, place: str) -> Forest:
    """Put records, whose ids are unique, in order; linear in their number, without recursion.

    Raises:
        InvalidFileError: if there are records and each is in a cycle or below one; ``place`` is the conversation's.
    """
    by_id = {record.id: record for record in records}
    parents = _parents(records, by_id, problems)
    _cut_cycles(records, parents, problems, place)
    children = _children(records, by_id, parents, problems)
    roots = tuple(record.id for record in records if parents[record.id] is None)
    return Forest(tuple(_preorder(roots, children)), parents, children, roots)


def _parents(
    records: Iterable[LinkedRecord], by_id: dict[str, LinkedRecord], problems: Problems
) -> dict[str, str | None]:
    listed_by: dict[str, str] = {}
    for record in records:
        for child in record.children or ():
            listed_by.setdefault(child, record.id)
    parents: dict[str, str | None] = {}
    for record in records:
        parent = record.parent_id
        if parent is None or parent not in by_id:
            lister = listed_by.get(record.id)
            if parent is not None:
                repair = (
                    "it is kept as a root"
                    if lister is None
                    else f"it is kept below {lister!r}, which lists it"
                )
                problems.report(record.place, f"its parent {parent!r} is not in the file: {repair}")
            elif lister is not None:
                problems.report(
                    record.place, f"it names no parent: it is kept below {lister!r}, which lists it"
                )
            parent = lister
        parents[record.id] = parent
    return parents


def _cut_cycles(
    records: Sequence[LinkedRecord], parents: dict[str, str | None], problems: Problems, place: str
) -> None:
    """Cut each cycle at its first record in the file."""
    position = {record.id: number for number, record in enumerate(records)}
    begins = any(parent is None for parent in parents.values())
    sound: set[str] = set()
    for record in records:
        walk: dict[str, None] = {}
        step: str | None = record.id
        while step is not None and step not in sound and step not in walk:
            walk[step] = None
            step = parents[step]
        if step is not None and step in walk:
            steps = list(walk)
            first = min(steps[steps.index(step) :], key=position.__getitem__)
            named = _named(first, parents)
            if not begins:
                raise problems.refusal(place, f"no message is a root: the parents of {named} form a cycle")
            problems.report(
                records[position[first]].place,
                f"the parents of {named} form a cycle: {first!r} is kept as a root",
            )
            parents[first] = None
        sound.update(walk)


def _named(first: str, parents: dict[str, str | None]) -> str:
    """The ids of a cycle, each before its parent; of a long one the first fifty, so that a report stays readable."""
    names = [repr(first)]
    step = parents[first]
    while step is not None and step != first:
        names.append(repr(step))
        step = parents[step]
    more = f" and {len(names) - _NAMED_AT_MOST} more" if len(names) > _NAMED_AT_MOST else ""
    return ", ".join(names[:_NAMED_AT_MOST]) + more


def _children(
    records: Iterable[LinkedRecord],
    by_id: dict[str, LinkedRecord],
    parents: dict[str, str | None],
    problems: Problems,
) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {}
    named: set[str] = set()
    for record in records:
        mine = children[record.id] = []
        seen: set[str] = set()
        for child in record.children or ():
            if child in seen:
                problems.report(record.place, f"it lists the child {child!r} twice")
            elif child not in by_id:
                problems.report(record.place, f"it lists the child {child!r}, which is not in the file")
            elif parents[child] != record.id:
                problems.report(
                    record.place,
                    f"it lists the child {child!r}, whose parent is {parents[child]!r}: the parent counts",
                )
            else:
                mine.append(child)
                named.add(child)
            seen.add(child)
    for record in records:
        parent = parents[record.id]
        if parent is None or record.id in named:
            continue
        children[parent].append(record.id)
        if by_id[parent].children is not None:
            problems.report(
                record.place, f"its parent {parent!r} does not list it: it follows the children listed"
            )
    return children


def _preorder(roots: Sequence[str], children: dict[str, list[str]]) -> Iterable[str]:
    waiting = list(reversed(roots))
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(children[one]))
