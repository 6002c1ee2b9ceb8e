"""Values that are no ids, no messages, no anything, in every argument of every public method: an error that says so.

Not a byte is written then. And ids that look like operators or field paths are ids.
"""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import pytest

from convotree import (
    Check,
    ConversationNotFoundError,
    ConversationStore,
    ConvotreeError,
    ExactJson,
    GenerationRecord,
    InvalidArgumentError,
    InvalidIdError,
    InvalidRequestError,
    Message,
    ParentNotFoundError,
    ParsedConversation,
    ParsedRevision,
    RevisionNotFoundError,
    Select,
)
from tests.conftest import Database
from tests.faults.operations import tree_of


class Text(str):
    """A string that is not exactly one."""

    __slots__ = ()


NO_IDS: list[Any] = [
    5,
    -1,
    1.5,
    True,
    b"q1",
    ["q1"],
    ("q1",),
    {"q1"},
    {},
    {"$gt": ""},
    {"$ne": None},
    {"$where": "sleep(1000)"},
    object(),
    Text("q1"),
    Select.ALWAYS,
    float("nan"),
    2**70,
    "",
    "a\x00b",
    "\ud83d",
    "x" * 513,
    "ä" * 257,
    "x" * 10_000_000,
]
ODD_IDS = [
    "$where",
    "$$ROOT",
    "$selected.key",
    "a.b",
    '{"$gt":""}',
    "__proto__",
    "null",
    " ",
    "\u202e",
    "*",
    ".",
]
NOTHING_USEFUL = [5, -1, 1.5, b"x", {"$gt": ""}, ["x"], object(), Select, float("nan"), 2**70]

Call = Callable[[ConversationStore, Any], Awaitable[Any]]
HELLO = Message.user("hello")
ANSWER = Message.assistant("hello")

