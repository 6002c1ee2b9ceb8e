"""Verifying a conversation: stream it, derive everything anew, and read again what looks missing."""

from __future__ import annotations

from convotree.domain.planning import prompt_key, tool_set_key
from convotree.domain.stored import Header, Scope
from convotree.domain.verification import RevisionFacts, Violation, ViolationKind, check_tree
from convotree.errors import ConversationNotFoundError, CorruptTreeError
from convotree.store.context import StoreContext

__all__ = ["verify"]


async def verify(context: StoreContext, conversation_id: str) -> list[Violation]:
    """All violations of a conversation."""
    scope = context.scope(conversation_id)
    # The header first: what it names was inserted before it was read, so the revisions read after it hold it.
    header = await context.storage.conversations.find(scope)
    if header is None:
        raise ConversationNotFoundError(conversation_id=conversation_id)
    facts: list[RevisionFacts] = []
    found: list[Violation] = []
    async for batch in context.storage.revisions.stream_facts(scope):
        for one in batch:
            if isinstance(one, CorruptTreeError):
                found.append(Violation(ViolationKind.UNREADABLE, one.revision_id, one.problem))
            else:
                facts.append(one)
    found += check_tree(header, facts)
    found += await _check_prompts(context, header, facts)
    for named, key, derived in (
        (header.prompt_version, header.prompt_key, prompt_key(scope.tenant_id, header.prompt_version)),
        (header.tool_set, header.tool_set_key, tool_set_key(scope.tenant_id, header.tool_set)),
    ):
        if key != derived:
            found.append(
                Violation(ViolationKind.WRONG_KEY, None, f"the header's key of {named} is not its own")
            )
    found += await _check_counters(context, scope, facts)
    return await _without_new_arrivals(context, header, facts, found)


async def _check_counters(context: StoreContext, scope: Scope, facts: list[RevisionFacts]) -> list[Violation]:
    """Whether the counters of parents with several children can be used. One that lags is put right by itself."""
    # Derived anew: a key that is stored may be damaged, and must not lead to a document of somebody else's.
    several = {
        scope.roots_key if one.parent_id is None else scope.revision_key(one.parent_id): one.parent_id
        for one in facts
        if one.ordinal > 0
    }
    if not several:
        return []
    unusable = await context.storage.counters.unusable(scope, list(several))
    return [
        Violation(ViolationKind.WRONG_COUNTER, several[key], "the counter of its children cannot be read")
        for key in unusable
    ]


async def _check_prompts(
    context: StoreContext, header: Header, facts: list[RevisionFacts]
) -> list[Violation]:
    """Whether every prompt version and tool set that is named is stored, with the content its hash names."""
    named: dict[tuple[str, str], str | None] = {}
    for field, value in (("prompt_version", header.prompt_version), ("tool_set", header.tool_set)):
        if value is not None:
            named[field, value] = None
    for one in facts:
        if one.generation is not None:
            for field in ("prompt_version", "tool_set"):
                value = getattr(one.generation, field)
                if value is not None:
                    named.setdefault((field, value), one.point.id)
    intact = await context.storage.prompts.intact(context.tenant_id, named)
    return [
        Violation(ViolationKind.MISSING_PROMPT, revision_id, f"{field} {value} is missing or changed")
        for (field, value), revision_id in named.items()
        if (field, value) not in intact
    ]


async def _without_new_arrivals(
    context: StoreContext, header: Header, facts: list[RevisionFacts], found: list[Violation]
) -> list[Violation]:
    """Leave out what only looked missing: a parent can be inserted behind the cursor, its child before it."""
    scope = header.scope
    parents = {one.point.id: one.parent_id for one in facts}
    asked: dict[int, str] = {}
    for index, one in enumerate(found):
        if one.kind is ViolationKind.MISSING_PARENT and one.revision_id is not None:
            asked[index] = parents[one.revision_id] or ""
        elif one.kind is ViolationKind.DANGLING_SELECTED_LEAF and header.selected is not None:
            asked[index] = header.selected.id
    if not asked:
        return found
    keys = {scope.revision_key(revision_id) for revision_id in asked.values()}
    there = await context.storage.revisions.existing_keys(scope, keys)
    return [
        one
        for index, one in enumerate(found)
        if index not in asked or scope.revision_key(asked[index]) not in there
    ]
