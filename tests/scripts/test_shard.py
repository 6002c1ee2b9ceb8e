"""scripts/shard: the commands it prints, and what it says to a server that is no cluster."""

import json

import pytest

from convotree import ConversationStore, Message
from convotree.storage.collections import COLLECTIONS
from scripts import shard
from tests.conftest import Database


def test_every_collection_of_conversations_is_sharded_by_tenant_and_conversation() -> None:
    sent = [command for database, command in shard.sharding_commands("db", "p_") if database == "admin"]
    assert sent[0] == {"enableSharding": "db"}
    assert {one["shardCollection"] for one in sent[1:]} == {
        f"db.p_{kept.name}" for kept in COLLECTIONS if kept.name not in shard.NOT_SHARDED
    }
    assert all(list(one["key"].items()) == [("tenant_id", 1), ("conversation_id", 1)] for one in sent[1:])


async def test_what_is_sharded_has_the_key(database: Database) -> None:
    store = ConversationStore(database)
    await store.setup()
    convo = await store.create(system="s")
    root = await store.append(convo.id, Message.user("q"))
    for _ in range(2):
        await store.append(convo.id, Message.assistant("a"), parent_id=root.id)
    for kept in COLLECTIONS:
        if kept.name not in shard.NOT_SHARDED:
            found = await database[f"convotree_{kept.name}"].find({}).to_list(None)
            assert found
            assert all(one["tenant_id"] == "default" and one["conversation_id"] == convo.id for one in found)


def test_they_are_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert shard.main(["--database", "mine"]) == 0
    lines = [line.partition(": ") for line in capsys.readouterr().out.splitlines()]
    assert json.loads(lines[0][2]) == {"enableSharding": "mine"}
    assert {database for database, _, _ in lines} == {"admin", "mine"}


def test_a_server_that_is_no_cluster_is_told_so(server_uri: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert shard.main(["--uri", server_uri]) == 2
    assert "no mongos" in capsys.readouterr().err
