"""Planning a new revision: its coordinates, digests and checks, from facts that were read.

Pure decisions; the store reads what they need and writes what they give. Nothing here can be changed by a later
write: every fact a plan uses is fixed when its parent is born.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

from convotree.domain.choices import Check
from convotree.domain.encoded import NO_CHAIN, EncodedMessage, chain_digest
from convotree.domain.generation import GenerationRecord
from convotree.domain.lanes import FORKS_PER_PATH, Forks, LaneRange
from convotree.domain.limits import MAX_OPEN_TOOL_CALLS
from convotree.domain.message import Message, Role
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
from convotree.domain.stored import AppendPoint, LaneStart, Scope, StoredRevision
from convotree.errors import (
    CorruptTreeError,
    InvalidMessageError,
    TooManyForksError,
    UnexpectedToolResultError,
)
from convotree.identity import Key, derive_key

__all__ = [
    "Draftsman",
    "check_message",
    "holds_summary",
    "is_summary",
    "open_call",
    "open_calls_after",
    "prefix_digest",
    "prompt_key",
    "tool_set_key",
]

_LONGEST_OPEN_CALL = 64
"""In bytes of UTF-8: above any provider's ids. Open calls are copied from parent to child, so they are kept short."""

_PARTS_OF_ROLE: dict[Role, frozenset[type]] = {
    Role.USER: frozenset(
        {TextPart, ImagePart, DocumentPart, AudioPart, ToolResultPart, CompactionPart, OpaquePart}
    ),
    Role.TOOL: frozenset({ToolResultPart, OpaquePart}),
    Role.DEVELOPER: frozenset({TextPart, CompactionPart, OpaquePart}),
    Role.ASSISTANT: frozenset(
        {
            TextPart,
            ReasoningPart,
            ImagePart,
            AudioPart,
            DocumentPart,
            ToolCallPart,
            HostedCallPart,
            HostedResultPart,
            RefusalPart,
            CompactionPart,
            OpaquePart,
        }
    ),
}


def holds_summary(message: Message) -> bool:
    """Whether replay starts at this message: it holds a summary of what is above it."""
    return any(map(is_summary, message.parts))


def is_summary(part: Part) -> bool:
    """Whether the part stands for what is above it. One that says nothing, as a provider returns it when summarizing
    failed, does not.
    """
    return isinstance(part, CompactionPart) and bool(part.text or part.encrypted)


def prompt_key(tenant_id: str, prompt_version: str | None) -> Key | None:
    """The key of a prompt version within a tenant."""
    return None if prompt_version is None else derive_key("prompt version", tenant_id, prompt_version)


def tool_set_key(tenant_id: str, tool_set: str | None) -> Key | None:
    """The key of a tool set within a tenant."""
    return None if tool_set is None else derive_key("tool set", tenant_id, tool_set)


def check_message(message: Message, check: Check, open_calls: Sequence[str]) -> None:
    """Refuse a message that ``check`` does not let in below ``open_calls``.

    Raises:
        InvalidMessageError: if a part does not fit the role, or a tool call's id repeats an unanswered one.
        UnexpectedToolResultError: if a result answers no unanswered call.
    """
    if check is Check.RECORD:
        return
    fitting = _PARTS_OF_ROLE[message.role]
    waiting = set(open_calls)
    for index, part in enumerate(message.parts):
        place = f"parts[{index}]"
        if type(part) not in fitting:
            raise InvalidMessageError(
                place=place, reason=f"a {type(part).__name__} does not fit role {message.role.value!r}"
            )
        if isinstance(part, ToolResultPart):
            answered = open_call(part.tool_call_id)
            if answered not in waiting:
                raise UnexpectedToolResultError(
                    place=place, tool_call_id=part.tool_call_id, open_tool_call_ids=open_calls
                )
            waiting.remove(answered)
        elif isinstance(part, ToolCallPart):
            if not part.tool_call_id:
                raise InvalidMessageError(place=f"{place}.tool_call_id", reason="an id must not be empty")
            asked = open_call(part.tool_call_id)
            if asked in waiting:
                raise InvalidMessageError(
                    place=f"{place}.tool_call_id",
                    reason=f"{part.tool_call_id!r} is the id of an unanswered call on this path",
                )
            waiting.add(asked)


def open_call(tool_call_id: str) -> str:
    """How an unanswered call is remembered: by its id, or by a hash of one that is long or no well-formed Unicode."""
    try:
        if len(tool_call_id.encode()) <= _LONGEST_OPEN_CALL:
            return tool_call_id
    except UnicodeEncodeError:  # a lone surrogate, which the database cannot hold
        pass
    return "sha256:" + sha256(tool_call_id.encode("utf-8", "surrogatepass")).hexdigest()


def open_calls_after(open_calls: Sequence[str], message: Message) -> tuple[str, ...]:
    """The unanswered calls below ``message``, oldest first."""
    if not message.tool_calls and not message.tool_results:
        return tuple(open_calls)
    waiting = dict.fromkeys(open_calls)
    for part in message.parts:
        if isinstance(part, ToolResultPart):
            waiting.pop(open_call(part.tool_call_id), None)
        elif isinstance(part, ToolCallPart):
            waiting[open_call(part.tool_call_id)] = None
    return tuple(waiting)


