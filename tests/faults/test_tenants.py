"""Tenants with the same ids never see, change or hear of each other, whatever is called."""

import pytest

from convotree import (
    ConversationNotFoundError,
    ConversationStore,
    GenerationRecord,
    InvalidMessageError,
    Message,
)
from tests.conftest import Database
from tests.faults.operations import READS, WRITES, snapshot, tree_of

# They need no conversation that is there.
ALONE = {"create", "import", "list"}
MINE = "mine"
THEIRS = "theirs"


async def test_another_tenants_conversation_is_not_found_exactly_like_one_that_never_was(
    store: ConversationStore, database: Database
) -> None:
    await store.for_tenant(THEIRS).import_([tree_of("talk")])
    before = await snapshot(store.for_tenant(THEIRS), "talk")
    for operation in [*WRITES, *READS]:
        if operation.name in ALONE:
            continue
        said = []
        for tenant in (MINE, "a tenant without anything"):
            with pytest.raises(ConversationNotFoundError) as caught:
                await operation.send(store.for_tenant(tenant), "talk")
            said.append(str(caught.value))
        assert said[0] == said[1]
    assert (await store.for_tenant(MINE).list()).conversations == ()
    assert await snapshot(store.for_tenant(THEIRS), "talk") == before
    for name in ("convotree_conversations", "convotree_revisions", "convotree_counters"):
        assert await database[name].count_documents({"tenant_id": MINE}) == 0


async def test_writes_of_one_tenant_change_nothing_of_another_with_the_same_ids(
    store: ConversationStore,
) -> None:
    mine, theirs = store.for_tenant(MINE), store.for_tenant(THEIRS)
    await theirs.import_([tree_of("talk")])
    before = await snapshot(theirs, "talk")
    header = await theirs.get("talk")
    for number, write in enumerate(WRITES):
        conversation_id = f"talk {number}"
        for tenant in (mine, theirs):
            await tenant.import_([tree_of(conversation_id)])
        untouched = await snapshot(theirs, conversation_id)
        await write.send(mine, conversation_id)
        assert await snapshot(theirs, conversation_id) == untouched
        changed = await snapshot(mine, write.target(conversation_id))
        await write.send(theirs, conversation_id)  # the same ids are free here
        assert await snapshot(theirs, write.target(conversation_id)) == changed
        for tenant in (mine, theirs):
            assert await tenant.verify(write.target(conversation_id)) == []
    assert await snapshot(theirs, "talk") == before
    assert await theirs.get("talk") == header


async def test_a_listing_and_its_cursor_stay_with_the_tenant(store: ConversationStore) -> None:
    mine, theirs = store.for_tenant(MINE), store.for_tenant(THEIRS)
    for tenant, names in ((mine, "abc"), (theirs, "bcd")):
        for name in names:
            await tenant.create(name)
    first = await mine.list(limit=1)
    assert [one.id for one in first.conversations] == ["c"]
    rest = await theirs.list(after=first.next_after)
    assert {one.id for one in rest.conversations} <= {"b", "c", "d"}
    assert {one.id for one in (await theirs.list()).conversations} == {"b", "c", "d"}
    assert [one.id for one in (await mine.list(after=first.next_after)).conversations] == ["b", "a"]


async def test_prompts_and_tools_are_no_bridge_between_tenants(store: ConversationStore) -> None:
    mine, theirs = store.for_tenant(MINE), store.for_tenant(THEIRS)
    secret = await theirs.create("talk", system="Their secret.", tools=[{"name": "secret"}])
    await mine.create("talk")
    for record in (
        GenerationRecord(prompt_version=secret.prompt_version),
        GenerationRecord(tool_set=secret.tool_set),
    ):
        with pytest.raises(InvalidMessageError):
            await mine.append("talk", Message.assistant("x"), generation=record)
    assert await mine.path("talk") == []
    # The same prompt of both is stored once for each.
    shared = await mine.create("other", system="Their secret.")
    assert shared.prompt_version == secret.prompt_version
    assert (await mine.replay("other")).system == "Their secret."
