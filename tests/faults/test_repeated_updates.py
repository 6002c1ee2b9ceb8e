"""An update whose answer was lost is repeated, and another writer came in between: the repetition changes nothing."""

from collections.abc import Awaitable, Callable

import pytest

from convotree import ConversationStore, Message, Select
from tests.conftest import Database
from tests.faults.operations import tree_of
from tests.faults.scripted_driver import LosesAnswerTo, scripted_store

HEADER = "update in conversations"

Act = Callable[[ConversationStore], Awaitable[object]]


async def append(store: ConversationStore, select: Select) -> object:
    return await store.append("talk", Message.user("new"), revision_id="new", select=select)


POINTER_WRITES: dict[str, Act] = {
    "append": lambda store: append(store, Select.IF_UNMOVED),
    "append always": lambda store: append(store, Select.ALWAYS),
    "append required": lambda store: append(store, Select.REQUIRED),
    "regenerate": lambda store: store.regenerate("talk", "a2", Message.assistant("b"), new_revision_id="new"),
    "select": lambda store: store.select("talk", "b1", descend=False),
}


@pytest.mark.parametrize("name", POINTER_WRITES)
@pytest.mark.parametrize("to", ["a2", "q1"])
async def test_the_pointer_stays_where_the_other_put_it(
    store: ConversationStore, database: Database, name: str, to: str
) -> None:
    await store.import_([tree_of("talk")])
    assert (await store.get("talk")).selected_leaf_id == "a2"
    script = LosesAnswerTo(operation=HEADER, meanwhile=lambda: store.select("talk", to, descend=False))
    before = await store.get("talk")
    await POINTER_WRITES[name](scripted_store(database, script))

    after = await store.get("talk")
    assert script.meanwhile is None
    assert (after.selected_leaf_id, after.version) == (to, before.version + 2)
    assert await store.verify("talk") == []


async def test_a_title_stays_as_the_other_set_it(store: ConversationStore, database: Database) -> None:
    before = await store.create("c")
    script = LosesAnswerTo(operation=HEADER, meanwhile=lambda: store.update("c", title="theirs"))
    given = await scripted_store(database, script).update("c", title="ours")

    after = await store.get("c")
    assert (given.title, after.title, after.version) == ("theirs", "theirs", before.version + 2)


async def test_a_change_that_was_repeated_counts_once(store: ConversationStore, database: Database) -> None:
    async def nobody() -> None:
        pass

    before = await store.create("c", metadata={"a": 1})
    for number, values in enumerate(({"title": "t"}, {"metadata": {"b": 2}}, {"system": "s"}), start=1):
        script = LosesAnswerTo(operation=HEADER, meanwhile=nobody)
        after = await scripted_store(database, script).update("c", **values)  # type: ignore[arg-type]  # one of several
        assert script.meanwhile is None
        assert after.version == before.version + number


async def test_the_marks_of_updates_do_not_pile_up(store: ConversationStore, database: Database) -> None:
    await store.create("c")
    for number in range(40):
        await store.update("c", title=str(number))
    document = await database["convotree_conversations"].find_one({})
    assert document is not None
    assert len(document["writes"]) == 16
