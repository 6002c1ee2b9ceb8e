"""Branching conversations on MongoDB, replayed as provider requests."""

from convotree.domain.choices import Check, CompactionChoice, ListOrder, PromptChoice, Select
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
from convotree.domain.outcome import Outcome
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
    BudgetTooSmallError,
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
from convotree.replay.context_overflow import is_context_overflow
from convotree.replay.finding import Finding, Severity
from convotree.replay.note import Note
from convotree.replay.policy import (
    BlankText,
    CacheMarkers,
    DeveloperMessages,
    FailedTurns,
    ForeignReasoning,
    HostedOrphans,
    RenderPolicy,
    ResponseMembers,
    StaleReasoning,
    ToolArguments,
    ToolCallIds,
    Turns,
    UnansweredCalls,
    UnmatchedResults,
    Unsupported,
)
from convotree.replay.prefix import Differs, PrefixBreak
from convotree.replay.rendered import Rendered
from convotree.replay.request import Request
from convotree.replay.streaming import StreamedAnswer
from convotree.replay.token_estimate import TokenEstimate
from convotree.settings import Settings
from convotree.store.headers import UNCHANGED
from convotree.store.opening import open_store
from convotree.store.parent import SELECTED_LEAF
from convotree.store.store import ConversationStore

__all__ = [
    "SELECTED_LEAF",
    "UNCHANGED",
    "AudioPart",
    "Base64Source",
    "BlankText",
    "BudgetTooSmallError",
    "CacheMarkers",
    "Check",
    "CompactionChoice",
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
    "DeveloperMessages",
    "Differs",
    "DocumentPart",
    "EmbeddedDirectoryError",
    "EmbeddedEngineMissingError",
    "EmbeddedStartError",
    "ExactJson",
    "FailedTurns",
    "FileSource",
    "Finding",
    "ForeignReasoning",
    "GenerationRecord",
    "GoneError",
    "HostedCallPart",
    "HostedOrphans",
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
    "Outcome",
    "ParentNotFoundError",
    "ParsedConversation",
    "ParsedExport",
    "ParsedRevision",
    "Part",
    "PrefixBreak",
    "PromptChoice",
    "Provenance",
    "ReasoningPart",
    "RefusalPart",
    "RenderPolicy",
    "Rendered",
    "Request",
    "ResponseMembers",
    "Revision",
    "RevisionMismatchError",
    "RevisionNotFoundError",
    "Role",
    "SchemaTooNewError",
    "Select",
    "SelectionMovedError",
    "Settings",
    "Severity",
    "SiblingPage",
    "StaleReasoning",
    "StreamedAnswer",
    "TextPart",
    "TokenEstimate",
    "TooManyForksError",
    "Tool",
    "ToolArguments",
    "ToolCallIds",
    "ToolCallPart",
    "ToolResultPart",
    "TreeRevision",
    "Turns",
    "UnansweredCalls",
    "UnavailableError",
    "UnexpectedToolResultError",
    "UnmatchedResults",
    "UnreplayableError",
    "Unsupported",
    "UnsupportedProviderError",
    "UrlSource",
    "VersionConflictError",
    "Violation",
    "ViolationKind",
    "is_context_overflow",
    "open_store",
]
