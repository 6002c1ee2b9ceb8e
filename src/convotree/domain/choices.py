"""The policies a caller names in a call."""

from __future__ import annotations

from enum import Enum

__all__ = ["Check", "CompactionChoice", "ListOrder", "PromptChoice", "Select"]


class Select(Enum):
    """Whether a new revision becomes the selected leaf."""

    IF_UNMOVED = "if_unmoved"
    """Move the pointer if it stands on the parent (``append``, ``extend``), or where the call found it
    (``regenerate``, ``edit``). Never raises; ``Revision.selected`` tells what happened."""
    ALWAYS = "always"
    """Move the pointer wherever it stands."""
    NEVER = "never"
    """Leave the pointer where it is."""
    REQUIRED = "required"
    """As ``IF_UNMOVED``, but raise ``SelectionMovedError`` if the pointer had moved; the revision is stored."""


class Check(Enum):
    """What is checked of a message before it is stored."""

    STRICT = "strict"
    """Roles fit parts, and a tool result answers an unanswered tool call above it."""
    RECORD = "record"
    """Stored as it is: for importers, and to log what really happened. Replay decides what can be sent."""


class ListOrder(Enum):
    """The order of a listing."""

    CREATED = "created"
    """Newest created first; stable while others write."""
    UPDATED = "updated"
    """Last updated first; a conversation may move while a caller pages."""


class CompactionChoice(Enum):
    """Where a replay starts on a path that holds summaries (``CompactionPart``)."""

    NEWEST = "newest"
    """At the newest summary: what is above it is not read, and a note says so."""
    NONE = "none"
    """At the root, as if there were none: for a provider that cannot read another's summary, say."""


class PromptChoice(Enum):
    """Which system prompt and tools a replay brings."""

    CURRENT = "current"
    """The conversation's current ones; notes name answers that were generated under others."""
    GENERATED = "generated"
    """Those that the newest answer on the path was generated under; the current ones if there is no answer."""
