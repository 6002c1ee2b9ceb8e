"""Every error: its sentence, its facts, what the caller should do (its second level), and that it travels."""

import copy
import inspect
import pickle
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from convotree import NumberText, Request, Settings, errors, interchange
from convotree.domain.message import Message
from convotree.domain.revision import Revision
from convotree.errors import (
    BudgetTooSmallError,
    ClientClosedError,
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

GROUPS = (InvalidRequestError, ConflictError, GoneError, UnavailableError, CorruptTreeError)

REVISION = Revision(
    id="r1",
    conversation_id="c1",
    parent_id=None,
    ordinal=0,
    lane_id="r1",
    depth=0,
    message=Message.user("hi"),
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
)

# error, group, sentence; its facts are the keyword arguments it was made with
TABLE: list[tuple[ConvotreeError, type[ConvotreeError], str]] = [
    (
        ConversationNotFoundError(conversation_id="c1"),
        InvalidRequestError,
        "no conversation 'c1'; create it first or check the tenant",
    ),
    (
        RevisionNotFoundError(conversation_id="c1", revision_id="r1"),
        InvalidRequestError,
        "conversation 'c1' has no revision 'r1'; check both ids: a revision is known within its conversation only",
    ),
    (
        ParentNotFoundError(conversation_id="c1", parent_id="r1"),
        InvalidRequestError,
        "conversation 'c1' has no revision 'r1' to append under; nothing was written, check both ids",
    ),
    (
        InvalidArgumentError(argument="limit", reason="1 or more was expected"),
        InvalidRequestError,
        "limit: 1 or more was expected",
    ),
    (
        InvalidIdError(argument="revision_id", reason="an id must not be empty"),
        InvalidRequestError,
        "revision_id: an id must not be empty",
    ),
    (
        InvalidJsonError(place="arguments", reason="Expecting value"),
        InvalidRequestError,
        "arguments: not acceptable JSON: Expecting value",
    ),
    (
        InvalidJsonError(place="arguments", reason="Expecting value", position=0),
        InvalidRequestError,
        "arguments: not acceptable JSON at 0: Expecting value",
    ),
    (
        InvalidMessageError(place="parts[2].arguments", reason="an object was expected"),
        InvalidRequestError,
        "parts[2].arguments: an object was expected",
    ),
    (
        UnexpectedToolResultError(place="parts[0]", tool_call_id="t9", open_tool_call_ids=("t1", "t2")),
        InvalidRequestError,
        "parts[0]: tool result 't9' answers no unanswered tool call above it (unanswered there: 't1', 't2'); "
        "append it below its call, or store it with check=Check.RECORD",
    ),
    (
        UnexpectedToolResultError(place="parts[0]", tool_call_id="t9", open_tool_call_ids=()),
        InvalidRequestError,
        "parts[0]: tool result 't9' answers no unanswered tool call above it (unanswered there: none); "
        "append it below its call, or store it with check=Check.RECORD",
    ),
    (
        ContentTooLargeError(subject="the message", size=20, limit=10),
        InvalidRequestError,
        "the message is 20 bytes, the limit is 10; "
        "shorten it, or keep large media elsewhere and refer to them by URL",
    ),
    (
        TooManyForksError(conversation_id="c1", limit=262144),
        InvalidRequestError,
        "conversation 'c1': a path may hold 262144 forks; start a new conversation from here",
    ),
    (
        BudgetTooSmallError(budget=10, needed=12),
        InvalidRequestError,
        "the last turn with system prompt and tools needs 12 tokens, 10 are given: raise the budget, or shorten "
        "what is sent",
    ),
    (
        ClientClosedError(operation="find in revisions"),
        InvalidRequestError,
        "find in revisions: the client is closed; use the store before its block ends, or its client is closed",
    ),
    (
        InvalidFileError(file="a.json", place="line 3", reason="not JSON"),
        InvalidRequestError,
        "a.json: line 3: not JSON",
    ),
    (InvalidFileError(file="a.json", place="", reason="empty"), InvalidRequestError, "a.json: empty"),
    (
        UnsupportedProviderError(provider="acme", supported=("anthropic", "gemini")),
        InvalidRequestError,
        "unknown provider 'acme'; use one of anthropic, gemini",
    ),
    (
        UnreplayableError(
            provider="anthropic",
            place="messages[3].parts[0]",
            rule="tool-pairing",
            reason="no result follows",
            policy="unanswered_calls",
        ),
        InvalidRequestError,
        "anthropic would reject messages[3].parts[0] (rule tool-pairing): no result follows; "
        "change the messages, or choose another unanswered_calls in the RenderPolicy",
    ),
    (
        MissingExtraError(package="openai", extra="openai"),
        InvalidRequestError,
        "openai is not installed; run: pip install 'convotree[openai]'",
    ),
    (
        EmbeddedEngineMissingError(),
        InvalidRequestError,
        "secantusdb is not installed; run: pip install 'convotree[embedded]'",
    ),
    (
        EmbeddedDirectoryError(directory="data", reason="it is a file"),
        InvalidRequestError,
        "cannot keep an embedded database in 'data': it is a file",
    ),
    (
        RevisionMismatchError(conversation_id="c1", revision_id="r1", difference="message"),
        ConflictError,
        "conversation 'c1' already holds revision 'r1' with another message; use a new revision id for new content",
    ),
    (
        ConversationMismatchError(conversation_id="c1"),
        ConflictError,
        "conversation 'c1' already exists and was created with other content; "
        "read it with get(), or create under another id",
    ),
    (
        SelectionMovedError(conversation_id="c1", selected_leaf_id="r2"),
        ConflictError,
        "the selected leaf of conversation 'c1' has moved to 'r2'; "
        "read the conversation again, then select what is still wanted",
    ),
    (
        SelectionMovedError(conversation_id="c1", selected_leaf_id=None, revision=REVISION),
        ConflictError,
        "the selected leaf of conversation 'c1' has moved to None; revision 'r1' is stored but not selected; "
        "read the conversation again, then select what is still wanted",
    ),
    (
        VersionConflictError(conversation_id="c1", expected=3, actual=4),
        ConflictError,
        "conversation 'c1' is at version 4, not 3; read it again and decide",
    ),
    (
        GoneError(conversation_id="c1"),
        GoneError,
        "conversation 'c1' was removed on purpose; do not write there again",
    ),
    (
        GoneError(conversation_id="c1", revision_id="r1"),
        GoneError,
        "revision 'r1' of conversation 'c1' was removed on purpose; do not write there again",
    ),
    (
        UnavailableError(operation="append", reason="no answer", code=89),
        UnavailableError,
        "append: no answer; try again, the library's writes may be repeated as they were",
    ),
    (
        EmbeddedStartError(directory="data", reason="it ended with status 1"),
        UnavailableError,
        "the embedded engine did not start in 'data': it ended with status 1; try again",
    ),
    (
        EmbeddedStartError(directory="data", reason="no answer", log_tail="port taken"),
        UnavailableError,
        "the embedded engine did not start in 'data': no answer; try again; its last lines:\nport taken",
    ),
    (
        CorruptTreeError(problem="the parent is missing", conversation_id="c1", revision_id="r1"),
        CorruptTreeError,
        "conversation 'c1': revision 'r1': the parent is missing; "
        "run verify() and restore what it names from a good copy",
    ),
    (
        CorruptTreeError(problem="no schema number"),
        CorruptTreeError,
        "no schema number; run verify() and restore what it names from a good copy",
    ),
    (
        SchemaTooNewError(found=3, supported=1, collection="revisions"),
        CorruptTreeError,
        "revisions holds schema 3, this release reads up to 1; upgrade convotree in this process",
    ),
]


@pytest.mark.parametrize(("error", "group", "sentence"), TABLE, ids=lambda value: type(value).__name__)
def test_the_sentence_and_the_group(
    error: ConvotreeError, group: type[ConvotreeError], sentence: str
) -> None:
    assert str(error) == sentence
    assert isinstance(error, ConvotreeError)
    assert [one for one in GROUPS if isinstance(error, one)] == [group]


@pytest.mark.parametrize(
    ("made", "facts"),
    [
        (ConversationNotFoundError, {"conversation_id": "c"}),
        (RevisionNotFoundError, {"conversation_id": "c", "revision_id": "r"}),
        (ParentNotFoundError, {"conversation_id": "c", "parent_id": "r"}),
        (InvalidArgumentError, {"argument": "a", "reason": "r"}),
        (InvalidIdError, {"argument": "a", "reason": "r"}),
        (InvalidJsonError, {"place": "p", "reason": "r", "position": 3}),
        (InvalidMessageError, {"place": "p", "reason": "r"}),
        (UnexpectedToolResultError, {"place": "p", "tool_call_id": "t", "open_tool_call_ids": ("u",)}),
        (ContentTooLargeError, {"subject": "s", "size": 2, "limit": 1}),
        (TooManyForksError, {"conversation_id": "c", "limit": 1}),
        (BudgetTooSmallError, {"budget": 1, "needed": 2}),
        (ClientClosedError, {"operation": "o"}),
        (InvalidFileError, {"file": "f", "place": "p", "reason": "r"}),
        (UnsupportedProviderError, {"provider": "p", "supported": ("a",)}),
        (UnreplayableError, {"provider": "p", "place": "x", "rule": "y", "reason": "z", "policy": "w"}),
        (MissingExtraError, {"package": "p", "extra": "e"}),
        (EmbeddedEngineMissingError, {}),
        (EmbeddedDirectoryError, {"directory": "d", "reason": "r"}),
        (RevisionMismatchError, {"conversation_id": "c", "revision_id": "r", "difference": "d"}),
        (ConversationMismatchError, {"conversation_id": "c"}),
        (SelectionMovedError, {"conversation_id": "c", "selected_leaf_id": "l", "revision": REVISION}),
        (VersionConflictError, {"conversation_id": "c", "expected": 1, "actual": 2}),
        (GoneError, {"conversation_id": "c", "revision_id": "r"}),
        (UnavailableError, {"operation": "o", "reason": "r", "code": 7}),
        (EmbeddedStartError, {"directory": "d", "reason": "r", "log_tail": "l"}),
        (CorruptTreeError, {"problem": "p", "conversation_id": "c", "revision_id": "r"}),
        (SchemaTooNewError, {"found": 2, "supported": 1, "collection": "x"}),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_the_facts_are_attributes_and_keywords_only(
    made: type[ConvotreeError], facts: dict[str, Any]
) -> None:
    error = made(**facts)

    assert {name: getattr(error, name) for name in facts} == facts
    kinds = {parameter.kind for parameter in inspect.signature(made).parameters.values()}
    assert kinds <= {inspect.Parameter.KEYWORD_ONLY}
    assert set(inspect.signature(made).parameters) == set(facts)


def test_a_parent_that_is_missing_is_a_missing_revision() -> None:
    error = ParentNotFoundError(conversation_id="c", parent_id="p")

    assert isinstance(error, RevisionNotFoundError)
    assert error.revision_id == "p"


def test_the_missing_engine_says_what_to_install() -> None:
    error = EmbeddedEngineMissingError()

    assert (error.package, error.extra) == ("secantusdb", "embedded")


def test_only_a_few_open_calls_are_listed() -> None:
    error = UnexpectedToolResultError(
        place="parts[0]", tool_call_id="t", open_tool_call_ids=[f"t{n}" for n in range(4096)]
    )

    assert len(error.open_tool_call_ids) == 4096
    assert len(str(error)) < 400


@pytest.mark.parametrize("error", [error for error, _, _ in TABLE], ids=lambda error: type(error).__name__)
def test_errors_can_be_copied_and_pickled(error: ConvotreeError) -> None:
    """Worker pools and task queues send errors to another process."""
    error.add_note("seen by a worker")

    for travelled in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):  # noqa: S301  # own bytes
        assert type(travelled) is type(error)
        assert travelled.args == error.args
        assert vars(travelled) == vars(error)


def test_every_error_is_listed_and_in_the_table() -> None:
    defined = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type)
        and issubclass(value, ConvotreeError)
        and value.__module__ == errors.__name__
    }
    tested = {type(error).__name__ for error, _, _ in TABLE}

    assert set(errors.__all__) == defined
    assert defined - tested == {"ConvotreeError", "InvalidRequestError", "ConflictError"}


