"""The store as a whole: what it takes, what it refuses in every method, what it sends and what it leaves behind."""

import inspect
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pymongo
import pytest

from convotree import (
    SELECTED_LEAF,
    ConversationNotFoundError,
    ConversationStore,
    GenerationRecord,
    InvalidArgumentError,
    InvalidIdError,
    ListOrder,
    Message,
    ParsedConversation,
    ParsedRevision,
    PromptChoice,
    RevisionNotFoundError,
    SchemaTooNewError,
    Select,
    Settings,
    Tool,
)
from convotree.domain.limits import SCHEMA_NUMBER
from convotree.storage.collections import COLLECTIONS
from tests.conftest import Database
from tests.store import raw
from tests.store.interloper import Interloper
from tests.store.trees import call, message, plant, plant_comb

# ------------------------------------------------------------ making one


async def test_it_is_made_over_either_driver_without_a_call(database: Database, commands: Interloper) -> None:
    commands.clear()
    store = ConversationStore(database, tenant_id="ann", settings=Settings(collection_prefix="x_"))

    assert store.tenant_id == "ann"
    assert repr(store) == "ConversationStore(tenant_id='ann')"
    assert store.for_tenant("bob").tenant_id == "bob"
    assert store.tenant_id == "ann"
    assert commands.names == []


@pytest.mark.parametrize("bad", [None, "database", 3, object()])
def test_no_other_database_is_taken(bad: Any) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        ConversationStore(bad)
    assert caught.value.argument == "database"


def test_neither_is_a_blocking_one(server_uri: str) -> None:
    with pymongo.MongoClient[dict[str, Any]](server_uri, connect=False) as client:
        blocking: Any = client["x"]
        with pytest.raises(InvalidArgumentError):
            ConversationStore(blocking)


async def test_neither_is_a_client_or_a_collection(database: Database) -> None:
    for bad in (database.client, database["x"]):
        wrong: Any = bad
        with pytest.raises(InvalidArgumentError):
            ConversationStore(wrong)


async def test_settings_are_settings(database: Database) -> None:
    bad: Any = {}
    with pytest.raises(InvalidArgumentError):
        ConversationStore(database, settings=bad)


async def test_the_database_stays_the_callers(database: Database) -> None:
    store = ConversationStore(database)
    await store.setup()
    await store.create("c")

    assert not hasattr(store, "close")
    await database["callers_own"].insert_one({"x": 1})
    assert await database["callers_own"].count_documents({}) == 1


async def test_stores_with_different_prefixes_share_nothing(database: Database) -> None:
    one = ConversationStore(database)
    other = ConversationStore(database, settings=Settings(collection_prefix="other_"))
    for store in (one, other):
        await store.setup()
    await plant(one, "q1 a1 q2", "q1 a2", selected="a2")

    with pytest.raises(ConversationNotFoundError):
        await other.get("c")
    await plant(other, "q1", selected="q1")
    assert [len(await store.path("c")) for store in (one, other)] == [2, 1]
    assert [len(await store.tree("c")) for store in (one, other)] == [4, 1]


# ------------------------------------------------------------ ids


