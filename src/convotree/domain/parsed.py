"""What an importer makes of a file: conversations as values, ready for ``ConversationStore.import_``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message
from convotree.domain.prompt import SystemPrompt, Tool

__all__ = ["ImportProblem", "ParsedConversation", "ParsedExport", "ParsedRevision"]


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Something in a file that was repaired, left out or kept aside. ``place`` is a path into the file."""

    place: str
    what: str


@dataclass(frozen=True, slots=True)
class ParsedRevision:
    """One message of a file with its link. Ids are the file's own and unique within the conversation."""

    id: str
    parent_id: str | None
    message: Message
    generation: GenerationRecord | None = None


@dataclass(frozen=True, slots=True)
class ParsedConversation:
    """One conversation of a file.

    ``revisions``: parents before children, siblings in the order of the file's links. ``metadata``: a JSON
    object with what the file says of the conversation and no field holds. ``selected_leaf_id``: None where
    the file names none; an importer that chose one says so in ``problems``.
    """

    id: str
    revisions: tuple[ParsedRevision, ...]
    selected_leaf_id: str | None = None
    title: str | None = None
    system: SystemPrompt | None = None
    tools: tuple[Tool, ...] = ()
    metadata: ExactJson = field(default_factory=lambda: ExactJson("{}"))
    problems: tuple[ImportProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedExport:
    """A file that was read: format, conversations in order, and the problems that belong to none of them."""

    format: str
    conversations: tuple[ParsedConversation, ...]
    problems: tuple[ImportProblem, ...] = ()

    def __iter__(self) -> Iterator[ParsedConversation]:
        return iter(self.conversations)

    def __len__(self) -> int:
        return len(self.conversations)
