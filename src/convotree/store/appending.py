"""Writing revisions: append, extend, regenerate, edit.

One shape for all: read what is needed, store the chain, move the pointer. Every step may be the last one: what is
there then is a valid tree, and the same call again completes it.
"""

from __future__ import annotations

from collections.abc import Sequence

from convotree.domain.choices import Check, Select
from convotree.domain.encoded import encode_message
from convotree.domain.generation import GenerationRecord
from convotree.domain.limits import MAX_GENERATION_BYTES
from convotree.domain.message import Message, Role
from convotree.domain.revision import Revision
from convotree.domain.stored import Header, Scope
from convotree.errors import (
    ContentTooLargeError,
    ConversationNotFoundError,
    CorruptTreeError,
    InvalidArgumentError,
    InvalidMessageError,
    ParentNotFoundError,
    RevisionNotFoundError,
)
from convotree.identity import check_id, new_id
from convotree.store.chains import NewMessage, Place, store_chain
from convotree.store.context import StoreContext, check_enum, revision_key
from convotree.store.parent import ParentId, SelectedLeaf
from convotree.store.pointer import settle_pointer

__all__ = ["append_chain", "append_sibling", "check_records", "prepare"]


def prepare(
    messages: Sequence[Message],
    revision_ids: Sequence[str | None] | None,
    generations: Sequence[GenerationRecord | None] | None,
) -> list[NewMessage]:
    """Check and encode what a caller wants stored, before anything is read or written.

    Raises:
        InvalidArgumentError, InvalidIdError: for lists of unequal length, an id that is none, or one given twice.
        InvalidMessageError: if one is no message, or a generation record accompanies what no model made.
        ContentTooLargeError: if a message exceeds 15 MiB, or a generation record 256 KiB.
    """
    if isinstance(messages, (Message, str, bytes)) or not isinstance(messages, Sequence):
        raise InvalidArgumentError(argument="messages", reason="a sequence of messages was expected")
    ids = (
        [None] * len(messages) if revision_ids is None else _list(revision_ids, "revision_ids", len(messages))
    )
    records = (
        [None] * len(messages) if generations is None else _list(generations, "generations", len(messages))
    )
    prepared: list[NewMessage] = []
    for number, (message, revision_id, generation) in enumerate(zip(messages, ids, records, strict=True)):
        if not isinstance(message, Message):
            raise InvalidMessageError(
                place="message" if len(messages) == 1 else f"messages[{number}]",
                reason=f"a Message was expected, not {type(message).__name__}",
            )
        if generation is not None and not isinstance(generation, GenerationRecord):
            raise InvalidMessageError(place="generation", reason="a GenerationRecord was expected")
        if generation is not None and message.role is not Role.ASSISTANT:
            raise InvalidMessageError(
                place="generation",
                reason=f"only an assistant message is generated, not {message.role.value!r}",
            )
        _check_size(generation)
        checked = new_id() if revision_id is None else check_id(revision_id, "revision_id")
        prepared.append(NewMessage(checked, encode_message(message), generation))
    if len({one.revision_id for one in prepared}) != len(prepared):
        raise InvalidArgumentError(argument="revision_ids", reason="an id was given twice")
    return prepared


def _check_size(generation: GenerationRecord | None) -> None:
    size = 0 if generation is None else len(generation.to_text().encode())
    if size > MAX_GENERATION_BYTES:
        raise ContentTooLargeError(subject="the generation record", size=size, limit=MAX_GENERATION_BYTES)


def _list(values: Sequence[object], argument: str, length: int) -> list[object]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence) or len(values) != length:
        raise InvalidArgumentError(
            argument=argument, reason=f"one for each of {length} messages was expected"
        )
    return list(values)


async def append_chain(
    context: StoreContext,
    conversation_id: str,
    new: Sequence[NewMessage],
    *,
    parent_id: ParentId,
    select: Select,
    check: Check,
) -> list[Revision]:
    """Store a chain of messages, the first below ``parent_id``."""
    scope = context.scope(conversation_id)
    check_enum(select, Select, "select")
    check_enum(check, Check, "check")
    place = await _find_place(context, scope, parent_id)
    if not new:
        return []
    await check_records(context, place.header, new)
    stored, fresh = await store_chain(context, place, new, check)
    return await settle_pointer(
        context, stored, header=place.header, select=select, fresh=fresh, expects_parent=True
    )


