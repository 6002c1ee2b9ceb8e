"""Every error of the library. The second level says what the caller should do next.

    ConvotreeError
      InvalidRequestError            fix the call
        ConversationNotFoundError
        RevisionNotFoundError
          ParentNotFoundError
        InvalidArgumentError
          InvalidIdError
        InvalidJsonError
        InvalidMessageError
          UnexpectedToolResultError
        ContentTooLargeError
        TooManyForksError
        BudgetTooSmallError
        InvalidFileError
        UnsupportedProviderError
        UnreplayableError
        MissingExtraError
          EmbeddedEngineMissingError
        EmbeddedDirectoryError
        ClientClosedError
      ConflictError                  read again, then decide
        RevisionMismatchError
        ConversationMismatchError
        SelectionMovedError
        VersionConflictError
      GoneError                      it was here and was removed on purpose
      UnavailableError               try later; every write of the library may be repeated as it was
        EmbeddedStartError
      CorruptTreeError               call a person
        SchemaTooNewError

Each class takes its facts as keyword arguments, keeps them as attributes and writes its own sentence.
No error of a driver leaves the library: where one is the reason it is the ``__cause__``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from convotree.domain.revision import Revision

__all__ = [
    "BudgetTooSmallError",
    "ClientClosedError",
    "ConflictError",
    "ContentTooLargeError",
    "ConversationMismatchError",
    "ConversationNotFoundError",
    "ConvotreeError",
    "CorruptTreeError",
    "EmbeddedDirectoryError",
    "EmbeddedEngineMissingError",
    "EmbeddedStartError",
    "GoneError",
    "InvalidArgumentError",
    "InvalidFileError",
    "InvalidIdError",
    "InvalidJsonError",
    "InvalidMessageError",
    "InvalidRequestError",
    "MissingExtraError",
    "ParentNotFoundError",
    "RevisionMismatchError",
    "RevisionNotFoundError",
    "SchemaTooNewError",
    "SelectionMovedError",
    "TooManyForksError",
    "UnavailableError",
    "UnexpectedToolResultError",
    "UnreplayableError",
    "UnsupportedProviderError",
    "VersionConflictError",
]


_LONGEST_SENTENCE = 2_000


class ConvotreeError(Exception):
    """Root of every error that the library raises. Each can be copied and pickled, its facts with it. Its sentence has
    at most 2,000 characters, however long what a caller gave is; the attributes hold the facts whole.
    """

    def __init__(self, sentence: str = "") -> None:
        if len(sentence) > _LONGEST_SENTENCE:
            half = _LONGEST_SENTENCE // 2 - 20
            sentence = f"{sentence[:half]} … ({len(sentence)} characters) … {sentence[-half:]}"
        super().__init__(sentence)

    def __reduce__(self) -> tuple[object, ...]:
        # Exception would call the class with the sentence, and the classes take their facts by keyword.
        return _revive, (type(self), self.args), self.__dict__


def _revive(cls: type[ConvotreeError], args: tuple[object, ...]) -> ConvotreeError:
    error = cls.__new__(cls)
    error.args = args
    return error


# ---------------------------------------------------------------- fix the call


class InvalidRequestError(ConvotreeError):
    """The call cannot succeed as it was made; repeating it unchanged will fail again."""


class ConversationNotFoundError(InvalidRequestError):
    """The tenant has no conversation of this id (another tenant's is reported exactly alike)."""

    def __init__(self, *, conversation_id: str) -> None:
        self.conversation_id = conversation_id
        super().__init__(f"no conversation {conversation_id!r}; create it first or check the tenant")


class RevisionNotFoundError(InvalidRequestError):
    """The conversation has no revision of this id."""

    def __init__(self, *, conversation_id: str, revision_id: str) -> None:
        self.conversation_id = conversation_id
        self.revision_id = revision_id
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        return (
            f"conversation {self.conversation_id!r} has no revision {self.revision_id!r}; "
            "check both ids: a revision is known within its conversation only"
        )


class ParentNotFoundError(RevisionNotFoundError):
    """The parent named for a new revision is not in this conversation; nothing was written."""

    def __init__(self, *, conversation_id: str, parent_id: str) -> None:
        self.parent_id = parent_id
        super().__init__(conversation_id=conversation_id, revision_id=parent_id)

    def _sentence(self) -> str:
        return (
            f"conversation {self.conversation_id!r} has no revision {self.revision_id!r} to append under; "
            "nothing was written, check both ids"
        )


class InvalidArgumentError(InvalidRequestError):
    """An argument has a wrong type or lies outside its range."""

    def __init__(self, *, argument: str, reason: str) -> None:
        self.argument = argument
        self.reason = reason
        super().__init__(f"{argument}: {reason}")


class InvalidIdError(InvalidArgumentError):
    """An id is not a plain, bounded string without NUL."""


class InvalidJsonError(InvalidRequestError):
    """Text that should be JSON is not, or holds what cannot be kept.

    ``place`` names what was being read; ``position`` is the offset in characters (bytes for bad UTF-8), or
    None.
    """

    def __init__(self, *, place: str, reason: str, position: int | None = None) -> None:
        self.place = place
        self.reason = reason
        self.position = position
        at = "" if position is None else f" at {position}"
        super().__init__(f"{place}: not acceptable JSON{at}: {reason}")


class InvalidMessageError(InvalidRequestError):
    """A message or one of its parts breaks a rule; ``place`` is a path such as ``parts[2].arguments``."""

    def __init__(self, *, place: str, reason: str) -> None:
        self.place = place
        self.reason = reason
        super().__init__(f"{place}: {reason}")


class UnexpectedToolResultError(InvalidMessageError):
    """A tool result answers no open tool call above it (``check=Check.RECORD`` stores it all the same)."""

    def __init__(self, *, place: str, tool_call_id: str, open_tool_call_ids: Sequence[str]) -> None:
        self.tool_call_id = tool_call_id
        self.open_tool_call_ids = tuple(open_tool_call_ids)
        waiting = ", ".join(repr(one) for one in self.open_tool_call_ids[:8]) or "none"
        super().__init__(
            place=place,
            reason=(
                f"tool result {tool_call_id!r} answers no unanswered tool call above it "
                f"(unanswered there: {waiting}); append it below its call, or store it with check=Check.RECORD"
            ),
        )


class ContentTooLargeError(InvalidRequestError):
    """Content exceeds a size limit; sizes are in bytes and nothing was written."""

    def __init__(self, *, subject: str, size: int, limit: int) -> None:
        self.subject = subject
        self.size = size
        self.limit = limit
        super().__init__(
            f"{subject} is {size} bytes, the limit is {limit}; "
            "shorten it, or keep large media elsewhere and refer to them by URL"
        )


class TooManyForksError(InvalidRequestError):
    """The path to the new revision would pass through more forks than a path can hold."""

    def __init__(self, *, conversation_id: str, limit: int) -> None:
        self.conversation_id = conversation_id
        self.limit = limit
        super().__init__(
            f"conversation {conversation_id!r}: a path may hold {limit} forks; start a new conversation from here"
        )


class BudgetTooSmallError(InvalidRequestError):
    """Not even the last turn of a path, with system prompt and tools, fits; ``needed`` tokens would do."""

    def __init__(self, *, budget: int, needed: int) -> None:
        self.budget = budget
        self.needed = needed
        super().__init__(
            f"the last turn with system prompt and tools needs {needed} tokens, {budget} are given: "
            "raise the budget, or shorten what is sent"
        )


class InvalidFileError(InvalidRequestError):
    """A file cannot be read as what it was given for; ``place`` names line, entry or key."""

    def __init__(self, *, file: str, place: str, reason: str) -> None:
        self.file = file
        self.place = place
        self.reason = reason
        where = f"{file}: {place}" if place else file
        super().__init__(f"{where}: {reason}")


class UnsupportedProviderError(InvalidRequestError):
    """The provider's name is not one the library renders to or ingests from."""

    def __init__(self, *, provider: str, supported: Sequence[str]) -> None:
        self.provider = provider
        self.supported = tuple(supported)
        super().__init__(f"unknown provider {provider!r}; use one of {', '.join(self.supported)}")


class UnreplayableError(InvalidRequestError):
    """A request cannot be put to this provider under the chosen policy.

    ``place`` is a path into the request such as ``messages[3].parts[0]``; ``rule`` is the provider's rule; ``policy``
    is the field of ``RenderPolicy`` whose choice refused it, None where there is no choice.
    """

    def __init__(
        self, *, provider: str, place: str, rule: str, reason: str, policy: str | None = None
    ) -> None:
        self.provider = provider
        self.place = place
        self.rule = rule
        self.reason = reason
        self.policy = policy
        otherwise = "" if policy is None else f", or choose another {policy} in the RenderPolicy"
        super().__init__(
            f"{provider} would reject {place} (rule {rule}): {reason}; change the messages{otherwise}"
        )


class MissingExtraError(InvalidRequestError):
    """An optional package is needed for this call and not installed."""

    def __init__(self, *, package: str, extra: str) -> None:
        self.package = package
        self.extra = extra
        super().__init__(f"{package} is not installed; run: pip install 'convotree[{extra}]'")


class EmbeddedEngineMissingError(MissingExtraError):
    """The embedded engine is not installed."""

    def __init__(self) -> None:
        super().__init__(package="secantusdb", extra="embedded")


class EmbeddedDirectoryError(InvalidRequestError):
    """The directory given for the embedded engine cannot be used."""

    def __init__(self, *, directory: str, reason: str) -> None:
        self.directory = directory
        self.reason = reason
        super().__init__(f"cannot keep an embedded database in {directory!r}: {reason}")


# ---------------------------------------------------------------- read again, then decide


class ClientClosedError(InvalidRequestError):
    """The database's client was closed, by the end of the ``async with open_store(…)`` block or by its owner."""

    def __init__(self, *, operation: str) -> None:
        self.operation = operation
        super().__init__(
            f"{operation}: the client is closed; use the store before its block ends, or its client is closed"
        )


class ConflictError(ConvotreeError):
    """What the call relied on is no longer so; read again and decide."""


class RevisionMismatchError(ConflictError):
    """A revision of this id exists and says something else; ``difference`` names what differs."""

    def __init__(self, *, conversation_id: str, revision_id: str, difference: str) -> None:
        self.conversation_id = conversation_id
        self.revision_id = revision_id
        self.difference = difference
        super().__init__(
            f"conversation {conversation_id!r} already holds revision {revision_id!r} with another {difference}; "
            "use a new revision id for new content"
        )


class ConversationMismatchError(ConflictError):
    """A conversation of this id exists and was created with other content."""

    def __init__(self, *, conversation_id: str) -> None:
        self.conversation_id = conversation_id
        super().__init__(
            f"conversation {conversation_id!r} already exists and was created with other content; "
            "read it with get(), or create under another id"
        )


class SelectionMovedError(ConflictError):
    """The selected leaf had moved. ``revision`` (if any) *is* stored, only not selected."""

    def __init__(
        self, *, conversation_id: str, selected_leaf_id: str | None, revision: Revision | None = None
    ) -> None:
        self.conversation_id = conversation_id
        self.selected_leaf_id = selected_leaf_id
        self.revision = revision
        stored = "" if revision is None else f"; revision {revision.id!r} is stored but not selected"
        super().__init__(
            f"the selected leaf of conversation {conversation_id!r} has moved to {selected_leaf_id!r}{stored}; "
            "read the conversation again, then select what is still wanted"
        )


class VersionConflictError(ConflictError):
    """The header changed since the version the caller expected."""

    def __init__(self, *, conversation_id: str, expected: int, actual: int) -> None:
        self.conversation_id = conversation_id
        self.expected = expected
        self.actual = actual
        super().__init__(
            f"conversation {conversation_id!r} is at version {actual}, not {expected}; read it again and decide"
        )


# ---------------------------------------------------------------- gone on purpose


class GoneError(ConvotreeError):
    """It was here and was removed on purpose."""

    def __init__(self, *, conversation_id: str, revision_id: str | None = None) -> None:
        self.conversation_id = conversation_id
        self.revision_id = revision_id
        what = "" if revision_id is None else f"revision {revision_id!r} of "
        super().__init__(
            f"{what}conversation {conversation_id!r} was removed on purpose; do not write there again"
        )


# ---------------------------------------------------------------- try later


class UnavailableError(ConvotreeError):
    """The database did not answer in time. A write may or may not have happened: repeat it as it was."""

    def __init__(self, *, operation: str, reason: str, code: int | None = None) -> None:
        self.operation = operation
        self.reason = reason
        self.code = code
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        return (
            f"{self.operation}: {self.reason}; try again, the library's writes may be repeated as they were"
        )


class EmbeddedStartError(UnavailableError):
    """The embedded engine did not start; ``log_tail`` holds the last lines it printed."""

    def __init__(self, *, directory: str, reason: str, log_tail: str = "") -> None:
        self.directory = directory
        self.log_tail = log_tail
        super().__init__(operation="start of the embedded engine", reason=reason)

    def _sentence(self) -> str:
        tail = f"; its last lines:\n{self.log_tail}" if self.log_tail else ""
        return f"the embedded engine did not start in {self.directory!r}: {self.reason}; try again{tail}"


# ---------------------------------------------------------------- call a person


class CorruptTreeError(ConvotreeError):
    """What came back cannot be read or does not fit together. Run ``verify`` and restore from a good copy."""

    def __init__(
        self, *, problem: str, conversation_id: str | None = None, revision_id: str | None = None
    ) -> None:
        self.problem = problem
        self.conversation_id = conversation_id
        self.revision_id = revision_id
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        where = "" if self.conversation_id is None else f"conversation {self.conversation_id!r}: "
        which = "" if self.revision_id is None else f"revision {self.revision_id!r}: "
        return f"{where}{which}{self.problem}; run verify() and restore what it names from a good copy"


class SchemaTooNewError(CorruptTreeError):
    """The data was written by a newer release of the library; it is refused, never half-read."""

    def __init__(self, *, found: int, supported: int, collection: str) -> None:
        self.found = found
        self.supported = supported
        self.collection = collection
        super().__init__(
            problem=(
                f"{collection} holds schema {found}, this release reads up to {supported}; "
                "upgrade convotree in this process"
            )
        )

    def _sentence(self) -> str:
        return self.problem