def test_the_tree_in_the_docstring_is_the_tree_of_classes() -> None:
    drawn: list[tuple[str, str | None]] = []
    above: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        name = line.split()[0] if line.startswith("    ") else ""
        if not name.endswith("Error"):
            continue
        indent = len(line) - len(line.lstrip())
        above = [(at, one) for at, one in above if at < indent]
        drawn.append((name, above[-1][1] if above else None))
        above.append((indent, name))

    found = {
        name: getattr(errors, name).__bases__[0].__name__ if name != "ConvotreeError" else None
        for name in errors.__all__
    }
    assert dict(drawn) == found
    assert len(drawn) == len(found)


DEEP: Any = []
for _ in range(100_000):
    DEEP = [DEEP]


@pytest.mark.parametrize("value", [DEEP, 10**5000, "x" * 1_000_000], ids=["deep", "long int", "long text"])
def test_a_sentence_stays_short_whatever_a_caller_gave(value: Any) -> None:
    request = Request(messages=(Message.user("x"),))
    attempts: list[Callable[[], object]] = [
        lambda: request.render(value, model="m"),
        lambda: request.check(value, model="m"),
        lambda: Message.from_provider(value, {}),
        lambda: Settings(operation_timeout_ms=value),
        lambda: interchange.loads("[]", name=value),
        lambda: NumberText(value),
    ]
    for attempt in attempts:
        with pytest.raises(ConvotreeError) as caught:
            attempt()
        assert len(str(caught.value)) <= 2_000