async def append_sibling(
    context: StoreContext,
    conversation_id: str,
    revision_id: str,
    new: NewMessage,
    *,
    role: Role,
    select: Select,
    check: Check,
) -> Revision:
    """Store a message as a sibling of ``revision_id``; both must be of ``role``."""
    scope = context.scope(conversation_id)
    key = revision_key(scope, revision_id, "revision_id")
    check_enum(select, Select, "select")
    check_enum(check, Check, "check")
    read = await context.storage.revisions.beside(scope, key)
    if read is None:
        raise ConversationNotFoundError(conversation_id=conversation_id)
    target = read.target
    if target is None:
        raise RevisionNotFoundError(conversation_id=conversation_id, revision_id=revision_id)
    given = new.encoded.message.role
    if target.role != role.value or given is not role:
        raise InvalidMessageError(
            place="role",
            reason=(
                f"revision {revision_id!r} is of role {target.role!r} and the message of {given.value!r}; both must "
                f"be {role.value!r} (append under its parent to store anything else)"
            ),
        )
    parent = None if read.parent is None else read.parent.point
    if (target.parent_id is None) != (parent is None):
        raise CorruptTreeError(
            problem="its parent is missing", conversation_id=conversation_id, revision_id=revision_id
        )
    await check_records(context, read.header, [new])
    place = Place(
        read.header,
        parent,
        read.start,
        True,
        has_children=True,
        moves_seen=read.header.moves,
        next_ordinal=read.next_ordinal,
    )
    stored, fresh = await store_chain(context, place, [new], check)
    settled = await settle_pointer(
        context, stored, header=read.header, select=select, fresh=fresh, expects_parent=False
    )
    return settled[0]


async def _find_place(context: StoreContext, scope: Scope, parent_id: ParentId) -> Place:
    if isinstance(parent_id, SelectedLeaf) or parent_id is None:
        header = await context.storage.conversations.find_lean(scope)
        if header is None:
            raise ConversationNotFoundError(conversation_id=scope.conversation_id)
        given = parent_id is None
        parent = None if given else header.selected
        return Place(header, parent, None, given, has_children=False, moves_seen=header.moves)
    key = revision_key(scope, parent_id, "parent_id")
    read = await context.storage.revisions.below(scope, key)
    if read is None:
        raise ConversationNotFoundError(conversation_id=scope.conversation_id)
    if read.target is None:
        raise ParentNotFoundError(conversation_id=scope.conversation_id, parent_id=parent_id)
    return Place(
        read.header,
        read.target.point,
        read.start,
        True,
        has_children=read.next_ordinal > 0,  # a counter is made for a second child
        moves_seen=read.header.moves,
        next_ordinal=read.next_ordinal,
    )


async def check_records(context: StoreContext, header: Header, new: Sequence[NewMessage]) -> None:
    """A prompt version or tool set that the caller names must be stored. Only ids that are not current are read."""
    tenant = header.scope.tenant_id
    prompts: dict[str, bool] = {}
    tool_sets: dict[str, bool] = {}
    for one in new:
        if one.generation is None:
            continue
        version, tool_set = one.generation.prompt_version, one.generation.tool_set
        if version not in (None, header.prompt_version) and version not in prompts:
            prompts[version] = await context.storage.prompts.find_prompt(tenant, version) is not None
        if tool_set not in (None, header.tool_set) and tool_set not in tool_sets:
            tool_sets[tool_set] = await context.storage.prompts.find_tool_set(tenant, tool_set) is not None
    for field, known in (("prompt_version", prompts), ("tool_set", tool_sets)):
        for name, stored in known.items():
            if not stored:
                raise InvalidMessageError(
                    place=f"generation.{field}", reason=f"{name!r} is not stored for this tenant"
                )
