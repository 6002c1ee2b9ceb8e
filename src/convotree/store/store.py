"""The store: every operation on conversations, in one class whose methods each delegate to their own module."""

from __future__ import annotations

import builtins  # the class has a method named list
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from typing import Any

import anyio.lowlevel

from convotree.domain.choices import Check, CompactionChoice, ListOrder, PromptChoice, Select
from convotree.domain.conversation import Conversation
from convotree.domain.conversation_page import ConversationPage
from convotree.domain.generation import GenerationRecord
from convotree.domain.header_content import Metadata
from convotree.domain.import_report import ImportReport
from convotree.domain.message import Message, Role
from convotree.domain.parsed import ParsedConversation, ParsedExport
from convotree.domain.parts import Part
from convotree.domain.prompt import SystemPrompt, Tool
from convotree.domain.revision import Revision
from convotree.domain.siblings import SiblingPage
from convotree.domain.tree import ConversationTree
from convotree.domain.verification import Violation
from convotree.errors import InvalidArgumentError
from convotree.identity import check_id
from convotree.replay.request import Request
from convotree.replay.token_estimate import TokenCounter, checked_counter
from convotree.settings import Settings
from convotree.storage.driver import AnyDatabase, run_to_end
from convotree.storage.storage import Storage
from convotree.store import headers, reading
from convotree.store.appending import append_chain, append_sibling, prepare
from convotree.store.context import StoreContext
from convotree.store.headers import UNCHANGED, HeaderValues, Unchanged
from convotree.store.importing import import_conversation
from convotree.store.parent import SELECTED_LEAF, ParentId
from convotree.store.selecting import select as select_leaf
from convotree.store.verifying import verify as verify_conversation

__all__ = ["ConversationStore"]


