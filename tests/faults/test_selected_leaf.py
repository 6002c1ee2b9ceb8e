"""Fault scenarios B13 and B18: a pointer at nothing, and what regenerating sends."""

import pytest

from convotree import ConversationStore, CorruptTreeError, Message, ViolationKind
from convotree.domain.stored import Scope
from tests.conftest import Database
from tests.faults.operations import tree_of

REVISIONS = "convotree_revisions"


@pytest.mark.parametrize("gone", [["a2"], ["q2", "a2"], ["q1", "a1", "b1", "q2", "c2", "a2"]], ids=len)
async def test_b13_a_pointer_at_a_deleted_revision_is_reported_and_every_load_answers(
    store: ConversationStore, database: Database, gone: list[str]
) -> None:
    await store.import_([tree_of("talk")])
    scope = Scope("default", "talk")
    await database[REVISIONS].delete_many({"_id": {"$in": [scope.revision_key(one) for one in gone]}})

    assert [one.kind for one in await store.verify("talk")] == [ViolationKind.DANGLING_SELECTED_LEAF]
    assert (await store.get("talk")).selected_leaf_id == "a2"
    for read in (store.path, store.replay):
        with pytest.raises(CorruptTreeError) as caught:
            await read("talk")
        assert caught.value.revision_id == "a2"
    tree = await store.tree("talk")
    assert tree.selected_leaf_id == "a2"
    assert [one.id for one in tree] == [
        one for one in ("q1", "a1", "q2", "a2", "c2", "b1") if one not in gone
    ]
    # What is left is readable, and a pointer put there is whole again.
    if len(tree):
        for leaf in tree.leaves:
            assert (await store.path("talk", leaf_id=leaf.id))[-1].id == leaf.id
        survivor = await store.select("talk", "q1")
        assert survivor.selected_leaf_id == tree.newest_leaf_below("q1").id
    else:
        root = await store.append("talk", Message.user("new"), parent_id=None, revision_id="new")
        assert [one.id for one in await store.path("talk", leaf_id=root.id)] == ["new"]
        assert (await store.select("talk", "new")).selected_leaf_id == "new"
    assert await store.verify("talk") == []
    assert len(await store.path("talk")) > 0


async def test_b18_regenerating_sends_what_stands_before_the_answer_and_keeps_what_stands_below_it(
    store: ConversationStore,
) -> None:
    conversation = await store.create()
    u1, a1, u2, a2 = await store.extend(
        conversation.id,
        [Message.user("U1"), Message.assistant("A1"), Message.user("U2"), Message.assistant("A2")],
    )
    request = await store.replay(conversation.id, before=a1.id)
    assert [one.text for one in request.messages] == ["U1"]

    again = await store.regenerate(conversation.id, a1.id, Message.assistant("A1 again"))
    assert again.selected
    page = await store.siblings(conversation.id, again.id)
    assert [one.id for one in page] == [a1.id, again.id]
    assert (page.position, page.count) == (2, 2)
    path = await store.path(conversation.id, leaf_id=a2.id)
    assert [one.id for one in path] == [u1.id, a1.id, u2.id, a2.id]
    assert [one.message.text for one in path] == ["U1", "A1", "U2", "A2"]
    request = await store.replay(conversation.id, before=again.id)
    assert [one.text for one in request.messages] == ["U1"]
    assert await store.verify(conversation.id) == []