def prefix_digest(prompt_version: str | None, tool_set: str | None, parent_chain: bytes) -> bytes:
    """The digest of everything an answer was generated from: system prompt, tools and the path above it."""
    digest = sha256(b"convotree prefix 1")
    for one in (prompt_version, tool_set):
        digest.update(b"-" if one is None else one.encode())
        digest.update(b"\n")
    digest.update(parent_chain)
    return digest.digest()


@dataclass(frozen=True, slots=True)
class Draftsman:
    """Plans revisions of one call: what they all share."""

    scope: Scope
    now: datetime
    moves_seen: int
    epoch: int
    prompt_version: str | None
    tool_set: str | None

    def first_child(
        self,
        parent: AppendPoint | None,
        revision_id: str,
        encoded: EncodedMessage,
        generation: GenerationRecord | None = None,
    ) -> StoredRevision:
        """The plan for ordinal 0: the parent's lane goes on; a root starts its own."""
        if parent is None:
            return self._root(revision_id, 0, encoded, generation)
        return self._plan(
            parent, revision_id, 0, encoded, generation, lane=(parent.lane_key, parent.lane_id), forks=None
        )

    def later_child(
        self,
        parent: AppendPoint | None,
        start: LaneStart | None,
        ordinal: int,
        revision_id: str,
        encoded: EncodedMessage,
        generation: GenerationRecord | None = None,
    ) -> StoredRevision:
        """The plan for a higher ordinal: it starts a lane. ``start``: of the parent's lane; both are None for a root.

        Raises:
            TooManyForksError: if a path cannot hold one more fork.
        """
        if parent is None or start is None:
            return self._root(revision_id, ordinal, encoded, generation)
        left = LaneRange(parent.lane_key, start.depth, parent.depth)
        forks = start.forks.extended(start.key, left)
        if forks is None:
            raise TooManyForksError(conversation_id=self.scope.conversation_id, limit=FORKS_PER_PATH)
        tail = start.forks.tail
        if tail and tail[-1].upto != start.depth - 1:
            raise CorruptTreeError(
                problem=f"the ranges that lead to lane {parent.lane_id!r} do not end above it",
                conversation_id=self.scope.conversation_id,
                revision_id=parent.lane_id,
            )
        lane = (self.scope.revision_key(revision_id), revision_id)
        return self._plan(parent, revision_id, ordinal, encoded, generation, lane=lane, forks=forks)

    def _root(
        self, revision_id: str, ordinal: int, encoded: EncodedMessage, generation: GenerationRecord | None
    ) -> StoredRevision:
        lane = (self.scope.revision_key(revision_id), revision_id)
        return self._plan(None, revision_id, ordinal, encoded, generation, lane=lane, forks=Forks())

    def _plan(
        self,
        parent: AppendPoint | None,
        revision_id: str,
        ordinal: int,
        encoded: EncodedMessage,
        generation: GenerationRecord | None,
        *,
        lane: tuple[Key, str],
        forks: Forks | None,
    ) -> StoredRevision:
        above = NO_CHAIN if parent is None else parent.chain
        record, prefix = self._record(encoded.message, generation, above)
        context: tuple[bool, Key | None, Key | None] = (False, None, None)
        if record is not None:
            tenant = self.scope.tenant_id
            context = (True, prompt_key(tenant, record.prompt_version), tool_set_key(tenant, record.tool_set))
        elif parent is not None:
            context = (parent.answered, parent.prompt_key, parent.tool_set_key)
        depth = 0 if parent is None else parent.depth + 1
        summary_depth = None if parent is None else parent.summary_depth
        if holds_summary(encoded.message):
            summary_depth = depth
        open_calls = open_calls_after(() if parent is None else parent.open_calls, encoded.message)
        more = parent is not None and parent.more_open_calls
        point = AppendPoint(
            key=self.scope.revision_key(revision_id),
            id=revision_id,
            depth=depth,
            lane_key=lane[0],
            lane_id=lane[1],
            chain=chain_digest(above, encoded.element),
            answered=context[0],
            prompt_key=context[1],
            tool_set_key=context[2],
            summary_depth=summary_depth,
            open_calls=open_calls[-MAX_OPEN_TOOL_CALLS:],
            more_open_calls=more or len(open_calls) > MAX_OPEN_TOOL_CALLS,
        )
        return StoredRevision(
            scope=self.scope,
            point=point,
            parent_id=None if parent is None else parent.id,
            parent_key=self.scope.roots_key if parent is None else parent.key,
            ordinal=ordinal,
            encoded=encoded,
            created_at=self.now,
            moves_seen=self.moves_seen,
            epoch=self.epoch,
            forks=forks,
            generation=record,
            prefix=prefix,
        )

    def _record(
        self, message: Message, given: GenerationRecord | None, parent_chain: bytes
    ) -> tuple[GenerationRecord | None, bytes | None]:
        if message.role is not Role.ASSISTANT:
            if given is not None:
                raise InvalidMessageError(
                    place="generation",
                    reason=f"only an assistant message is generated, not {message.role.value!r}",
                )
            return None, None
        record = given or GenerationRecord()
        if record.first_revision is None:
            # Else it was taken from the request that was sent, where None means that there was no such thing.
            record = replace(
                record,
                prompt_version=record.prompt_version or self.prompt_version,
                tool_set=record.tool_set or self.tool_set,
            )
        return record, prefix_digest(record.prompt_version, record.tool_set, parent_chain)