# Arguments that take the id of a conversation.
CONVERSATIONS: dict[str, Call] = {
    "get": lambda s, v: s.get(v),
    "update": lambda s, v: s.update(v, title="x"),
    "append": lambda s, v: s.append(v, HELLO),
    "extend": lambda s, v: s.extend(v, [HELLO]),
    "regenerate": lambda s, v: s.regenerate(v, "a1", ANSWER),
    "edit": lambda s, v: s.edit(v, "q1", HELLO),
    "select": lambda s, v: s.select(v, "q1"),
    "path": lambda s, v: s.path(v),
    "siblings": lambda s, v: s.siblings(v, "a1"),
    "tree": lambda s, v: s.tree(v),
    "replay": lambda s, v: s.replay(v),
    "verify": lambda s, v: s.verify(v),
    "stream_path": lambda s, v: drained(s.stream_path(v)),
}
# Arguments that take the id of a revision that is there.
REVISIONS: dict[str, Call] = {
    "append.parent_id": lambda s, v: s.append("talk", HELLO, parent_id=v),
    "extend.parent_id": lambda s, v: s.extend("talk", [HELLO], parent_id=v),
    "regenerate": lambda s, v: s.regenerate("talk", v, ANSWER),
    "edit": lambda s, v: s.edit("talk", v, HELLO),
    "select": lambda s, v: s.select("talk", v),
    "path.leaf_id": lambda s, v: s.path("talk", leaf_id=v),
    "path.before": lambda s, v: s.path("talk", before=v),
    "siblings": lambda s, v: s.siblings("talk", v),
    "replay.leaf_id": lambda s, v: s.replay("talk", leaf_id=v),
    "replay.before": lambda s, v: s.replay("talk", before=v),
    "stream_path.leaf_id": lambda s, v: drained(s.stream_path("talk", leaf_id=v)),
    "stream_path.before": lambda s, v: drained(s.stream_path("talk", before=v)),
}
# Arguments that take an id of the caller's for what is made.
NEW_IDS: dict[str, Call] = {
    "create": lambda s, v: s.create(v),
    "append.revision_id": lambda s, v: s.append("talk", HELLO, revision_id=v),
    "extend.revision_ids": lambda s, v: s.extend("talk", [HELLO, HELLO], revision_ids=["fine", v]),
    "regenerate.new_revision_id": lambda s, v: s.regenerate("talk", "a1", ANSWER, new_revision_id=v),
    "edit.new_revision_id": lambda s, v: s.edit("talk", "q1", HELLO, new_revision_id=v),
}
# Everything else: the argument and the values it must refuse.
OTHERS: dict[str, tuple[Call, list[Any]]] = {
    "create.title": (lambda s, v: s.create(title=v), [*NOTHING_USEFUL, "a\x00b", "\ud83d", "x" * 20_000]),
    "create.metadata": (
        lambda s, v: s.create(metadata=v),
        [5, b"{}", "{}", ["x"], {1: 2}, {"x": object()}, {"x": float("nan")}, {"\x00": 1}, ExactJson("[]")],
    ),
    "create.system": (lambda s, v: s.create(system=v), [*NOTHING_USEFUL, [HELLO], {"role": "system"}]),
    "create.tools": (
        lambda s, v: s.create(tools=v),
        [
            *NOTHING_USEFUL,
            None,
            "tools",
            [None],
            [{}],
            [{"name": 5}],
            [{"name": "f", "other": 1}],
            [{"$set": 1}],
        ],
    ),
    "update.title": (lambda s, v: s.update("talk", title=v), [*NOTHING_USEFUL, "a\x00b", "\ud83d"]),
    "update.metadata": (lambda s, v: s.update("talk", metadata=v), [5, "{}", ["x"], {1: 2}, {"\x00": 1}]),
    "update.remove_metadata": (
        lambda s, v: s.update("talk", remove_metadata=v),
        [5, "kept", b"kept", {"kept": 1}, [5], [b"kept"], [None], [["kept"]]],
    ),
    "update.system": (lambda s, v: s.update("talk", system=v), [5, b"x", {"$gt": ""}, ["x"], object()]),
    "update.tools": (lambda s, v: s.update("talk", tools=v), [5, b"x", "x", {"$gt": ""}, ["x"], None]),
    "update.expected_version": (
        lambda s, v: s.update("talk", title="x", expected_version=v),
        ["1", 1.0, True, -1, 0, 2**70, {"$gt": 0}, [1]],
    ),
    "list.limit": (lambda s, v: s.list(limit=v), [None, "1", 1.0, True, -1, 0, 1001, 2**70, {"$gt": 0}]),
    "list.after": (
        lambda s, v: s.list(after=v),
        [5, b"x", "", "x", {"$gt": ""}, ["x"], "c" + "0" * 15 + "x" * 25, "u" + "0" * 15 + "x" * 24],
    ),
    "list.order": (lambda s, v: s.list(order=v), [None, "created", 5, Select.ALWAYS]),
    "append.message": (
        lambda s, v: s.append("talk", v),
        [None, "hello", 5, b"x", {"role": "user", "content": "x"}, [HELLO], object()],
    ),
    "append.select": (lambda s, v: s.append("talk", HELLO, select=v), [None, "always", 5, Check.STRICT]),
    "append.check": (lambda s, v: s.append("talk", HELLO, check=v), [None, "record", 5, Select.ALWAYS]),
    "append.generation": (
        lambda s, v: s.append("talk", ANSWER, generation=v),
        [5, {}, "x", GenerationRecord, GenerationRecord(prompt_version="$where")],
    ),
    "extend.messages": (
        lambda s, v: s.extend("talk", v),
        [None, 5, "hello", b"x", HELLO, {"x": HELLO}, [None], [HELLO, "x"], iter([HELLO])],
    ),
    "extend.revision_ids": (
        lambda s, v: s.extend("talk", [HELLO, HELLO], revision_ids=v),
        [5, "ab", b"ab", {"a": 1, "b": 2}, ["a"], ["a", "a"], ["a", "b", "c"]],
    ),
    "extend.generations": (
        lambda s, v: s.extend("talk", [ANSWER, ANSWER], generations=v),
        [5, "ab", [None], [5, None], [{}, {}]],
    ),
    "regenerate.message": (lambda s, v: s.regenerate("talk", "a1", v), [None, 5, "x", HELLO]),
    "edit.message": (lambda s, v: s.edit("talk", "q1", v), [None, 5, "x", ANSWER]),
    "select.expected_version": (
        lambda s, v: s.select("talk", "b1", expected_version=v),
        ["1", 1.0, True, -1, 2**70, {"$gt": 0}],
    ),
    "path.last": (lambda s, v: s.path("talk", last=v), ["1", 1.0, True, 0, -1, 2**70, {"$gt": 0}, [1]]),
    "replay.last": (lambda s, v: s.replay("talk", last=v), ["1", 0, {"$gt": 0}]),
    "replay.prompt": (lambda s, v: s.replay("talk", prompt=v), [None, "current", 5]),
    "siblings.limit": (lambda s, v: s.siblings("talk", "a1", limit=v), ["1", 0, -1, 2**70, {"$gt": 0}]),
    "siblings.after_ordinal": (
        lambda s, v: s.siblings("talk", "a1", after_ordinal=v),
        ["1", -2, 2**70, {"$gt": 0}],
    ),
    "replay.compaction": (lambda s, v: s.replay("talk", compaction=v), [None, "newest", 5]),
    "replay.budget": (lambda s, v: s.replay("talk", budget=v), ["1", 0, -1, 1.0, True, {"$gt": 0}]),
    "replay.count": (
        lambda s, v: s.replay("talk", budget=9, count=v),
        [5, "x", lambda text: -1, lambda text: "1"],
    ),
    "stream_path.last": (lambda s, v: drained(s.stream_path("talk", last=v)), ["1", 0, -1, {"$gt": 0}]),
    "stream_path.compaction": (
        lambda s, v: drained(s.stream_path("talk", compaction=v)),
        [None, "newest", 5],
    ),
    "extend.select": (lambda s, v: s.extend("talk", [HELLO], select=v), [None, "always", 5]),
    "extend.check": (lambda s, v: s.extend("talk", [HELLO], check=v), [None, "record", 5]),
    "regenerate.select": (lambda s, v: s.regenerate("talk", "a1", ANSWER, select=v), [None, "always", 5]),
    "regenerate.check": (lambda s, v: s.regenerate("talk", "a1", ANSWER, check=v), [None, "record", 5]),
    "regenerate.generation": (lambda s, v: s.regenerate("talk", "a1", ANSWER, generation=v), [5, {}, "x"]),
    "edit.select": (lambda s, v: s.edit("talk", "q1", HELLO, select=v), [None, "always", 5]),
    "edit.check": (lambda s, v: s.edit("talk", "q1", HELLO, check=v), [None, "record", 5]),
    "select.descend": (lambda s, v: s.select("talk", "q1", descend=v), [None, "yes", 1, 0, {"$gt": 0}]),
    "import_": (lambda s, v: s.import_(v), [None, 5, "x", b"x", {"x": 1}, [None], [5]]),
}


