"""Fault scenarios B01, B03, B05, B06 and B11: links decide, not order of arrival, clocks or the spelling of ids."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from pymongo.errors import OperationFailure

from convotree import ConversationStore, ListOrder, Message, ParentNotFoundError, Select
from convotree.interchange import loads
from tests.conftest import Client, Database
from tests.interchange.forms import chatgpt_conversation, chatgpt_entry, chatgpt_message, librechat_message
from tests.interchange.forms import librechat_conversation as librechat

REVISIONS = "convotree_revisions"


def forty_links() -> dict[str, str | None]:
    """One root, forks of several widths, chains: each message's parent, in the order of insertion."""
    chance = Random(1)
    links: dict[str, str | None] = {"m00": None}
    for number in range(1, 40):
        near = sorted(links)[-8:]
        links[f"m{number:02d}"] = chance.choice(near)
    return links


@pytest.mark.parametrize("order", ["reversed", "shuffled"])
async def test_b01_a_file_in_any_order_with_equal_times_gives_one_tree(
    store: ConversationStore, order: str
) -> None:
    links = forty_links()
    messages = [
        librechat_message(one, parent or "00000000-0000-0000-0000-000000000000", text=one)
        for one, parent in links.items()
    ]
    if order == "reversed":
        messages.reverse()
    else:
        Random(2).shuffle(messages)
    report = await store.import_(loads(json.dumps(librechat(*messages))))
    assert [(one.failed, one.stored) for one in report] == [(None, 40)]
    tree = await store.tree("c1")
    assert {one.id: one.parent_id for one in tree} == links
    assert [one.id for one in tree.roots] == ["m00"]
    for leaf in tree.leaves:
        assert (await store.replay("c1", leaf_id=leaf.id)).revision_ids == _walk(links, leaf.id)
    assert await store.verify("c1") == []


@pytest.mark.parametrize("order", ["reversed", "shuffled"])
async def test_b01_documents_in_any_order_with_equal_times_are_the_same_tree(
    store: ConversationStore, database: Database, order: str
) -> None:
    conversation = await store.create("talk")
    links = forty_links()
    for one, parent in links.items():
        await store.append(conversation.id, Message.user(one), parent_id=parent, revision_id=one)
    before = await store.tree(conversation.id)
    documents: list[dict[str, Any]] = await database[REVISIONS].find({}).to_list(None)
    for document in documents:
        document["created_at"] = datetime(2024, 1, 1, tzinfo=UTC)
    documents.sort(key=lambda one: one["depth"], reverse=True)
    if order == "shuffled":
        Random(3).shuffle(documents)
    await database[REVISIONS].delete_many({})
    await database[REVISIONS].insert_many(documents)

    after = await store.tree(conversation.id)
    assert after == before
    for leaf in after.leaves:
        assert (await store.replay(conversation.id, leaf_id=leaf.id)).revision_ids == _walk(links, leaf.id)
    for above in {one.parent_id for one in after}:
        inserted = [one for one, parent in links.items() if parent == above]
        page = await store.siblings(conversation.id, inserted[0])
        assert [one.id for one in page] == inserted
    assert await store.verify(conversation.id) == []


async def test_b03_a_parent_that_is_not_there_is_refused_and_nothing_is_written(
    store: ConversationStore, database: Database
) -> None:
    conversation = await store.create()
    leaf = await store.append(conversation.id, Message.user("leaf"))
    other = await store.create()
    elsewhere = await store.append(other.id, Message.user("elsewhere"))
    before = (await store.get(conversation.id), await database[REVISIONS].count_documents({}))
    for missing in ("does-not-exist", elsewhere.id):
        with pytest.raises(ParentNotFoundError) as caught:
            await store.append(conversation.id, Message.user("x"), parent_id=missing)
        assert caught.value.parent_id == missing
        with pytest.raises(ParentNotFoundError):
            await store.extend(
                conversation.id, [Message.user("x")] * 2, parent_id=missing, select=Select.ALWAYS
            )
    assert (await store.get(conversation.id), await database[REVISIONS].count_documents({})) == before
    assert before[0].selected_leaf_id == leaf.id


