"""How a caller names a parent."""

from typing import Any

import pytest

from convotree import SELECTED_LEAF, ConversationStore, InvalidIdError
from convotree.store.parent import SelectedLeaf
from tests.store.trees import message, plant


def test_the_default_is_one_value_that_shows_its_name() -> None:
    assert isinstance(SELECTED_LEAF, SelectedLeaf)
    assert repr(SELECTED_LEAF) == "SELECTED_LEAF"


async def test_the_selected_leaf_no_parent_and_a_named_one_differ(store: ConversationStore) -> None:
    await plant(store, "q1 a1", "q1 a2", selected="a1")

    default = await store.append("c", message("q2"))
    assert default.parent_id == "a1"
    assert (await store.append("c", message("q3"), parent_id=SELECTED_LEAF)).parent_id == default.id
    assert (await store.append("c", message("q4"), parent_id=None)).parent_id is None
    assert (await store.append("c", message("q5"), parent_id="a2")).parent_id == "a2"


async def test_in_an_empty_conversation_the_default_is_a_root(store: ConversationStore) -> None:
    await store.create("c")

    assert (await store.append("c", message("q1"), parent_id=SELECTED_LEAF)).parent_id is None


async def test_nothing_else_names_one(store: ConversationStore) -> None:
    await plant(store, "q1 a1", selected="a1")

    wrong: list[Any] = ["", 3, False, b"a1", {"$ne": None}, ("a1",), SelectedLeaf]
    for parent_id in wrong:
        for attempt in (
            store.append("c", message("q2"), parent_id=parent_id),
            store.extend("c", [message("q2")], parent_id=parent_id),
        ):
            with pytest.raises(InvalidIdError) as caught:
                await attempt
            assert caught.value.argument == "parent_id"
