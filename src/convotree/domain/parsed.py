"""What an importer makes of a file: conversations as values, ready for ``ConversationStore.import_``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from convotree.domain.exact_json import ExactJson
from convotree.domain.field_checks import (
    keep_all,
    keep_object,
    keep_optional_text,
    keep_text,
    misplaced,
)
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message
from convotree.domain.parts import checked_parts
from convotree.domain.prompt import SystemPrompt, Tool

__all__ = ["ImportProblem", "ParsedConversation", "ParsedExport", "ParsedRevision"]


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Something in a file that was repaired, left out or kept aside. ``place`` is a path into the file."""

    place: str
    what: str

    def __post_init__(self) -> None:
        keep_text(self, "place", "what")


@dataclass(frozen=True, slots=True)
class ParsedRevision:
    """One message of a file with its link. Ids are the file's own and unique within the conversation."""

    id: str
    parent_id: str | None
    message: Message
    generation: GenerationRecord | None = None

    def __post_init__(self) -> None:
        keep_text(self, "id")
        keep_optional_text(self, "parent_id")
        if type(self.message) is not Message:
            raise misplaced(self, "message", "a Message", self.message)
        if self.generation is not None and type(self.generation) is not GenerationRecord:
            raise misplaced(self, "generation", "a GenerationRecord", self.generation)


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
    metadata: ExactJson = field(default_factory=lambda: ExactJson.stored("{}"))
    problems: tuple[ImportProblem, ...] = ()

    def __post_init__(self) -> None:
        keep_text(self, "id")
        keep_optional_text(self, "selected_leaf_id", "title")
        keep_object(self, "metadata")
        keep_all(self, "revisions", ParsedRevision)
        keep_all(self, "tools", Tool)
        keep_all(self, "problems", ImportProblem)
        if self.system is not None and not isinstance(self.system, str):
            object.__setattr__(self, "system", checked_parts(self.system, place="ParsedConversation.system"))


@dataclass(frozen=True, slots=True)
class ParsedExport:
    """A file that was read: format, conversations in order, and the problems that belong to none of them."""

    format: str
    conversations: tuple[ParsedConversation, ...]
    problems: tuple[ImportProblem, ...] = ()

    def __post_init__(self) -> None:
        keep_text(self, "format")
        keep_all(self, "conversations", ParsedConversation)
        keep_all(self, "problems", ImportProblem)

    def __iter__(self) -> Iterator[ParsedConversation]:
        return iter(self.conversations)

    def __len__(self) -> int:
        return len(self.conversations)
