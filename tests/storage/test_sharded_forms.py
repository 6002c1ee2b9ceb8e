"""On a sharded cluster filters and joins take another form, so that one shard is asked. No cluster runs here: these
tests send the very same forms to the suite's server and compare what they give with the plain ones."""

from collections.abc import Mapping
from typing import Any

import pytest

from convotree import ConversationStore, Message, PromptChoice, Settings
from convotree.domain.revision import Revision
from convotree.storage.conversations import ConversationStorage
from convotree.storage.counters import CounterStorage
from convotree.storage.driver import Driver
from convotree.storage.pipelines import PathQuery
from convotree.storage.prompts import PromptStorage
from convotree.storage.revisions import RevisionStorage
from convotree.storage.schema import SchemaStorage
from convotree.storage.storage import Storage
from convotree.store.context import StoreContext
from tests.command_log import CommandLog
from tests.conftest import Database

SCOPE = {"tenant_id", "conversation_id"}


class ShardedDriver(Driver):
    """A driver whose client found itself connected to a sharded cluster."""

    @property
    def is_sharded(self) -> bool:
        return True


def sharded_store(database: Database) -> ConversationStore:
    settings = Settings()
    store = ConversationStore(database, settings=settings)
    driver = ShardedDriver.of(
        database, prefix=settings.collection_prefix, timeout_ms=settings.operation_timeout_ms
    )
    store._context = StoreContext(
        "default",
        Storage(
            ConversationStorage(driver),
            RevisionStorage(driver),
            CounterStorage(driver),
            PromptStorage(driver),
            SchemaStorage(driver),
        ),
    )
    return store


async def build(store: ConversationStore) -> dict[str, Revision]:
    """Three lanes over a length of several segments, and a second root."""
    await store.setup()
    await store.create("c", system="Be brief.", tools=[{"name": "f"}])
    trunk = await store.extend("c", [Message.user(str(number)) for number in range(300)])
    fork = await store.append("c", Message.assistant("fork"), parent_id=trunk[149].id)
    await store.extend("c", [Message.user(str(number)) for number in range(150)], parent_id=fork.id)
    again = await store.regenerate("c", fork.id, Message.assistant("again"))
    root = await store.edit("c", trunk[0].id, Message.user("another root"))
    return {"trunk": trunk[-1], "middle": trunk[200], "fork": fork, "again": again, "root": root}


async def test_reads_give_the_same_in_both_forms(database: Database) -> None:
    store, plain = sharded_store(database), ConversationStore(database)
    named = await build(store)

    for revision in named.values():
        leaf = revision.id
        for last in (None, 1, 50, 129):
            assert await store.path("c", leaf_id=leaf, last=last) == await plain.path(
                "c", leaf_id=leaf, last=last
            )
            assert await store.path("c", before=leaf, last=last) == await plain.path(
                "c", before=leaf, last=last
            )
        for prompt in PromptChoice:
            assert await store.replay("c", leaf_id=leaf, prompt=prompt) == await plain.replay(
                "c", leaf_id=leaf, prompt=prompt
            )
        assert await store.siblings("c", leaf) == await plain.siblings("c", leaf)
        assert (await store.select("c", leaf)).selected_leaf_id is not None
    assert await store.tree("c") == await plain.tree("c")
    assert await store.verify("c") == []


async def test_a_join_by_segment_brings_only_what_is_on_the_path(database: Database) -> None:
    store = sharded_store(database)
    named = await build(store)
    scope = store._context.scope("c")
    storage = store._context.storage.revisions
    pipeline = storage._pipelines.path(scope, PathQuery(scope.revision_key(named["fork"].id)))

    rows = await storage.driver.aggregate("conversations", pipeline)

    assert len(rows) == 1 + named["fork"].depth + 1


@pytest.mark.parametrize("driver", ["pymongo"], indirect=True)
async def test_every_command_and_every_join_names_tenant_and_conversation(
    database: Database, commands: CommandLog
) -> None:
    store = sharded_store(database)
    named = await build(store)
    commands.clear()

    await store.path("c")
    await store.replay("c", before=named["again"].id)
    await store.siblings("c", named["again"].id)
    await store.tree("c")
    await store.select("c", named["fork"].id)
    await store.append("c", Message.user("one more"), parent_id=named["middle"].id, revision_id="r")
    await store.append("c", Message.user("one more"), parent_id=named["middle"].id, revision_id="r")
    await store.regenerate("c", named["fork"].id, Message.assistant("third"))
    await store.update("c", title="t", metadata={"a": 1})
    await store.get("c")
    await store.verify("c")

    unnamed = [
        event.command
        for event in commands.started_events
        for query in queries_of(event.command)
        if not set(query) >= SCOPE
    ]
    assert unnamed == []


def queries_of(command: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Every filter in a command on conversation data, and the first ``$match`` of every join of revisions."""
    target = str(next(iter(command.values())))
    if target.endswith(("prompts", "tool_sets", "meta")):
        return []
    found: list[Mapping[str, Any]] = []
    for field in ("filter", "query"):
        if isinstance(command.get(field), dict):
            found.append(command[field])
    for update in command.get("updates", ()):
        found.append(update["q"])
    for stage in command.get("pipeline", ()):
        if "$match" in stage:
            found.append(stage["$match"])
        elif "$lookup" in stage and stage["$lookup"]["from"].endswith("revisions"):
            found.append(stage["$lookup"]["pipeline"][0]["$match"])
    return found