async def test_b03_a_parent_in_an_open_transaction_is_no_parent_until_it_is_committed(
    store: ConversationStore, client: Client, database: Database
) -> None:
    conversation = await store.create()
    await store.append(conversation.id, Message.user("root"), revision_id="root")
    await store.append(conversation.id, Message.user("late"), revision_id="late", select=Select.NEVER)
    document = await database[REVISIONS].find_one_and_delete({"revision_id": "late"})
    assert document is not None

    started = client.start_session()
    session: Any = await started if asyncio.iscoroutine(started) else started
    try:
        transaction = session.start_transaction()
        if asyncio.iscoroutine(transaction):
            await transaction
        await database[REVISIONS].insert_one(document, session=session)
    except OperationFailure as error:  # a standalone MongoDB
        await session.end_session()
        pytest.skip(f"the server has no transactions: {error}")
    with pytest.raises(ParentNotFoundError):
        await store.append(conversation.id, Message.user("child"), parent_id="late", revision_id="child")
    assert [one.id for one in await store.tree(conversation.id)] == ["root"]
    await session.commit_transaction()
    await session.end_session()
    await store.append(conversation.id, Message.user("child"), parent_id="late", revision_id="child")
    assert [one.id for one in await store.tree(conversation.id)] == ["root", "late", "child"]
    assert await store.verify(conversation.id) == []


async def test_b05_a_writer_whose_clock_is_hours_ahead_changes_no_order(
    store: ConversationStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation = await store.create()
    with monkeypatch.context() as skewed:
        skewed.setattr("convotree.store.chains.now", lambda: datetime.now(UTC) + timedelta(hours=5))
        first = await store.extend(conversation.id, [Message.user("U"), Message.assistant("A")])
    second = await store.extend(conversation.id, [Message.user("U2"), Message.assistant("A2")])
    again = await store.regenerate(conversation.id, first[1].id, Message.assistant("A again"))
    assert first[0].created_at > second[1].created_at
    assert [one.id for one in await store.path(conversation.id)] == [first[0].id, again.id]
    await store.select(conversation.id, first[1].id)
    path = await store.path(conversation.id)
    assert [one.message.text for one in path] == ["U", "A", "U2", "A2"]
    page = await store.siblings(conversation.id, first[1].id)
    assert [one.id for one in page] == [first[1].id, again.id]
    assert [one.id for one in (await store.list(order=ListOrder.UPDATED)).conversations] == [conversation.id]
    assert await store.verify(conversation.id) == []


async def test_b06_ids_that_sort_before_their_parents_change_nothing(store: ConversationStore) -> None:
    conversation = await store.create()
    for number in range(9, 0, -1):
        await store.append(conversation.id, Message.user(str(number)), revision_id=f"{number}")
    assert [one.id for one in await store.path(conversation.id)] == list("987654321")
    for name in "cab":
        await store.append(conversation.id, Message.user(name), parent_id="5", revision_id=name)
    assert [one.id for one in await store.siblings(conversation.id, "a")] == ["4", "c", "a", "b"]
    assert (await store.get(conversation.id)).selected_leaf_id == "1"
    await store.select(conversation.id, "b")
    assert [one.id for one in await store.path(conversation.id)] == list("98765b")
    assert (await store.select(conversation.id, "a")).selected_leaf_id == "a"


async def test_b11_a_missing_parent_keeps_both_fragments_and_a_record_of_another_kind_takes_no_id(
    store: ConversationStore,
) -> None:
    ids = [f"m{number:02d}" for number in range(50)]
    entries = []
    for number, one in enumerate(ids):
        parent = "never-was" if number == 30 else ids[number - 1] if number else None
        # Record 10 is a snapshot that carries the id of message 11.
        message = (
            chatgpt_message(ids[11], "system", "snapshot", weight=0.0)
            if number == 10
            else chatgpt_message(one, "user" if number % 2 else "assistant", one)
        )
        children = [] if number in (29, 49) else [ids[number + 1]]
        entries.append(chatgpt_entry(one, parent, children, message))
    report = await store.import_(loads(json.dumps(chatgpt_conversation(*entries, current=ids[49]))))
    (imported,) = report
    assert imported.failed is None
    assert any("m30" in problem.place or "m30" in problem.what for problem in imported.problems)
    tree = await store.tree("c1")
    shown = {revision.id for revision in tree}
    assert set(ids) - {ids[10]} <= shown
    first, second = tree.path_to(ids[29]), tree.path_to(ids[49])
    assert [revision.id for revision in first if revision.id != ids[10]] == [
        one for one in ids[:30] if one != ids[10]
    ]
    assert [revision.id for revision in second] == ids[30:]
    assert (await store.get("c1")).selected_leaf_id == ids[49]
    assert await store.verify("c1") == []


def _walk(links: dict[str, str | None], target: str) -> tuple[str, ...]:
    path: list[str] = []
    at: str | None = target
    while at is not None:
        path.insert(0, at)
        at = links[at]
    return tuple(path)
