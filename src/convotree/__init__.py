"""Branching conversations on MongoDB, replayed as provider requests."""

from convotree.domain.choices import Check, ListOrder, PromptChoice, Select
from convotree.domain.conversation import Conversation
from convotree.domain.conversation_page import ConversationPage
from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.import_report import ImportedConversation, ImportReport
from convotree.domain.media import (
    Base64Source,
    FileSource,
    InlineTextSource,
    MediaSource,
    OpaqueSource,
    UrlSource,
)
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.number_text import NumberText
from convotree.domain.parsed import ImportProblem, ParsedConversation, ParsedExport, ParsedRevision
from convotree.domain.parts import (
    AudioPart,
    CompactionPart,
    DocumentPart,
    HostedCallPart,
    HostedResultPart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.domain.prompt import Tool
from convotree.domain.revision import Revision
from convotree.domain.siblings import SiblingPage
from convotree.domain.tree import ConversationTree, TreeRevision
from convotree.domain.verification import Violation, ViolationKind
from convotree.errors import (
    ConflictError,
    ContentTooLargeError,
    ConversationMismatchError,
    ConversationNotFoundError,
    ConvotreeError,
    CorruptTreeError,
    EmbeddedDirectoryError,
    EmbeddedEngineMissingError,
    EmbeddedStartError,
    GoneError,
    InvalidArgumentError,
    InvalidFileError,
    InvalidIdError,
    InvalidJsonError,
    InvalidMessageError,
    InvalidRequestError,
    MissingExtraError,
    ParentNotFoundError,
    RevisionMismatchError,
    RevisionNotFoundError,
    SchemaTooNewError,
    SelectionMovedError,
    TooManyForksError,
    UnavailableError,
    UnexpectedToolResultError,
    UnreplayableError,
    UnsupportedProviderError,
    VersionConflictError,
)
from convotree.replay.finding import Finding, Severity
from convotree.replay.note import Note
from convotree.replay.policy import RenderPolicy
from convotree.replay.rendered import Rendered
from convotree.replay.request import Request
from convotree.settings import Settings
from convotree.store.headers import UNCHANGED
from convotree.store.opening import open_store
from convotree.store.parent import SELECTED_LEAF
from convotree.store.store import ConversationStore

__all__ = [
    "AudioPart",
    "Base64Source",
    "Check",
    "CompactionPart",
    "ConflictError",
    "ContentTooLargeError",
    "Conversation",
    "ConversationMismatchError",
    "ConversationNotFoundError",
    "ConversationPage",
    "ConversationStore",
    "ConversationTree",
    "ConvotreeError",
    "CorruptTreeError",
    "DocumentPart",
    "EmbeddedDirectoryError",
    "EmbeddedEngineMissingError",
    "EmbeddedStartError",
    "ExactJson",
    "FileSource",
    "Finding",
    "GenerationRecord",
    "GoneError",
    "HostedCallPart",
    "HostedResultPart",
    "ImagePart",
    "ImportProblem",
    "ImportReport",
    "ImportedConversation",
    "InlineTextSource",
    "InvalidArgumentError",
    "InvalidFileError",
    "InvalidIdError",
    "InvalidJsonError",
    "InvalidMessageError",
    "InvalidRequestError",
    "ListOrder",
    "MediaSource",
    "Message",
    "MissingExtraError",
    "Note",
    "NumberText",
    "OpaquePart",
    "OpaqueSource",
    "ParentNotFoundError",
    "ParsedConversation",
    "ParsedExport",
    "ParsedRevision",
    "Part",
    "PromptChoice",
    "Provenance",
    "ReasoningPart",
    "RefusalPart",
    "RenderPolicy",
    "Rendered",
    "Request",
    "Revision",
    "RevisionMismatchError",
    "RevisionNotFoundError",
    "Role",
    "SELECTED_LEAF",
    "SchemaTooNewError",
    "Select",
    "SelectionMovedError",
    "Settings",
    "Severity",
    "SiblingPage",
    "TextPart",
    "TooManyForksError",
    "Tool",
    "ToolCallPart",
    "ToolResultPart",
    "TreeRevision",
    "UNCHANGED",
    "UnavailableError",
    "UnexpectedToolResultError",
    "UnreplayableError",
    "UnsupportedProviderError",
    "UrlSource",
    "VersionConflictError",
    "Violation",
    "ViolationKind",
    "open_store",
]
