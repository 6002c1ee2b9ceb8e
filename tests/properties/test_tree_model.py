"""Random trees, built by random operations: after each step the store and a plain model in memory agree."""

from hypothesis import given
from hypothesis import strategies as st

from convotree import ConversationStore
from tests.properties.example_settings import server_examples
from tests.properties.tree_operations import OPERATIONS, Operation, Play


@server_examples(9)
@given(operations=st.lists(OPERATIONS, min_size=10, max_size=30))
async def test_the_store_agrees_with_the_model_after_every_operation(
    store: ConversationStore, operations: list[Operation]
) -> None:
    conversation = await store.create()
    play = Play(store, conversation.id)
    for operation in operations:
        count = len(play.model.revisions)
        await operation.run(play)
        await assert_same_tree(play)
        if len(play.model.revisions) > count:  # else the tree says that no path can have changed
            await assert_same_paths(play)
    assert await store.verify(conversation.id) == []


async def assert_same_tree(play: Play) -> None:
    """Header, pointer and tree, as the store reads them and as the model has them."""
    store, model, conversation_id = play.store, play.model, play.conversation_id
    conversation = await store.get(conversation_id)
    assert conversation.selected_leaf_id == model.selected
    assert conversation.version == model.version
    assert conversation.title == model.title

    tree = await store.tree(conversation_id)
    assert tree.selected_leaf_id == model.selected
    assert [one.id for one in tree] == model.preorder()
    for one in tree:
        assert one.parent_id == model.revisions[one.id].parent_id
        assert one.depth == len(model.path(one.id)) - 1
        assert one.lane_id == model.lane_of(one.id)
        assert (one.ordinal == 0) == (model.siblings(one.id)[0] == one.id)
        assert one.role is model.revisions[one.id].role

    assert [one.id for one in await store.path(conversation_id)] == model.path(model.selected)


async def assert_same_paths(play: Play) -> None:
    """Every path and every group of siblings."""
    store, model, conversation_id = play.store, play.model, play.conversation_id
    for leaf in model.leaves():
        path = await store.path(conversation_id, leaf_id=leaf)
        assert [one.id for one in path] == model.path(leaf)
        assert [one.message.text for one in path] == [model.revisions[one.id].text for one in path]
        assert [one.selected for one in path] == [one.id == model.selected for one in path]

    for group in model.children.values():
        position = len(group) // 2
        page = await store.siblings(conversation_id, group[position])
        assert [one.id for one in page] == group
        assert (page.position, page.count) == (position + 1, len(group))
