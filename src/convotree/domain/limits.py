"""Limits that follow from the stored form, each with its reason."""

from __future__ import annotations

from typing import Final

__all__ = [
    "MAX_GENERATION_BYTES",
    "MAX_METADATA_BYTES",
    "MAX_OPEN_TOOL_CALLS",
    "MAX_PART_BYTES",
    "MAX_PROMPT_BYTES",
    "MAX_REMEMBERED_LEAVES",
    "MAX_TITLE_BYTES",
    "SCHEMA_NUMBER",
]

SCHEMA_NUMBER: Final = 1
"""Every stored document carries it; a document with a higher one is refused."""

MAX_PART_BYTES: Final = 15 * 1024 * 1024
"""Exact JSON of one message's parts. A BSON document holds 16 MiB (server limit); the rest is coordinates."""

MAX_GENERATION_BYTES: Final = 256 * 1024
"""One generation record: beside 15 MiB of parts it must leave room for coordinates."""

MAX_PROMPT_BYTES: Final = 6 * 1024 * 1024
"""One system prompt, or one tool set: both ride in one row of a replay, which is a BSON document too."""

MAX_METADATA_BYTES: Final = 1024 * 1024
MAX_TITLE_BYTES: Final = 16 * 1024
"""The header is read by every listing; what is large belongs into messages."""

MAX_OPEN_TOOL_CALLS: Final = 64
"""Unanswered tool calls that a revision remembers of its path: they are copied from parent to child, so what a revision
stores beside its content stays bounded. Those beyond are looked up."""

MAX_REMEMBERED_LEAVES: Final = 32
"""Leaves last left that a header remembers: a hint for ``select``, read with it, so kept short."""