async def drained(stream: AsyncIterator[object]) -> list[object]:
    return [one async for one in stream]


NAMED_BY_THE_METHOD = {"conversation_id", "revision_id"}
"""The first ids of a method stand under its bare name."""


def test_every_parameter_of_every_method_is_tried() -> None:
    tried = {*CONVERSATIONS, *REVISIONS, *NEW_IDS, *OTHERS}
    forgotten = []
    for name, method in inspect.getmembers(ConversationStore, inspect.isfunction):
        if name.startswith("_") or name in ("setup", "for_tenant"):
            continue
        for parameter in list(inspect.signature(method).parameters)[1:]:
            bare = parameter in NAMED_BY_THE_METHOD or (name, parameter) == ("import_", "parsed")
            if f"{name}.{parameter}" not in tried and not (bare and name in tried):
                forgotten.append(f"{name}.{parameter}")
    assert forgotten == []


@pytest.fixture
async def talk(store: ConversationStore) -> ConversationStore:
    await store.import_([tree_of("talk")])
    return store


@pytest.mark.parametrize(
    "arguments", [CONVERSATIONS, REVISIONS, NEW_IDS], ids=["conversation", "revision", "new"]
)
async def test_what_is_no_id_is_refused_as_that(
    talk: ConversationStore, database: Database, arguments: Mapping[str, Call]
) -> None:
    before = await everything(database)
    for name, call in arguments.items():
        for value in NO_IDS:
            await refused(name, call, talk, value, InvalidIdError)
    assert await everything(database) == before


