"""Headers: create, get, update and list conversations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from convotree.domain.choices import ListOrder
from convotree.domain.conversation import Conversation
from convotree.domain.conversation_page import ConversationPage
from convotree.domain.exact_json import ExactJson
from convotree.domain.header_content import (
    Metadata,
    check_title,
    creation_digest,
    merged_metadata,
    metadata_json,
)
from convotree.domain.planning import prompt_key, tool_set_key
from convotree.domain.prompt import PromptVersion, SystemPrompt, ToolSet
from convotree.domain.stored import Header, Scope
from convotree.errors import (
    ConversationMismatchError,
    ConversationNotFoundError,
    InvalidArgumentError,
    UnavailableError,
    VersionConflictError,
)
from convotree.identity import new_id
from convotree.storage.updates import HeaderChange
from convotree.store.context import StoreContext, check_count, check_enum, now

__all__ = ["UNCHANGED", "HeaderValues", "Unchanged", "create", "get", "list_page", "update"]

# Concurrent changes of metadata are merged by reading and comparing again; each round has one winner.
_ATTEMPTS: Final = 128
_LARGEST_PAGE: Final = 1000
_CURSOR: Final = re.compile(r"([cu])([0-9]{15}[A-Za-z0-9_-]{24})")
_CURSOR_LETTER: Final = {ListOrder.CREATED: "c", ListOrder.UPDATED: "u"}


@final
class Unchanged:
    """The type of ``UNCHANGED``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNCHANGED"


UNCHANGED: Final = Unchanged()
"""What ``update`` takes for a field it shall leave as it is."""


@dataclass(frozen=True, slots=True)
class HeaderValues:
    """New values as a caller gave them; ``UNCHANGED`` where none was given."""

    system: SystemPrompt | Unchanged | None
    tools: Iterable[Any] | Unchanged
    title: str | Unchanged | None
    metadata: Metadata | Unchanged
    remove_metadata: Sequence[str] = ()


async def create(
    context: StoreContext,
    conversation_id: str | None,
    *,
    system: SystemPrompt | None,
    tools: Iterable[Any],
    title: str | None,
    metadata: Metadata | None,
) -> Conversation:
    """Create a conversation, or give the one that was created alike."""
    scope = context.scope(new_id() if conversation_id is None else conversation_id)
    checked_title = check_title(title)
    checked_metadata = metadata_json(metadata)
    prompt, tool_set = await _store_prompts(context, system, tools)
    time = now()
    header = Header(
        scope=scope,
        version=1,
        moves=0,
        epoch=0,
        selected=None,
        memory=(),
        title=checked_title,
        metadata=checked_metadata,
        prompt_version=prompt,
        tool_set=tool_set,
        prompt_key=prompt_key(scope.tenant_id, prompt),
        tool_set_key=tool_set_key(scope.tenant_id, tool_set),
        creation=creation_digest(checked_title, checked_metadata, prompt, tool_set),
        created_at=time,
        updated_at=time,
    )
    if await context.storage.conversations.insert(header):
        return header.to_conversation()
    present = await context.storage.conversations.find(scope)
    if present is None:
        raise UnavailableError(operation="create", reason="the conversation was there and is gone")
    if present.creation != header.creation:
        raise ConversationMismatchError(conversation_id=scope.conversation_id)
    return present.to_conversation()


async def get(context: StoreContext, conversation_id: str) -> Conversation:
    """One conversation's header."""
    return (await _find(context, context.scope(conversation_id))).to_conversation()


async def update(
    context: StoreContext, conversation_id: str, values: HeaderValues, *, expected_version: int | None
) -> Conversation:
    """Change what ``values`` names."""
    scope = context.scope(conversation_id)
    if expected_version is not None:
        check_count(expected_version, "expected_version")
    fields = _plain_fields(values)
    changes, removed = _metadata_changes(values)
    fields |= await _prompt_fields(context, scope, values)
    touches_metadata = changes is not None or bool(removed)
    if not fields and not touches_metadata:
        return (await _find(context, scope)).to_conversation()
    for _ in range(_ATTEMPTS):
        merged = before = None
        if touches_metadata:
            current = await _find(context, scope)
            before = current.metadata.to_bytes()
            merged = merged_metadata(current.metadata, changes or ExactJson("{}"), removed).to_bytes()
        wanted = fields if merged is None else fields | {"metadata": merged}
        change = HeaderChange(tuple(wanted.items()), version=expected_version, metadata=before)
        header = await context.storage.conversations.change(scope, change, now())
        if header is not None:
            return header.to_conversation()
        current = await _find(context, scope)
        if expected_version is not None and current.version != expected_version:
            if _stands(current, wanted):
                return current.to_conversation()
            raise VersionConflictError(
                conversation_id=conversation_id, expected=expected_version, actual=current.version
            )
    raise UnavailableError(operation="update", reason="the metadata is being changed by too many others")


