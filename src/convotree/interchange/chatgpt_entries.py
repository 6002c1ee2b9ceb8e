"""The entries of a ChatGPT conversation's ``mapping``: their ids, their links, and which of them are messages.

No revision becomes of an entry without a message (such as the root), of one that says nothing and is the system's
or hidden, and of the user's custom instructions, which are no turn of the conversation. They are left out, and what
hangs below them is linked to what is above them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from convotree.interchange.chatgpt_content import ChatGptContent, read_content
from convotree.interchange.file_ids import FileIds
from convotree.interchange.json_span import JsonSpan, string_in
from convotree.interchange.links import LinkedRecord
from convotree.interchange.problems import Problems

__all__ = ["Entry", "Standing", "linked", "read_entries"]

_CUSTOM_INSTRUCTIONS = "user_editable_context"


class Standing(Enum):
    """What an entry is in its conversation."""

    REVISION = "revision"
    NO_MESSAGE = "no message"
    NO_CONTENT = "no content"
    CUSTOM_INSTRUCTIONS = "custom instructions"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. ``id``: what it is called from here on; ``given_id``: its key in ``mapping``.

    ``role``: the author's, None if the file has none. ``recipient``: ``all``, or the name of a tool. ``metadata``:
    the message's own. ``is_hidden``: the application does not show the message.
    """

    id: str
    given_id: str
    place: str
    span: JsonSpan
    members: Mapping[str, JsonSpan]
    message: JsonSpan | None
    message_members: Mapping[str, JsonSpan]
    metadata: Mapping[str, JsonSpan]
    role: str | None
    recipient: str
    content: ChatGptContent

    @property
    def is_hidden(self) -> bool:
        hidden = self.metadata.get("is_visually_hidden_from_conversation")
        return hidden is not None and hidden.kind == "true"

    @property
    def standing(self) -> Standing:
        if self.message is None:
            return Standing.NO_MESSAGE
        if self.content.kind == _CUSTOM_INSTRUCTIONS:
            return Standing.CUSTOM_INSTRUCTIONS
        silent = self.content.is_empty and self.recipient == "all"
        if silent and (self.role == "system" or (self.is_hidden and self.role in {"user", "assistant"})):
            return Standing.NO_CONTENT
        return Standing.REVISION


def read_entries(mapping: JsonSpan, *, place: str, ids: FileIds, problems: Problems) -> list[Entry]:
    """The entries in the order of the file, with ids that are unique."""
    entries: list[Entry] = []
    written: dict[str, set[str]] = {}
    for key, span in mapping.pairs():
        where = f"{place}[{key[:80]!r}]"
        again = written.setdefault(key, set())
        if again and span.raw in again:
            problems.report(where, "this entry occurs twice, word for word: it is read once")
            continue
        again.add(span.raw)
        entries.append(_entry(key, span, where, ids, problems))
    return entries


def linked(entry: Entry, ids: FileIds, problems: Problems) -> LinkedRecord:
    """The entry's links, in the ids used from here on; ask for it when all entries are read."""
    parent = entry.members.get("parent")
    above: str | None = None
    if parent is not None and not parent.is_null:
        if parent.string is None:
            problems.report(entry.place, f"its parent is no id but {parent.kind}")
        else:
            above = ids.find(parent.string) or parent.string
    listed: list[str] = []
    children = entry.members.get("children")
    if children is not None and not children.is_array:
        problems.report(entry.place, f"its children are no array but {children.kind}")
        children = None
    for number, child in enumerate(() if children is None else children.elements()):
        if child.string is None:
            problems.report(entry.place, f"children[{number}] is no id but {child.kind}")
        else:
            listed.append(ids.find(child.string) or child.string)
    return LinkedRecord(entry.id, above, entry.place, None if children is None else tuple(listed))


def _entry(key: str, span: JsonSpan, place: str, ids: FileIds, problems: Problems) -> Entry:
    if not span.is_object:
        problems.report(place, f"this entry is no object but {span.kind}: it is kept in the metadata")
    members = problems.members(span, place)
    own_id = string_in(members, "id")
    if own_id is not None and own_id != key:
        problems.report(place, f"its own id is {own_id[:80]!r}: the key of the mapping counts")
    message = members.get("message")
    if message is not None and message.is_null:
        message = None
    inside = {} if message is None else problems.members(message, f"{place}.message")
    content = read_content(inside.get("content"), place=f"{place}.message.content", problems=problems)
    author = _members_of(inside.get("author"))
    return Entry(
        ids.claim(key, place),
        key,
        place,
        span,
        members,
        message,
        inside,
        metadata=_members_of(inside.get("metadata")),
        role=string_in(author, "role"),
        recipient=string_in(inside, "recipient") or "all",
        content=content,
    )


def _members_of(span: JsonSpan | None) -> dict[str, JsonSpan]:
    return {} if span is None else dict(span.pairs())
