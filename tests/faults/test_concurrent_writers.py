"""Many writers at once: nothing that was acknowledged is lost, nothing is there twice, and the tree verifies.

Scenarios B25, B26 and B30, and what design promises of appends and selects.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from itertools import cycle

import pytest

from convotree import (
    Conversation,
    ConversationMismatchError,
    ConversationStore,
    Message,
    ParsedConversation,
    ParsedRevision,
    Select,
    VersionConflictError,
)
from tests.conftest import Connect, Database
from tests.faults.operations import tree_of


@pytest.fixture
async def stores(
    store: ConversationStore, database: Database, connect: Connect
) -> AsyncIterator[list[ConversationStore]]:
    """Four stores over one database, each with a client of its own."""
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(connect()) for _ in range(3)]
        yield [store, *(ConversationStore(client[database.name]) for client in clients)]


async def test_of_64_appends_under_one_parent_each_is_there(stores: Sequence[ConversationStore]) -> None:
    store = stores[0]
    conversation = await store.create()
    parent = await store.append(conversation.id, Message.user("asked once"))
    stored = await asyncio.gather(
        *(
            one.append(conversation.id, Message.assistant(f"answer {number}"), parent_id=parent.id)
            for number, one in zip(range(64), cycle(stores), strict=False)
        )
    )
    assert sorted(one.ordinal for one in stored) == list(range(64))
    page = await store.siblings(conversation.id, stored[0].id)
    assert {one.message.text for one in page} == {f"answer {number}" for number in range(64)}
    assert page.count == 64
    assert await store.verify(conversation.id) == []
    # One of them moved the pointer, and says so.
    selected = [one.id for one in stored if one.selected]
    assert selected == [(await store.get(conversation.id)).selected_leaf_id]


async def test_of_several_first_children_one_goes_on_in_the_lane(stores: Sequence[ConversationStore]) -> None:
    store = stores[0]
    for _ in range(10):
        conversation = await store.create()
        root = await store.append(conversation.id, Message.user("root"))
        stored = await asyncio.gather(
            *(one.append(conversation.id, Message.user("first?"), parent_id=root.id) for one in stores)
        )
        assert sorted(one.ordinal for one in stored) == [0, 1, 2, 3]
        assert [one.lane_id == root.lane_id for one in stored] == [one.ordinal == 0 for one in stored]
        assert await store.verify(conversation.id) == []


async def test_of_several_roots_of_an_empty_conversation_each_starts_a_lane(
    stores: Sequence[ConversationStore],
) -> None:
    conversation = await stores[0].create()
    stored = await asyncio.gather(
        *(one.append(conversation.id, Message.user("first?"), parent_id=None) for one in stores)
    )
    assert sorted(one.ordinal for one in stored) == [0, 1, 2, 3]
    assert sum(one.selected for one in stored) == 1
    assert await stores[0].verify(conversation.id) == []


async def test_two_writers_extend_under_one_leaf_and_both_chains_are_whole(
    stores: Sequence[ConversationStore],
) -> None:
    store = stores[0]
    for _ in range(5):
        conversation = await store.create()
        leaf = await store.append(conversation.id, Message.user("leaf"))
        chains = await asyncio.gather(
            *(
                one.extend(
                    conversation.id, [Message.user(f"{name} {at}") for at in range(20)], parent_id=leaf.id
                )
                for name, one in zip("ab", stores, strict=False)
            )
        )
        for name, chain in zip("ab", chains, strict=True):
            path = await store.path(conversation.id, leaf_id=chain[-1].id)
            assert [one.message.text for one in path] == ["leaf", *(f"{name} {at}" for at in range(20))]
        assert sorted(chain[0].ordinal for chain in chains) == [0, 1]
        assert sum(chain[-1].selected for chain in chains) == 1
        assert await store.verify(conversation.id) == []


async def test_one_revision_id_sent_ten_times_at_once_is_stored_once(
    stores: Sequence[ConversationStore],
) -> None:
    conversation = await stores[0].create()
    stored = await asyncio.gather(
        *(
            one.append(conversation.id, Message.user("once"), revision_id="key")
            for _, one in zip(range(10), cycle(stores), strict=False)
        )
    )
    assert {(one.id, one.parent_id, one.ordinal) for one in stored} == {("key", None, stored[0].ordinal)}
    assert [one.id for one in await stores[0].tree(conversation.id)] == ["key"]
    assert (await stores[0].get(conversation.id)).selected_leaf_id == "key"
    assert await stores[0].verify(conversation.id) == []


async def test_16_concurrent_selects_each_move_the_pointer_once(stores: Sequence[ConversationStore]) -> None:
    store = stores[0]
    conversation = await store.create()
    leaves = [
        await store.append(conversation.id, Message.user("leaf"), parent_id=None, select=Select.NEVER)
        for _ in range(16)
    ]
    before = (await store.get(conversation.id)).version
    answers = await asyncio.gather(
        *(one.select(conversation.id, leaf.id) for leaf, one in zip(leaves, cycle(stores), strict=False))
    )
    after = await store.get(conversation.id)
    assert {one.selected_leaf_id for one in answers} <= {leaf.id for leaf in leaves}
    assert after.version == before + 16
    newest = max(answers, key=lambda one: one.version)
    assert (after.version, after.selected_leaf_id) == (newest.version, newest.selected_leaf_id)
    assert await store.verify(conversation.id) == []


async def test_b25_appends_and_header_changes_from_stale_snapshots_all_stay(
    stores: Sequence[ConversationStore],
) -> None:
    store = stores[0]
    conversation = await store.create(metadata={"old": 1})
    parent = await store.append(conversation.id, Message.user("parent"))
    for one in stores:
        await one.get(conversation.id)  # what a client would have in hand, and never sends back
    appends = [
        one.append(conversation.id, Message.assistant(f"answer {number}"), parent_id=parent.id)
        for number, one in zip(range(30), cycle(stores), strict=False)
    ]
    tags = [
        one.update(conversation.id, metadata={f"tag {number}": number})
        for number, one in zip(range(12), cycle(stores), strict=False)
    ]
    others = [
        stores[1].update(conversation.id, title="renamed"),
        stores[2].update(conversation.id, remove_metadata=["old"]),
        stores[3].update(conversation.id, system="Be brief."),
    ]
    await asyncio.gather(*appends, *tags, *others)

    after = await store.get(conversation.id)
    assert after.title == "renamed"
    assert after.metadata == {f"tag {number}": number for number in range(12)}
    assert (await store.replay(conversation.id)).system == "Be brief."
    children = (await store.tree(conversation.id)).children(parent.id)
    assert [one.ordinal for one in children] == list(range(30))
    assert await store.verify(conversation.id) == []


async def test_b26_an_older_snapshot_is_told_and_appends_survive(stores: Sequence[ConversationStore]) -> None:
    first, second = stores[:2]
    conversation = await first.create()
    root = await first.append(conversation.id, Message.user("root"))
    seen = await second.get(conversation.id)
    mine = await first.append(conversation.id, Message.assistant("mine"))
    for stale in (
        second.select(conversation.id, root.id, descend=False, expected_version=seen.version),
        second.update(conversation.id, title="theirs", expected_version=seen.version),
    ):
        with pytest.raises(VersionConflictError) as caught:
            await stale
        assert caught.value.expected == seen.version
        assert caught.value.actual == seen.version + 1
    after = await first.get(conversation.id)
    assert (after.title, after.selected_leaf_id) == (None, mine.id)

    theirs = await second.append(conversation.id, Message.assistant("theirs"), parent_id=root.id)
    assert not theirs.selected
    page = await first.siblings(conversation.id, theirs.id)
    assert [one.message.text for one in page] == ["mine", "theirs"]


async def test_b30_20_creations_of_one_id_make_one_conversation(stores: Sequence[ConversationStore]) -> None:
    async def get_or_create(store: ConversationStore) -> Conversation:
        return await store.create("external key", title="Chat", system="Be brief.", metadata={"a": 1})

    made = await asyncio.gather(
        *(get_or_create(one) for _, one in zip(range(20), cycle(stores), strict=False))
    )
    assert {one.id for one in made} == {"external key"}
    assert len({one.created_at for one in made}) == 1
    assert len((await stores[0].list()).conversations) == 1
    with pytest.raises(ConversationMismatchError):
        await stores[1].create("external key", title="Another")


async def test_b30_20_migrations_of_one_linear_chat_make_one_chain(
    stores: Sequence[ConversationStore],
) -> None:
    legacy = ParsedConversation(
        id="legacy",
        revisions=tuple(
            ParsedRevision(f"m{at}", f"m{at - 1}" if at else None, Message.user(f"text {at}"))
            for at in range(12)
        ),
        selected_leaf_id="m11",
    )
    reports = await asyncio.gather(
        *(one.import_([legacy]) for _, one in zip(range(20), cycle(stores), strict=False))
    )
    for report in reports:
        (one,) = report
        assert (one.id, one.failed, one.stored + one.present) == ("legacy", None, 12)
    assert sum(one.stored for report in reports for one in report) == 12
    assert [one.id for one in await stores[0].path("legacy")] == [f"m{at}" for at in range(12)]
    tree = await stores[0].tree("legacy")
    assert (len(tree.roots), len(tree)) == (1, 12)
    assert await stores[0].verify("legacy") == []


async def test_imports_of_one_tree_with_forks_at_once_make_one_tree(
    stores: Sequence[ConversationStore],
) -> None:
    await asyncio.gather(
        *(one.import_([tree_of("talk")]) for _, one in zip(range(8), cycle(stores), strict=False))
    )
    tree = await stores[0].tree("talk")
    assert {one.id: one.parent_id for one in tree} == {
        one.id: one.parent_id for one in tree_of("talk").revisions
    }
    assert (await stores[0].get("talk")).selected_leaf_id == "a2"
    assert await stores[0].verify("talk") == []


async def test_setups_at_once_make_the_indexes_once(database: Database, connect: Connect) -> None:
    async with connect() as other:
        stores = [ConversationStore(database), ConversationStore(other[database.name])]
        await asyncio.gather(*(one.setup() for _, one in zip(range(8), cycle(stores), strict=False)))
    assert len(await database["convotree_revisions"].index_information()) == 5