class ConversationStore:
    """Branching conversations of one tenant in one database.

    Over a database that the caller owns: pymongo's ``AsyncDatabase`` or motor's ``AsyncIOMotorDatabase``; the store
    does not close it. The constructor does no I/O; ``setup()`` makes indexes once. Safe for use by many tasks and
    processes at once. Every method may raise ``UnavailableError``: repeat the call as it was. Every write may be
    repeated; give it a ``revision_id`` and the repetition stores nothing twice. A write that is cancelled runs to
    its end first: an answer that has been paid for is kept.

    Raises:
        InvalidArgumentError: for another kind of database.
        InvalidIdError: if ``tenant_id`` is no plain string of 1 to 512 bytes without NUL.
    """

    def __init__(
        self, database: AnyDatabase, *, tenant_id: str = "default", settings: Settings | None = None
    ) -> None:
        if settings is not None and not isinstance(settings, Settings):
            raise InvalidArgumentError(argument="settings", reason="a Settings was expected")
        storage = Storage.of(database, Settings() if settings is None else settings)
        self._context = StoreContext(check_id(tenant_id, "tenant_id"), storage)

    @property
    def tenant_id(self) -> str:
        """Whose conversations these are."""
        return self._context.tenant_id

    def __repr__(self) -> str:
        return f"ConversationStore(tenant_id={self.tenant_id!r})"

    async def setup(self) -> None:
        """Make the indexes that are missing and bring an older database forward. Idempotent; about ten round trips.

        Raises:
            SchemaTooNewError: if a newer release has written to the database; nothing was changed.
        """
        await run_to_end(self._context.storage.schema.set_up())

    def for_tenant(self, tenant_id: str) -> ConversationStore:
        """The same store for another tenant; no I/O.

        Raises:
            InvalidIdError: if ``tenant_id`` is no plain, bounded string.
        """
        other = object.__new__(type(self))
        other._context = self._context.for_tenant(tenant_id)
        return other

    # ------------------------------------------------------------ header

    async def create(
        self,
        conversation_id: str | None = None,
        *,
        system: SystemPrompt | Sequence[Part] | None = None,
        tools: Iterable[Tool | Mapping[str, Any]] = (),
        title: str | None = None,
        metadata: Metadata | None = None,
    ) -> Conversation:
        """Create a conversation; without an id it gets a random one.

        ``system``: a text, or parts. ``tools``: in the order they shall be sent. ``metadata``: a JSON object of the
        caller's, up to 1 MiB. Again with the same id and content: the conversation as it is by now. One round trip,
        one more each for a system prompt and for tools.

        Raises:
            ConversationMismatchError: if a conversation of this id was created with other content.
            InvalidRequestError: if the id, title, metadata, system prompt or a tool cannot be stored.
        """
        return await run_to_end(
            headers.create(
                self._context,
                conversation_id,
                system=_system(system),
                tools=tools,
                title=title,
                metadata=metadata,
            )
        )

    async def get(self, conversation_id: str) -> Conversation:
        """The header as it is now. One round trip.

        Raises:
            ConversationNotFoundError: if the tenant has no conversation of this id.
        """
        return await headers.get(self._context, conversation_id)

    async def update(
        self,
        conversation_id: str,
        *,
        system: SystemPrompt | Sequence[Part] | Unchanged | None = UNCHANGED,
        tools: Iterable[Tool | Mapping[str, Any]] | Unchanged = UNCHANGED,
        title: str | Unchanged | None = UNCHANGED,
        metadata: Metadata | Unchanged = UNCHANGED,
        remove_metadata: Sequence[str] = (),
        expected_version: int | None = None,
    ) -> Conversation:
        """Change what is given; the rest stays. Gives the header after the change.

        ``metadata`` sets its top-level keys and leaves others; ``remove_metadata`` names keys to take away: so
        changes of different keys by different writers all stay. ``system=None`` and ``tools=()`` take them away;
        answers keep what they were generated under. Two round trips, three where metadata changes; where a system
        prompt or tools are given one more, and one more for each of them.

        Raises:
            ConversationNotFoundError: if there is no such conversation.
            VersionConflictError: if ``expected_version`` is given, the header is at another one, and what is wanted
                does not stand there already.
        """
        checked = system if isinstance(system, Unchanged) else _system(system)
        values = HeaderValues(checked, tools, title, metadata, remove_metadata)
        return await run_to_end(
            headers.update(self._context, conversation_id, values, expected_version=expected_version)
        )

    async def list(
        self, *, limit: int = 50, after: str | None = None, order: ListOrder = ListOrder.CREATED
    ) -> ConversationPage:
        """One page of the tenant's conversations, up to ``limit`` (at most 1,000). One round trip.

        Newest created first, which is stable while others write; or by ``ListOrder.UPDATED``, where a conversation
        may move while a caller pages. ``after``: the ``next_after`` of the page before.

        Raises:
            InvalidArgumentError: for a limit out of range, or an ``after`` of another order.
        """
        return await headers.list_page(self._context, limit=limit, after=after, order=order)

    # ------------------------------------------------------------ writing revisions

    async def append(
        self,
        conversation_id: str,
        message: Message,
        *,
        parent_id: ParentId = SELECTED_LEAF,
        revision_id: str | None = None,
        select: Select = Select.IF_UNMOVED,
        generation: GenerationRecord | None = None,
        check: Check = Check.STRICT,
    ) -> Revision:
        """Store a message as a child of ``parent_id`` (default: the selected leaf; None: as a root).

        Never loses to another writer: under one parent both become siblings. Three round trips below a leaf (four for
        an answer with tool calls, whose ids must be new on the path), up to six where the parent has children, seven
        where the selected leaf is no leaf. Atomic in effect: at any moment the tree is valid, and the same call with
        the same ``revision_id`` completes it and stores nothing twice.

        Raises:
            ConversationNotFoundError, ParentNotFoundError: nothing was written.
            UnexpectedToolResultError, InvalidMessageError: if ``check`` refuses the message; nothing was written.
            ContentTooLargeError: above 15 MiB; nothing was written.
            RevisionMismatchError: if ``revision_id`` exists with another message, or under another parent than the
                one given.
            SelectionMovedError: under ``Select.REQUIRED``; the revision is stored.
            GoneError: if the conversation is being erased.
        """
        new = prepare([message], [revision_id], [generation])
        stored = await run_to_end(
            append_chain(self._context, conversation_id, new, parent_id=parent_id, select=select, check=check)
        )
        return stored[0]

    async def extend(
        self,
        conversation_id: str,
        messages: Sequence[Message],
        *,
        parent_id: ParentId = SELECTED_LEAF,
        revision_ids: Sequence[str] | None = None,
        select: Select = Select.IF_UNMOVED,
        generations: Sequence[GenerationRecord | None] | None = None,
        check: Check = Check.STRICT,
    ) -> builtins.list[Revision]:
        """Store messages as a chain, the first as a child of ``parent_id``, in one insert.

        Round trips as ``append``, one more for each further 48 MB. Interrupted, a first part of the chain is stored;
        the same call with the same ``revision_ids`` stores the rest. The pointer moves to the last one.

        Raises:
            as ``append``; what is refused is refused before anything is written, except an id that turns out to stand
            for another message (``RevisionMismatchError``): the messages before it are stored by then.
        """
        new = prepare(messages, revision_ids, generations)
        return await run_to_end(
            append_chain(self._context, conversation_id, new, parent_id=parent_id, select=select, check=check)
        )

    async def regenerate(
        self,
        conversation_id: str,
        revision_id: str,
        message: Message,
        *,
        new_revision_id: str | None = None,
        select: Select = Select.IF_UNMOVED,
        generation: GenerationRecord | None = None,
        check: Check = Check.STRICT,
    ) -> Revision:
        """Store another answer beside the assistant revision ``revision_id`` (of a root: another root).

        Up to six round trips. ``replay(conversation_id, before=revision_id)`` is what to send for it.

        Raises:
            RevisionNotFoundError: if there is no such revision.
            InvalidMessageError: if the revision or the message is not of role assistant.
            otherwise as ``append``.
        """
        return await self._sibling(
            Role.ASSISTANT, conversation_id, revision_id, message, new_revision_id, select, generation, check
        )

    async def edit(
        self,
        conversation_id: str,
        revision_id: str,
        message: Message,
        *,
        new_revision_id: str | None = None,
        select: Select = Select.IF_UNMOVED,
        check: Check = Check.STRICT,
    ) -> Revision:
        """Store another version of the user revision ``revision_id`` beside it (of a root: another root).

        Everything below the old one stays. Up to six round trips.

        Raises:
            RevisionNotFoundError: if there is no such revision.
            InvalidMessageError: if the revision or the message is not of role user.
            otherwise as ``append``.
        """
        return await self._sibling(
            Role.USER, conversation_id, revision_id, message, new_revision_id, select, None, check
        )

    async def _sibling(
        self,
        role: Role,
        conversation_id: str,
        revision_id: str,
        message: Message,
        new_revision_id: str | None,
        select: Select,
        generation: GenerationRecord | None,
        check: Check,
    ) -> Revision:
        new = prepare([message], [new_revision_id], [generation])[0]
        return await run_to_end(
            append_sibling(
                self._context, conversation_id, revision_id, new, role=role, select=select, check=check
            )
        )

    async def select(
        self,
        conversation_id: str,
        revision_id: str,
        *,
        descend: bool = True,
        expected_version: int | None = None,
    ) -> Conversation:
        """Move the pointer to a leaf; gives the header after it.

        An inner revision stands for a leaf below it: the selected one if it is below, else the one the user last
        left there, else the one reached by the highest ordinal at each fork. ``descend=False`` points at the
        revision itself. Two round trips; for an inner revision up to five more to find the leaf, and two more where
        no leaf below it is remembered (then the skeleton of the tree is read).
        Succeeds without a write where the pointer stands there already.

        Raises:
            ConversationNotFoundError, RevisionNotFoundError: if there is no such conversation or revision.
            VersionConflictError: if the header is not at ``expected_version``.
        """
        return await run_to_end(
            select_leaf(
                self._context,
                conversation_id,
                revision_id,
                descend=descend,
                expected_version=expected_version,
            )
        )

    # ------------------------------------------------------------ reading

    async def path(
        self,
        conversation_id: str,
        *,
        leaf_id: str | None = None,
        before: str | None = None,
        last: int | None = None,
    ) -> builtins.list[Revision]:
        """The revisions from a root to ``leaf_id`` (default: the selected leaf), root first; empty if there is none.

        ``before``: the path that ends at that revision's parent, whatever is selected. ``last``: only the newest so
        many. There is more above exactly if the first one's ``depth`` is greater than 0; then ``before=first.id``
        with the same ``last`` pages backwards. One round trip, and one more for each further 16 MB; it reads what it
        gives, up to 63 revisions more for each lane passed through, whatever the rest of the tree weighs.

        Raises:
            ConversationNotFoundError, RevisionNotFoundError: if there is no such conversation or revision.
            CorruptTreeError: if what is stored is no complete path.
        """
        return await reading.read_path(
            self._context, conversation_id, leaf_id=leaf_id, before=before, last=last
        )

    def stream_path(
        self,
        conversation_id: str,
        *,
        leaf_id: str | None = None,
        before: str | None = None,
        last: int | None = None,
        compaction: CompactionChoice = CompactionChoice.NONE,
    ) -> AsyncGenerator[Revision, None]:
        """What ``path`` gives, one revision after the other, for a path larger than the memory: held at once are at
        most 16 MB of rows. ``compaction``: begin at the newest summary, as ``replay``
        does.

        An async generator: nothing is read before the first step, and one that is not run to its end is closed with
        ``contextlib.aclosing``. As many round trips as ``path``. A lost connection is not gone on from: begin anew.

        Raises:
            as ``path``; what is wrong with the path may show only after some of it was given.
        """
        return reading.stream_path(
            self._context,
            conversation_id,
            leaf_id=leaf_id,
            before=before,
            last=last,
            compaction=compaction,
        )

    async def siblings(
        self,
        conversation_id: str,
        revision_id: str,
        *,
        limit: int | None = None,
        after_ordinal: int | None = None,
    ) -> SiblingPage:
        """A revision and its siblings by ordinal, with its position and their count ("2 of 3"). One round trip.

        ``limit``: so many at most; ``after_ordinal``: those behind it, for the next page.

        Raises:
            ConversationNotFoundError, RevisionNotFoundError: if there is no such conversation or revision.
        """
        return await reading.read_siblings(
            self._context, conversation_id, revision_id, limit=limit, after_ordinal=after_ordinal
        )

    async def tree(self, conversation_id: str) -> ConversationTree:
        """The skeleton of the whole conversation: every revision's place, no content. Two round trips.

        Raises:
            ConversationNotFoundError: if there is no such conversation.
            CorruptTreeError: if a parent is missing or links form a cycle; ``verify`` names all of them.
        """
        return await reading.read_tree(self._context, conversation_id)

    async def replay(
        self,
        conversation_id: str,
        *,
        leaf_id: str | None = None,
        before: str | None = None,
        last: int | None = None,
        prompt: PromptChoice = PromptChoice.CURRENT,
        compaction: CompactionChoice = CompactionChoice.NEWEST,
        budget: int | None = None,
        count: TokenCounter | None = None,
    ) -> Request:
        """The request a path stands for: system prompt, tools and every message. One round trip, as ``path``; one more
        where a call has no result on the path (a note says where one stands on another), and one where an answer names
        what a provider keeps for one line (``Request.continuations``).

        ``leaf_id``, ``before``, ``last``: as for ``path``; ``before`` an answer is what regenerating it must send.
        ``prompt``: the conversation's current system prompt and tools, with notes that name answers generated under
        others; or those of the newest answer on the path. ``compaction``: where the path holds a summary (a
        ``CompactionPart``), the request starts at the newest one and nothing above it is read; or at the root all the
        same. ``Request.prefix_breaks`` names the answers that were generated from anything else than what stands above
        them in the request.

        ``budget``: at most so many tokens, with system prompt and tools: the newest part of the path that fits,
        beginning with a user's message and never between a call and its result; a note says what is left out. It reads
        upwards in pages of 64, 128, … revisions, one round trip each, until the budget is exceeded. ``count`` gives
        the tokens of a text (default: a quarter of its characters).

        Raises:
            BudgetTooSmallError: if not even the last turn fits; ``needed`` says what would.
            InvalidArgumentError: if ``count`` cannot be called, or gives no whole number of 0 or more.
            otherwise as ``path``.
        """
        return await reading.replay(
            self._context,
            conversation_id,
            leaf_id=leaf_id,
            before=before,
            last=last,
            prompt=prompt,
            compaction=compaction,
            budget=budget,
            count=checked_counter(count),
        )

    async def verify(self, conversation_id: str) -> builtins.list[Violation]:
        """Derive every stored coordinate and digest anew and list what differs; empty: all fits.

        Sound while others write. Reads the whole conversation: one round trip for each 500 revisions or 16 MB, two
        or three more; memory for its coordinates, not its content.

        Raises:
            ConversationNotFoundError: if there is no such conversation.
        """
        return await verify_conversation(self._context, conversation_id)

    # ------------------------------------------------------------ import

    async def import_(self, parsed: ParsedExport | Iterable[ParsedConversation]) -> ImportReport:
        """Store what ``convotree.interchange.load`` read, each conversation with all its branches.

        Safe to repeat, also with a longer export of the same conversations: what is there stays, what is missing is
        stored, the pointer is set only where it never moved. A conversation that cannot be stored is reported as
        ``failed`` and does not keep back the others. One insert for each 1,000 revisions. Cancelled, it stops after the
        conversation it is at; the same import again stores the rest.
        """
        problems = parsed.problems if isinstance(parsed, ParsedExport) else ()
        if not isinstance(parsed, Iterable):
            raise InvalidArgumentError(
                argument="parsed", reason=f"parsed conversations were expected, not {type(parsed).__name__}"
            )
        imported = []
        for one in parsed:
            await anyio.lowlevel.checkpoint_if_cancelled()
            imported.append(await run_to_end(import_conversation(self._context, one)))
        return ImportReport(tuple(imported), problems)


def _system(system: SystemPrompt | Sequence[Part] | None) -> SystemPrompt | None:
    if system is None or isinstance(system, str):
        return system
    if isinstance(system, (bytes, Mapping)) or not isinstance(system, Iterable):
        raise InvalidArgumentError(
            argument="system", reason=f"a text or parts were expected, not {type(system).__name__}"
        )
    return tuple(system)