BAD_IDS: list[Any] = [
    "",
    "\x00",
    "a\x00b",
    "x" * 513,
    "é" * 257,
    "\ud800",
    3,
    True,
    b"bytes",
    ["c"],
    {"$ne": None},
    {"$gt": ""},
    type("Text", (str,), {})("c"),
]
Call = Callable[[ConversationStore, Any], Awaitable[object]]
METHODS: dict[str, Call] = {
    "create": lambda store, bad: store.create(bad),
    "get": lambda store, bad: store.get(bad),
    "update": lambda store, bad: store.update(bad, title="x"),
    "append": lambda store, bad: store.append(bad, message("q")),
    "append below": lambda store, bad: store.append("c", message("q"), parent_id=bad),
    "append as": lambda store, bad: store.append("c", message("q"), revision_id=bad),
    "extend": lambda store, bad: store.extend(bad, [message("q")]),
    "extend below": lambda store, bad: store.extend("c", [message("q")], parent_id=bad),
    "extend as": lambda store, bad: store.extend("c", [message("q")], revision_ids=[bad]),
    "regenerate": lambda store, bad: store.regenerate(bad, "a1", message("a")),
    "regenerate what": lambda store, bad: store.regenerate("c", bad, message("a")),
    "regenerate as": lambda store, bad: store.regenerate("c", "a1", message("a"), new_revision_id=bad),
    "edit": lambda store, bad: store.edit(bad, "q1", message("q")),
    "edit what": lambda store, bad: store.edit("c", bad, message("q")),
    "edit as": lambda store, bad: store.edit("c", "q1", message("q"), new_revision_id=bad),
    "select": lambda store, bad: store.select(bad, "a1"),
    "select what": lambda store, bad: store.select("c", bad),
    "path": lambda store, bad: store.path(bad),
    "path to": lambda store, bad: store.path("c", leaf_id=bad),
    "path before": lambda store, bad: store.path("c", before=bad),
    "siblings": lambda store, bad: store.siblings(bad, "a1"),
    "siblings of": lambda store, bad: store.siblings("c", bad),
    "tree": lambda store, bad: store.tree(bad),
    "replay": lambda store, bad: store.replay(bad),
    "replay to": lambda store, bad: store.replay("c", leaf_id=bad),
    "replay before": lambda store, bad: store.replay("c", before=bad),
    "verify": lambda store, bad: store.verify(bad),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("driver", ["pymongo"])
async def test_every_id_is_checked_before_anything_is_sent(
    database: Database, commands: Interloper, method: str
) -> None:
    store = ConversationStore(database)
    commands.clear()
    for bad in BAD_IDS:
        with pytest.raises(InvalidIdError):
            await METHODS[method](store, bad)
    assert commands.names == []


def test_every_method_with_an_id_is_in_that_table() -> None:
    taking = {
        name
        for name, method in inspect.getmembers(ConversationStore, inspect.iscoroutinefunction)
        if not name.startswith("_")
        and {"conversation_id", "revision_id"} & set(inspect.signature(method).parameters)
    }

    assert taking == {name.split()[0] for name in METHODS}


async def test_any_other_string_is_an_id(store: ConversationStore) -> None:
    for good in ("x" * 512, "é" * 256, " ", "$where", "a.b", "🎈", "null", "\x7f\n", "..", "-"):
        tenant = store.for_tenant(good)
        await tenant.create(good)
        await tenant.append(good, message("q1"), revision_id=good)
        await tenant.append(good, message("a1"))
        await tenant.edit(good, good, message("q2"), new_revision_id=good + "2" if len(good) < 200 else "2")
        await tenant.select(good, good, descend=False)

        assert [one.id for one in await tenant.path(good)] == [good]
        assert (await tenant.siblings(good, good)).count == 2
        assert await tenant.verify(good) == []
        assert [one.id for one in await tenant.list()] == [good]


async def test_ids_that_look_alike_are_not_the_same(store: ConversationStore) -> None:
    await store.create("c")
    await store.append("c", message("q1"), revision_id="é")

    for other in ("e\u0301", "É", "é "):  # no normalisation, no case folding, no trimming
        with pytest.raises(RevisionNotFoundError):
            await store.path("c", leaf_id=other)


async def test_a_tenant_is_an_id(database: Database) -> None:
    for bad in BAD_IDS:
        with pytest.raises(InvalidIdError):
            ConversationStore(database, tenant_id=bad)
        with pytest.raises(InvalidIdError):
            ConversationStore(database).for_tenant(bad)


# ------------------------------------------------------------ what is sent


async def use_everything(store: ConversationStore) -> None:
    """Every method, in each way that sends another command."""
    first = await store.create("c", system="First.", tools=[Tool("look")], metadata={"a": 1})
    await store.create("c", system="First.", tools=[Tool("look")], metadata={"a": 1})
    await store.get("c")
    await store.update("c", title="t", system="Second.", tools=[Tool("ask")], metadata={"b": 2})
    await store.append("c", message("q1"), revision_id="q1")
    record = GenerationRecord(prompt_version=first.prompt_version, tool_set=first.tool_set)
    await store.append("c", message("a1"), parent_id="q1", revision_id="a1", generation=record)
    await store.append("c", message("a1"), parent_id="q1", revision_id="a1")
    await store.append("c", message("a2"), parent_id="q1", revision_id="a2", select=Select.ALWAYS)
    await store.append("c", message("q9"), parent_id=None, revision_id="q9", select=Select.NEVER)
    await store.extend("c", [message("q2"), call("x"), Message.tool_result("x")], parent_id="a1")
    await store.regenerate("c", "a1", message("a3"), new_revision_id="a3")
    await store.edit("c", "q1", message("q4"), new_revision_id="q4")
    for revision_id in ("a1", "q1", "q4", "q9", "q1"):
        await store.select("c", revision_id)
    await store.select("c", "q1", descend=False, expected_version=(await store.get("c")).version)
    for window in ({}, {"leaf_id": "a3"}, {"before": "a3"}):
        arguments: dict[str, Any] = window
        await store.path("c", **arguments)
        await store.path("c", last=1, **arguments)
        for prompt in PromptChoice:
            await store.replay("c", prompt=prompt, **arguments)
    await store.siblings("c", "a1")
    await store.siblings("c", "q4", limit=1, after_ordinal=0)
    await store.tree("c")
    assert await store.verify("c") == []
    revisions = (
        ParsedRevision("q1", None, message("q1")),
        ParsedRevision("a1", "q1", message("a1")),
        ParsedRevision("a2", "q1", message("a2")),
    )
    for _ in range(2):
        await store.import_([ParsedConversation("d", revisions, "a2")])
    await store.import_([ParsedConversation("d", (*revisions[:1], *revisions[:0:-1]), "a2")])
    for order in ListOrder:
        page = await store.list(limit=1, order=order)
        await store.list(limit=1, after=page.next_after, order=order)


def queries(command: dict[str, Any], name: str) -> Iterator[tuple[str, dict[str, Any], list[str]]]:
    """Each query in a command: its collection, its filter, the fields it sorts by."""
    collection = str(command[name])
    if name == "find":
        yield collection, command["filter"], list(command.get("sort", {}))
    elif name == "aggregate":
        yield collection, command["pipeline"][0]["$match"], []
    elif name == "update":
        for one in command["updates"]:
            yield collection, one["q"], []
    elif name == "delete":
        for one in command["deletes"]:
            yield collection, one["q"], []


def stages_in(plan: object) -> Iterator[str]:
    """Names of the stages of a query plan."""
    if isinstance(plan, dict):
        if isinstance(plan.get("stage"), str):
            yield plan["stage"]
        for value in plan.values():
            yield from stages_in(value)
    elif isinstance(plan, list):
        for value in plan:
            yield from stages_in(value)


async def test_no_query_scans_a_collection(
    store: ConversationStore, database: Database, commands: Interloper
) -> None:
    commands.clear()
    await use_everything(store)
    sent = [(event.command_name, dict(event.command)) for event in commands.started_events]
    asked = [one for name, command in sent for one in queries(command, name)]
    lookups = [
        stage["$lookup"]
        for name, command in sent
        if name == "aggregate"
        for stage in command["pipeline"]
        if "$lookup" in stage
    ]
    leading: dict[str, set[str]] = {}
    for collection in {one for one, _, _ in asked} | {one["from"] for one in lookups}:
        indexes = await database[collection].index_information()
        leading[collection] = {str(next(iter(index["key"]))[0]) for index in indexes.values()}

    assert {name for name, _ in sent} == {"find", "aggregate", "insert", "update"}
    for collection, query, sort in asked:
        # A key that stands first is served by every engine; the embedded one does not say so beside other fields.
        assert "_id" not in query or next(iter(query)) == "_id"
        served = {"_id": query["_id"]} if "_id" in query else query
        explained = await database.command(
            "explain",
            {"find": collection, "filter": served, "sort": dict.fromkeys(sort, -1)},
            verbosity="queryPlanner",
        )
        stages = set(stages_in(explained["queryPlanner"]["winningPlan"]))
        assert stages, explained
        assert "COLLSCAN" not in stages, (collection, query, stages)
    for lookup in lookups:
        assert lookup["foreignField"] in leading[lookup["from"]], lookup


async def test_a_scan_would_be_seen(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1")
    explained = await database.command(
        "explain", {"find": "convotree_revisions", "filter": {"role": "user"}}, verbosity="queryPlanner"
    )

    assert "COLLSCAN" in set(stages_in(explained["queryPlanner"]["winningPlan"]))


async def test_filters_are_bare_and_name_tenant_and_conversation(
    store: ConversationStore, commands: Interloper
) -> None:
    commands.clear()
    await use_everything(store)
    asked = [
        one for event in commands.started_events for one in queries(dict(event.command), event.command_name)
    ]

    for collection, query, _ in asked:
        by_key = "_id" in query
        by_conversation = {"tenant_id", "conversation_id"} <= set(query)
        listing = collection == "convotree_conversations" and query.get("tenant_id") == "default"
        by_call = "call_keys" in query or "parent_key" in query  # keys that contain both, as _id does
        assert by_key or by_call or by_conversation or listing, query
        for field, value in query.items():  # an explicit $eq disables indexes on some engines
            allowed = {"$ne"} if field == "writes" and by_key else {"$in", "$lt"}
            assert not isinstance(value, dict) or set(value) <= allowed, query
        for field in ("tenant_id", "conversation_id"):
            assert isinstance(query.get(field, ""), str)


async def test_no_value_of_a_caller_is_an_operator(store: ConversationStore, commands: Interloper) -> None:
    name = "$selected.key"
    await store.create(name)
    await store.append(name, message("q1"), revision_id="$$ROOT")
    commands.clear()
    await store.path(name, leaf_id="$$ROOT")
    await store.siblings(name, "$$ROOT")
    await store.append(name, message("a1"), parent_id="$$ROOT")

    for event in commands.started_events:
        assert "$$ROOT" not in str(event.command.get("pipeline", ""))


async def test_writes_wait_for_the_majority_and_the_journal(
    store: ConversationStore, commands: Interloper
) -> None:
    commands.clear()
    await use_everything(store)
    writes = [
        event.command
        for event in commands.started_events
        if event.command_name in ("insert", "update", "delete")
    ]

    assert writes
    for write in writes:
        assert write["writeConcern"] == {"w": "majority", "j": True}
        assert "txnNumber" not in write or "startTransaction" not in write


# ------------------------------------------------------------ what is left behind


async def test_every_document_carries_the_schema_number(store: ConversationStore, database: Database) -> None:
    await use_everything(store)

    names = await database.list_collection_names()
    assert set(names) == {f"convotree_{one.name}" for one in COLLECTIONS}
    for one in COLLECTIONS:
        found = await raw.documents(database, one.name)
        assert found
        assert {document["schema"] for document in found} == {SCHEMA_NUMBER}


async def test_only_times_names_and_numbers_stand_beside_the_bytes(
    store: ConversationStore, database: Database
) -> None:
    await store.create("c", metadata={"$secret": {"a.b": 1}}, title="t")
    await store.append("c", Message.user("hidden words"), revision_id="q1")
    document = await raw.revision(database, "q1")

    def keys(value: object) -> Iterator[str]:
        if isinstance(value, dict):
            yield from value
            for inner in value.values():
                yield from keys(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from keys(inner)

    assert all(key.replace("_", "").isalpha() for key in keys(document))
    assert all(key.replace("_", "").isalpha() for key in keys(await raw.header(database)))
    del document["parts"]
    assert "hidden" not in str(document)


async def test_a_retried_setup_changes_nothing(store: ConversationStore, database: Database) -> None:
    before = await database["convotree_revisions"].index_information()
    await store.setup()
    await ConversationStore(database).setup()

    assert await database["convotree_revisions"].index_information() == before
    assert [one["number"] for one in await raw.documents(database, "meta")] == [SCHEMA_NUMBER]


async def test_setup_refuses_a_newer_database(database: Database) -> None:
    await database["convotree_meta"].insert_one({"_id": "schema", "schema": 1, "number": SCHEMA_NUMBER + 1})

    with pytest.raises(SchemaTooNewError) as caught:
        await ConversationStore(database).setup()
    assert (caught.value.found, caught.value.supported) == (SCHEMA_NUMBER + 1, SCHEMA_NUMBER)
    assert await database.list_collection_names() == ["convotree_meta"]


async def test_round_trips_do_not_grow_with_the_tree(store: ConversationStore, commands: Interloper) -> None:
    async def costs(conversation_id: str, answer_id: str) -> dict[str, int]:
        found: dict[str, int] = {}
        writes: dict[str, Call] = {
            "get": lambda store, name: store.get(name),
            "list": lambda store, name: store.list(),
            "path": lambda store, name: store.path(name),
            "siblings": lambda store, name: store.siblings(name, answer_id),
            "tree": lambda store, name: store.tree(name),
            "replay": lambda store, name: store.replay(name),
            "append": lambda store, name: store.append(name, message("q")),
            "regenerate": lambda store, name: store.regenerate(name, answer_id, message("a")),
            "select": lambda store, name: store.select(name, answer_id, descend=False),
            "update": lambda store, name: store.update(name, title="t"),
        }
        for name, method in writes.items():
            commands.clear()
            await method(store, conversation_id)
            found[name] = len(commands.names)
        return found

    await plant(store, "q1 a1", "q1 a2", selected="a2", conversation_id="small")
    path = await plant_comb(store, 100, conversation_id="large")
    small, large = await costs("small", "a2"), await costs("large", path[-1])

    assert small == large
    assert small == {
        "get": 1,
        "list": 1,
        "path": 1,
        "siblings": 1,
        "tree": 2,
        "replay": 1,
        "append": 3,
        "regenerate": 4,
        "select": 2,
        "update": 2,
    }


def test_the_default_parent_is_the_selected_leaf() -> None:
    for method in (ConversationStore.append, ConversationStore.extend):
        assert inspect.signature(method).parameters["parent_id"].default is SELECTED_LEAF
        assert inspect.signature(method).parameters["select"].default is Select.IF_UNMOVED
