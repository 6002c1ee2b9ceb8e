"""The records of a LibreChat export, flat or nested in each other's ``children``, as one list with links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from convotree.interchange.file_ids import FileIds, derived_id
from convotree.interchange.json_span import JsonSpan, string_in
from convotree.interchange.links import LinkedRecord
from convotree.interchange.problems import Problems

__all__ = ["NO_PARENT", "Junk", "Record", "linked", "read_records"]

NO_PARENT: Final = "00000000-0000-0000-0000-000000000000"
"""What LibreChat writes as the parent of a first message."""

_ROOT_PARENTS: Final = frozenset({NO_PARENT, ""})


@dataclass(frozen=True, slots=True)
class Record:
    """One message. ``id``: what it is called from here on; ``inside``: the id of the record it was nested in."""

    id: str
    place: str
    members: Mapping[str, JsonSpan]
    inside: str | None


@dataclass(frozen=True, slots=True)
class Junk:
    """Something among the messages that is none."""

    place: str
    span: JsonSpan


def read_records(
    messages: JsonSpan, *, place: str, ids: FileIds, problems: Problems
) -> tuple[list[Record], list[Junk]]:
    """The records in the order of the file, a nested one after the one it is in; and what is no record."""
    records: list[Record] = []
    junk: list[Junk] = []
    written: dict[str, set[str]] = {}
    waiting = _nested(messages, place, None)
    while waiting:
        where, span, inside = waiting.pop()
        if not span.is_object:
            problems.report(where, f"no message but {span.kind}: it is kept in the metadata")
            junk.append(Junk(where, span))
            continue
        members = problems.members(span, where)
        given = string_in(members, "messageId")
        children = members.get("children")
        # A nested record is compared without what is nested in it: the text of a whole chain would grow at each level.
        text = span.raw if children is None else "".join(m.raw for k, m in members.items() if k != "children")
        if not given:
            given = derived_id("message", inside or "", str(len(records)), text)
            problems.report(where, f"the message has no id: {given!r} was derived from what it holds")
        again = written.setdefault(given, set())
        if text in again:
            problems.report(where, "this message occurs twice, word for word: it is read once")
            record_id = ids.find(given) or given
        else:
            again.add(text)
            record_id = ids.claim(given, where)
            records.append(Record(record_id, where, members, inside))
        if children is None:
            continue
        if not children.is_array:
            problems.report(where, f"its children are no array but {children.kind}")
        # A place that spelled out the nesting would be as long as the conversation is deep.
        waiting.extend(_nested(children, f"message {record_id[:80]!r}: children", record_id))
    return records, junk


def linked(record: Record, ids: FileIds, problems: Problems) -> LinkedRecord:
    """The record's link; ask for it when all records are read. A nested record without a parent is nested in it."""
    parent = record.members.get("parentMessageId")
    given = None if parent is None else parent.string
    if parent is not None and given is None and not parent.is_null:
        problems.report(record.place, f"its parent is no id but {parent.kind}")
    if given is None or given in _ROOT_PARENTS:
        if record.inside is not None and given is not None:
            problems.report(
                record.place, f"it says it is a root, and is nested in {record.inside!r}: kept there"
            )
        return LinkedRecord(record.id, record.inside, record.place)
    above = ids.find(given)
    if record.inside is not None and above != record.inside:
        said = "not in the file" if above is None else "another message"
        keeps = record.inside if above is None else above
        problems.report(
            record.place,
            f"nested in {record.inside!r}, but its parent {given!r} is {said}: it is kept below {keeps!r}",
        )
        return LinkedRecord(record.id, keeps, record.place)
    return LinkedRecord(record.id, above or given, record.place)


def _nested(array: JsonSpan, place: str, inside: str | None) -> list[tuple[str, JsonSpan, str | None]]:
    """The elements of an array, the first one last, so that a stack gives them in order."""
    return [(f"{place}[{number}]", span, inside) for number, span in enumerate(array.elements())][::-1]