async def list_page(
    context: StoreContext, *, limit: int, after: str | None, order: ListOrder
) -> ConversationPage:
    """One page of the tenant's conversations."""
    check_enum(order, ListOrder, "order")
    if check_count(limit, "limit") > _LARGEST_PAGE:
        raise InvalidArgumentError(
            argument="limit", reason=f"a page holds at most {_LARGEST_PAGE} conversations"
        )
    letter = _CURSOR_LETTER[order]
    position: str | None = None
    if after is not None:
        match = _CURSOR.fullmatch(after) if type(after) is str else None
        if match is None or match[1] != letter:
            raise InvalidArgumentError(argument="after", reason="not a next_after of a listing in this order")
        position = match[2]
    found = await context.storage.conversations.list_page(
        context.tenant_id, order, limit=limit + 1, after=position
    )
    page = found[:limit]
    next_after = letter + page[-1][0] if len(found) > limit else None
    return ConversationPage(tuple(header.to_conversation() for _, header in page), next_after)


# ------------------------------------------------------------ parts of the above


async def _find(context: StoreContext, scope: Scope) -> Header:
    header = await context.storage.conversations.find(scope)
    if header is None:
        raise ConversationNotFoundError(conversation_id=scope.conversation_id)
    return header


async def _store_prompts(
    context: StoreContext, system: SystemPrompt | None, tools: Iterable[Any]
) -> tuple[str | None, str | None]:
    """Store prompt version and tool set before the header that names them; their ids."""
    return await _ensure_prompts(
        context, None if system is None else PromptVersion.of(system), ToolSet.of(tools)
    )


async def _ensure_prompts(
    context: StoreContext, prompt: PromptVersion | None, tool_set: ToolSet
) -> tuple[str | None, str | None]:
    if prompt is not None:
        await context.storage.prompts.ensure_prompt(context.tenant_id, prompt)
    if not tool_set.tools:
        return None if prompt is None else prompt.id, None
    await context.storage.prompts.ensure_tool_set(context.tenant_id, tool_set)
    return None if prompt is None else prompt.id, tool_set.id


def _plain_fields(values: HeaderValues) -> dict[str, Any]:
    return {} if isinstance(values.title, Unchanged) else {"title": check_title(values.title)}


def _metadata_changes(values: HeaderValues) -> tuple[ExactJson | None, tuple[str, ...]]:
    if values.metadata is None:
        raise InvalidArgumentError(
            argument="metadata", reason="a mapping was expected; remove_metadata takes keys away"
        )
    changes = None if isinstance(values.metadata, Unchanged) else metadata_json(values.metadata)
    removed = values.remove_metadata
    if isinstance(removed, (str, bytes)) or not isinstance(removed, Sequence):
        raise InvalidArgumentError(argument="remove_metadata", reason="a sequence of keys was expected")
    for key in removed:
        if not isinstance(key, str):
            raise InvalidArgumentError(
                argument="remove_metadata", reason=f"a key is a string, not {type(key).__name__}"
            )
    return changes, tuple(removed)


async def _prompt_fields(context: StoreContext, scope: Scope, values: HeaderValues) -> dict[str, Any]:
    if isinstance(values.system, Unchanged) and isinstance(values.tools, Unchanged):
        return {}
    system = None if isinstance(values.system, Unchanged) else values.system
    version = None if system is None else PromptVersion.of(system)
    offered = ToolSet.of(() if isinstance(values.tools, Unchanged) else values.tools)
    # A prompt version is stored before the header that names it, but not for a conversation that is not there.
    await _find(context, scope)
    prompt, tool_set = await _ensure_prompts(context, version, offered)
    fields: dict[str, Any] = {}
    if not isinstance(values.system, Unchanged):
        fields |= {"prompt_version": prompt, "prompt_key": prompt_key(scope.tenant_id, prompt)}
    if not isinstance(values.tools, Unchanged):
        fields |= {"tool_set": tool_set, "tool_set_key": tool_set_key(scope.tenant_id, tool_set)}
    return fields


def _stands(header: Header, wanted: dict[str, Any]) -> bool:
    """Whether a change has its effect already: by this call's earlier try, or by another's equal change."""
    actual = {
        "title": header.title,
        "metadata": header.metadata.to_bytes(),
        "prompt_version": header.prompt_version,
        "prompt_key": header.prompt_key,
        "tool_set": header.tool_set,
        "tool_set_key": header.tool_set_key,
    }
    return all(actual[field] == value for field, value in wanted.items())
