"""The check that the whole suite is held against can fail: each kind of command that reaches too far is found."""

from typing import Any

import pytest

from convotree import ConversationStore, Message
from convotree.identity import derive_key
from tests.command_log import CommandLog
from tests.conftest import Database
from tests.isolation import is_of_the_library, reaches_beyond

KEY = derive_key("revision", "t", "c", "r")
SCOPE = {"tenant_id": "t", "conversation_id": "c"}
MATCH = {"$match": SCOPE}


@pytest.mark.parametrize(
    "command",
    [
        {"find": "convotree_revisions", "filter": {}},
        {"find": "convotree_revisions", "filter": {"tenant_id": "t"}},
        {"find": "convotree_revisions", "filter": {"conversation_id": "c"}},
        {"find": "convotree_revisions", "filter": {"tenant_id": {"$ne": "t"}, "conversation_id": "c"}},
        {"find": "convotree_revisions", "filter": {"revision_id": "r"}},
        {"find": "convotree_revisions", "filter": {"_id": {"$gt": KEY}}},
        {"find": "convotree_revisions", "filter": {"_id": "short"}},
        {"find": "convotree_revisions", "filter": {"parent_key": {"$in": [KEY, None]}}},
        {"find": "convotree_conversations", "filter": {}},
        {"count": "convotree_revisions", "query": {}},
        {"distinct": "convotree_revisions", "key": "role", "query": {}},
        {"update": "convotree_conversations", "updates": [{"q": {"title": "x"}, "u": {}}]},
        {"delete": "convotree_revisions", "deletes": [{"q": SCOPE, "limit": 0}, {"q": {}, "limit": 0}]},
        {"insert": "convotree_revisions", "documents": [{"tenant_id": "t"}]},
        {"insert": "convotree_prompts", "documents": [{"_id": KEY}]},
        {"findAndModify": "convotree_counters", "query": {"next": 1}},
        {"aggregate": "convotree_revisions", "pipeline": []},
        {"aggregate": "convotree_revisions", "pipeline": [{"$sort": {"depth": 1}}]},
        {"aggregate": "convotree_revisions", "pipeline": [MATCH, {"$unionWith": "convotree_revisions"}]},
        {
            "aggregate": "convotree_conversations",
            "pipeline": [
                MATCH,
                {"$lookup": {"from": "r", "localField": "x", "foreignField": "role", "as": "y"}},
            ],
        },
        {
            "aggregate": "convotree_conversations",
            "pipeline": [
                MATCH,
                {"$lookup": {"from": "r", "as": "y", "pipeline": [{"$match": {"depth": 1}}]}},
            ],
        },
        {
            "aggregate": "convotree_conversations",
            "pipeline": [
                MATCH,
                {
                    "$lookup": {
                        "from": "r",
                        "localField": "x",
                        "foreignField": "_id",
                        "as": "y",
                        "pipeline": [{"$graphLookup": {}}],
                    }
                },
            ],
        },
        {"mapReduce": "convotree_revisions"},
        {"drop": "convotree_revisions"},
    ],
    ids=str,
)
def test_what_reaches_too_far_is_found(command: dict[str, Any]) -> None:
    assert reaches_beyond(command) != []


@pytest.mark.parametrize(
    "command",
    [
        {"find": "convotree_revisions", "filter": {**SCOPE, "depth": {"$gt": 1}}},
        {"find": "convotree_revisions", "filter": {"_id": KEY}},
        {"find": "convotree_revisions", "filter": {"segment": f"{KEY}:3"}},
        {"find": "convotree_conversations", "filter": {"tenant_id": "t"}},
        {"insert": "convotree_tool_sets", "documents": [{"tenant_id": "t"}]},
        {"find": "convotree_meta", "filter": {"_id": "schema"}},
        {"getMore": 1, "collection": "convotree_revisions"},
        {
            "aggregate": "convotree_conversations",
            "pipeline": [
                MATCH,
                {"$lookup": {"from": "r", "localField": "x", "foreignField": "_id", "as": "y"}},
                {"$lookup": {"from": "r", "as": "y", "pipeline": [MATCH]}},
            ],
        },
    ],
    ids=str,
)
def test_what_stays_within_is_not(command: dict[str, Any]) -> None:
    assert reaches_beyond(command) == []


async def test_what_the_library_sends_is_recognized(database: Database, commands: CommandLog) -> None:
    store = ConversationStore(database)
    convo = await store.create(system="s")
    await store.append(convo.id, Message.user("q"))
    await store.path(convo.id)
    await store.list()
    sent = [event.command for event in commands.started_events if event.command_name != "endSessions"]
    assert sent
    assert [next(iter(one)) for one in sent if not is_of_the_library(one)] == []
