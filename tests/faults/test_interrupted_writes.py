"""A write that stops after any of its steps leaves a valid tree, and the same call again completes it, once."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from uuid import uuid4

import pytest

from convotree import ConversationStore, UnavailableError
from tests.conftest import Database
from tests.faults.operations import WRITES, Operation, assert_valid, snapshot, tree_of
from tests.faults.scripted_driver import (
    EndsAfter,
    EndsBefore,
    LosesAnswer,
    Script,
    scripted_store,
)


@pytest.mark.parametrize(
    ("driver", "ends"), [("pymongo", EndsBefore), ("pymongo", EndsAfter), ("motor", EndsAfter)]
)
async def test_a_write_that_ends_at_any_step_is_completed_by_the_same_call(
    store: ConversationStore, database: Database, ends: type[Script]
) -> None:
    for write in WRITES:
        wanted = await undisturbed(store, write)
        for at in count(1):
            conversation_id = await begin(store)
            script = ends(at)
            with told(write, at):
                try:
                    await write.send(scripted_store(database, script), conversation_id)
                except UnavailableError:
                    assert script.was_reached
                else:
                    assert 1 <= script.count < at
                    break
                await assert_valid(store, write.target(conversation_id))
                await write.send(store, conversation_id)
                assert await snapshot(store, write.target(conversation_id)) == wanted
                assert await store.verify(write.target(conversation_id)) == []


# Above the driver; what each driver makes of a broken connection is in ``test_lost_connections``.
@pytest.mark.parametrize("driver", ["pymongo"])
async def test_an_answer_lost_at_any_step_is_made_good_without_the_caller(
    store: ConversationStore, database: Database
) -> None:
    for write in WRITES:
        wanted = await undisturbed(store, write)
        for at in count(1):
            conversation_id = await begin(store)
            script = LosesAnswer(at)
            with told(write, at):
                await write.send(scripted_store(database, script), conversation_id)
                assert await snapshot(store, write.target(conversation_id)) == wanted
                assert await store.verify(write.target(conversation_id)) == []
            if script.count < at:
                assert script.count >= 1
                break


@pytest.mark.parametrize("ends", [EndsBefore, EndsAfter])
async def test_a_setup_that_ends_at_any_step_is_completed_by_the_next(
    database: Database, ends: type[Script]
) -> None:
    for at in count(1):
        await database.client.drop_database(database.name)
        script = ends(at)
        try:
            await scripted_store(database, script).setup()
        except UnavailableError:
            assert script.was_reached
        else:
            assert 1 <= script.count < at
            break
        store = ConversationStore(database)
        await store.setup()
        indexes = await database["convotree_revisions"].index_information()
        assert len(indexes) == 5
        assert (await store.create()).version == 1


async def begin(store: ConversationStore) -> str:
    """A conversation with the small tree."""
    conversation_id = uuid4().hex
    report = await store.import_([tree_of(conversation_id)])
    assert [one.failed for one in report] == [None]
    return conversation_id


async def undisturbed(store: ConversationStore, write: Operation) -> object:
    """What the write makes of the small tree if nothing happens."""
    conversation_id = await begin(store)
    await write.send(store, conversation_id)
    return await snapshot(store, write.target(conversation_id))


@contextmanager
def told(write: Operation, at: int) -> Iterator[None]:
    """Whatever fails inside says at which write and which of its calls."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"write {write}, call {at}")
        raise