async def test_an_id_that_looks_like_something_else_is_an_id_that_is_not_there(
    talk: ConversationStore, database: Database
) -> None:
    before = await everything(database)
    for value in ODD_IDS:
        for name, call in CONVERSATIONS.items():
            await refused(name, call, talk, value, ConversationNotFoundError)
        for name, call in REVISIONS.items():
            expected = ParentNotFoundError if name.endswith("parent_id") else RevisionNotFoundError
            await refused(name, call, talk, value, expected)
    assert await everything(database) == before


async def test_an_id_that_looks_like_something_else_can_be_given(talk: ConversationStore) -> None:
    for value in ODD_IDS:
        conversation = await talk.create(value, metadata={value: 1})
        root = await talk.append(value, HELLO, revision_id=value)
        answer = await talk.append(value, ANSWER, parent_id=value, revision_id=f"{value}{value}")
        again = await talk.append(value, HELLO, revision_id=value, parent_id=None)
        assert (again.id, again.ordinal, again.created_at) == (value, root.ordinal, root.created_at)
        assert (await talk.select(value, value, descend=False)).selected_leaf_id == value
        assert [one.id for one in await talk.path(value, leaf_id=answer.id)] == [value, answer.id]
        assert [one.id for one in await talk.path(value, before=answer.id)] == [value]
        assert (await talk.siblings(value, value)).count == 1
        assert (await talk.get(value)).id == conversation.id == value
        assert (await talk.update(value, remove_metadata=[value])).metadata == {}
        assert await talk.verify(value) == []
        other = talk.for_tenant(value)
        with pytest.raises(ConversationNotFoundError):
            await other.get(value)
    assert await talk.verify("talk") == []


async def test_what_an_argument_cannot_take_is_refused_and_nothing_is_written(
    talk: ConversationStore, database: Database
) -> None:
    before = await everything(database)
    for name, (call, values) in OTHERS.items():
        for value in values:
            await refused(name, call, talk, value, InvalidRequestError)
        assert await everything(database) == before, name


async def test_a_parsed_conversation_that_is_no_tree_is_reported_and_nothing_of_it_is_written(
    talk: ConversationStore, database: Database
) -> None:
    one = ParsedRevision("r", None, HELLO)
    before = await everything(database)
    for parsed in (
        ParsedConversation("", (one,)),
        ParsedConversation("a\x00b", (one,)),
        ParsedConversation("n", (one, one)),
        ParsedConversation("n", (ParsedRevision("", None, HELLO),)),
        ParsedConversation("n", (ParsedRevision("c", "r", HELLO), one)),
        ParsedConversation("n", (ParsedRevision("c", "c", HELLO),)),
        ParsedConversation("n", (one,), selected_leaf_id="other"),
        ParsedConversation("n", (one,), title="\x00"),
        ParsedConversation("n", (one,), metadata=ExactJson('{"\\u0000":1}')),
        ParsedConversation("n", (ParsedRevision("r", None, HELLO, GenerationRecord()),)),
        ParsedConversation("n", (ParsedRevision("r", None, Message.user("x" * 16_000_000)),)),
    ):
        (report,) = await talk.import_([parsed])
        assert report.failed
        assert await everything(database) == before


async def test_a_tenant_must_be_an_id_and_a_database_one(
    store: ConversationStore, database: Database
) -> None:
    for tenant in NO_IDS:
        with pytest.raises(InvalidIdError):
            ConversationStore(database, tenant_id=tenant)
        with pytest.raises(InvalidIdError):
            store.for_tenant(tenant)
    no_databases: list[Any] = [*NOTHING_USEFUL, None, "mongodb://localhost"]
    for other in no_databases:
        with pytest.raises(InvalidArgumentError):
            ConversationStore(other)


async def everything(database: Database) -> dict[str, list[dict[str, Any]]]:
    """All documents of all collections."""
    names = sorted(await database.list_collection_names())
    return {name: await database[name].find({}).sort("_id", 1).to_list(None) for name in names}


async def refused(
    name: str, call: Call, store: ConversationStore, value: object, expected: type[ConvotreeError]
) -> None:
    given = f"{name} of {type(value).__name__} {str(value)[:40]!a}"
    try:
        await call(store, value)
    except expected:
        return
    except Exception as error:
        error.add_note(f"given {given}")
        raise
    pytest.fail(f"taken: {given}")
