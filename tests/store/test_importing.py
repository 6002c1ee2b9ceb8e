"""import_: whole trees, repeated, grown, met by other writers, and failing."""

from typing import Any

import pytest
from pymongo.asynchronous.database import AsyncDatabase

from convotree import (
    ConversationStore,
    CorruptTreeError,
    ExactJson,
    GenerationRecord,
    ImportProblem,
    InvalidArgumentError,
    Message,
    ParsedConversation,
    ParsedExport,
    ParsedRevision,
    Select,
    Tool,
)
from convotree.domain.stored import Scope
from tests.conftest import Database
from tests.store import raw
from tests.store.interloper import Interloper
from tests.store.trees import drawing, ids, message

TREE = [
    ("q1", None),
    ("a1", "q1"),
    ("q2", "a1"),
    ("a2", "q1"),
    ("q3", "a2"),
    ("q4", "a2"),
    ("q5", None),
    ("a5", "q5"),
]
DRAWN = [
    ("q1", None, 0),
    ("a1", "q1", 0),
    ("q2", "a1", 0),
    ("a2", "q1", 1),
    ("q3", "a2", 0),
    ("q4", "a2", 1),
    ("q5", None, 1),
    ("a5", "q5", 0),
]


def parsed(
    links: list[tuple[str, str | None]], selected: str | None = None, name: str = "c", **facts: Any
) -> ParsedConversation:
    revisions = tuple(ParsedRevision(one, parent, message(one)) for one, parent in links)
    return ParsedConversation(name, revisions, selected, **facts)


async def test_all_branches_and_the_selected_leaf_are_kept(store: ConversationStore) -> None:
    facts: dict[str, Any] = {
        "title": "t",
        "system": "Be brief.",
        "tools": (Tool("look"),),
        "metadata": ExactJson('{"source":1.10}'),
    }
    (report,) = await store.import_([parsed(TREE, "q3", **facts)])

    assert (report.id, report.stored, report.present) == ("c", 8, 0)
    assert (report.selected_leaf_id, report.problems, report.failed) == ("q3", (), None)
    assert drawing(await store.tree("c")) == DRAWN
    assert ids(await store.path("c")) == ["q1", "a2", "q3"]
    convo = await store.get("c")
    assert (convo.title, convo.metadata_json.text) == ("t", '{"source":1.10}')
    assert (await store.replay("c")).system == "Be brief."
    assert await store.verify("c") == []


async def test_it_costs_an_insert_for_each_thousand(store: ConversationStore, commands: Interloper) -> None:
    links: list[tuple[str, str | None]] = [("q0", None)]
    links += [(f"a{number}", links[-1][0]) for number in range(1, 60)]
    links += [(f"a{number}-other", links[number][0]) for number in range(59)]
    commands.clear()
    await store.import_([parsed(links, "a59")])

    assert commands.names.count("insert") == 3  # header, counters, revisions
    assert len(commands.names) <= 9
    assert await store.verify("c") == []


async def test_an_import_of_nothing_is_an_empty_conversation(store: ConversationStore) -> None:
    (report,) = await store.import_([parsed([])])

    assert (report.stored, report.selected_leaf_id, report.failed) == (0, None, None)
    assert len(await store.tree("c")) == 0


async def test_the_same_again_stores_nothing(store: ConversationStore, database: Database) -> None:
    await store.import_([parsed(TREE, "q3")])
    before = await raw.documents(database, "revisions")
    header = await raw.header(database)
    (report,) = await store.import_([parsed(TREE, "q3")])

    assert (report.stored, report.present, report.selected_leaf_id) == (0, 8, "q3")
    assert await raw.documents(database, "revisions") == before
    assert await raw.header(database) == header


@pytest.mark.parametrize("stopped", range(len(TREE)))
@pytest.mark.parametrize("driver", ["pymongo"])
async def test_an_import_that_stopped_is_completed(store: ConversationStore, stopped: int) -> None:
    await store.import_([parsed(TREE[:stopped])])
    assert await store.verify("c") == []
    (report,) = await store.import_([parsed(TREE, "q3")])

    assert (report.stored, report.present) == (8 - stopped, stopped)
    assert drawing(await store.tree("c")) == DRAWN
    assert report.selected_leaf_id == "q3"
    assert await store.verify("c") == []


async def test_an_import_that_stops_leaves_every_parent_a_place_for_its_first_child(
    store: ConversationStore, database: Database, commands: Interloper
) -> None:
    async def fail(database: AsyncDatabase[dict[str, Any]]) -> None:
        await database["convotree_revisions"].insert_one({"_id": Scope("default", "c").revision_key("a1")})

    commands.once_before("insert", "revisions", fail)  # what is in the way cannot be read: the import stops
    with pytest.raises(CorruptTreeError):
        await store.import_([parsed(TREE, "q3")])
    await database["convotree_revisions"].delete_one({"revision_id": None})

    added = await store.append("c", message("a9"), parent_id="q1", revision_id="a9", select=Select.NEVER)
    assert added.ordinal == 0
    assert (await store.select("c", "q1")).selected_leaf_id == "a9"
    (report,) = await store.import_([parsed(TREE, "q3")])
    assert (report.stored, report.present) == (7, 1)
    assert await store.verify("c") == []


async def test_a_longer_export_adds_what_is_new(store: ConversationStore) -> None:
    await store.import_([parsed(TREE, "q3")])
    # New siblings before, between and behind those that are there.
    longer = [
        ("q0", None),
        ("q1", None),
        ("a0", "q1"),
        ("a1", "q1"),
        ("q2", "a1"),
        ("a2", "q1"),
        ("q3", "a2"),
        ("a3", "q3"),
        ("q4", "a2"),
        ("q5", None),
        ("a5", "q5"),
        ("a6", "q5"),
    ]
    (report,) = await store.import_([parsed(longer, "a3")])

    assert (report.stored, report.present, report.failed) == (4, 8, None)
    assert report.selected_leaf_id == "q3"  # the user's, not the file's
    assert [one.id for one in (await store.tree("c")).children("q1")] == ["a1", "a2", "a0"]
    assert [one.id for one in (await store.tree("c")).roots] == ["q1", "q5", "q0"]
    assert await store.verify("c") == []
    (again,) = await store.import_([parsed(longer, "a3")])
    assert (again.stored, again.present) == (0, 12)


async def test_what_a_user_did_in_between_stays(store: ConversationStore) -> None:
    await store.import_([parsed(TREE, "q3")])
    await store.regenerate("c", "a1", message("a9"), new_revision_id="a9")
    await store.append("c", message("q9"), revision_id="q9")
    longer = [*TREE, ("a7", "q1"), ("q8", "a7"), ("a8", "q4")]
    (report,) = await store.import_([parsed(longer, "a8")])

    assert (report.stored, report.present) == (3, 8)
    assert report.selected_leaf_id == "q9"
    assert [one.id for one in (await store.tree("c")).children("q1")] == ["a1", "a2", "a9", "a7"]
    assert ids(await store.path("c", leaf_id="q8")) == ["q1", "a7", "q8"]
    assert await store.verify("c") == []


async def test_another_writer_in_the_middle_is_no_conflict(
    store: ConversationStore, commands: Interloper
) -> None:
    async def write(database: AsyncDatabase[dict[str, Any]]) -> None:
        # Takes the first root's place, and a place below a revision of the import.
        other = ConversationStore(database)
        await other.append("c", message("q9"), parent_id=None, revision_id="q9", select=Select.NEVER)
        await other.append("c", message("q1"), parent_id=None, revision_id="q1", select=Select.NEVER)
        await other.append("c", message("a9"), parent_id="q1", revision_id="a9", select=Select.NEVER)

    commands.once_before("insert", "revisions", write)
    (report,) = await store.import_([parsed(TREE, "q3")])

    assert (report.stored, report.present, report.failed) == (7, 1, None)
    assert len(await store.tree("c")) == 10
    assert ids(await store.path("c")) == ["q1", "a2", "q3"]
    assert await store.verify("c") == []


async def test_the_pointer_is_set_only_if_it_never_moved(store: ConversationStore) -> None:
    await store.import_([parsed(TREE)])
    assert (await store.get("c")).selected_leaf_id is None
    (report,) = await store.import_([parsed(TREE, "q2")])
    assert report.selected_leaf_id == "q2"
    (report,) = await store.import_([parsed(TREE, "q3")])
    assert report.selected_leaf_id == "q2"


async def test_an_inner_revision_may_be_the_selected_one(store: ConversationStore) -> None:
    (report,) = await store.import_([parsed(TREE, "a2")])

    assert report.selected_leaf_id == "a2"
    assert ids(await store.path("c")) == ["q1", "a2"]


async def test_messages_are_stored_as_they_are(store: ConversationStore) -> None:
    odd = Message.tool_result("never called", "x")
    record = GenerationRecord(model="m", deployment=ExactJson('{"r":1.0}'))
    revisions = (
        ParsedRevision("r1", None, odd),
        ParsedRevision("a1", "r1", message("a1"), record),
        ParsedRevision("r2", "a1", odd),
        ParsedRevision("r3", "a1", odd),
    )
    (report,) = await store.import_([ParsedConversation("c", revisions, "r3")])

    assert report.failed is None
    path = await store.path("c")
    assert [one.message for one in path] == [odd, message("a1"), odd]
    assert path[1].generation == record
    assert await store.verify("c") == []


# ------------------------------------------------------------ failures


async def test_one_that_fails_does_not_keep_back_the_others(store: ConversationStore) -> None:
    good, other = parsed(TREE, "q3", "good"), parsed(TREE, "q2", "other")
    bad = parsed([("q1", None), ("q2", "nowhere")], name="bad")
    odd = ImportProblem("conversations[3]", "left out")
    report = await store.import_(ParsedExport("test", (good, bad, other), (odd,)))

    assert [one.id for one in report] == ["good", "bad", "other"]
    assert [one.failed is None for one in report] == [True, False, True]
    assert report.problems == (odd,)
    assert report.conversations[1].failed is not None
    assert "'nowhere'" in report.conversations[1].failed


@pytest.mark.parametrize(
    "broken",
    [
        parsed([("q2", "q1"), ("q1", None)]),  # a parent behind its child
        parsed([("q1", "q1")]),
        parsed([("q1", None), ("q1", None)]),
        parsed([("q1", None)], "q2"),
        parsed([("q" * 513, None)]),
        parsed([("q\x00", None)]),
        parsed([("q1", None)], name=""),
        parsed([("q1", None)], name="\ud800"),
        parsed([("q1", None)], title="\x00"),
        ParsedConversation("c", (ParsedRevision("q1", None, message("q1"), GenerationRecord()),)),
        ParsedConversation("c", (ParsedRevision("q1", None, Message.user("x" * 16_000_000)),)),
    ],
    ids=str,
)
async def test_what_cannot_be_stored_is_reported_before_anything_is_written(
    store: ConversationStore, database: Database, broken: ParsedConversation
) -> None:
    (report,) = await store.import_([broken])

    assert report.failed
    assert (report.stored, report.present, report.selected_leaf_id) == (0, 0, None)
    assert await raw.count(database, "revisions") == 0


@pytest.mark.parametrize(
    "record",
    [GenerationRecord(prompt_version="sha256:0"), GenerationRecord(tool_set="sha256:0")],
    ids=["prompt", "tools"],
)
async def test_a_prompt_that_is_not_stored_is_reported(
    store: ConversationStore, database: Database, record: GenerationRecord
) -> None:
    revisions = (ParsedRevision("q1", None, message("q1")), ParsedRevision("a1", "q1", message("a1"), record))
    (report,) = await store.import_([ParsedConversation("c", revisions)])

    assert report.failed is not None
    assert "sha256:0" in report.failed
    assert await raw.count(database, "revisions") == 0


async def test_another_header_is_reported_and_left(store: ConversationStore) -> None:
    await store.create("c", title="mine")
    (report,) = await store.import_([parsed(TREE, "q3", title="theirs")])

    assert [one.place for one in report.problems] == ["c"]
    assert (report.stored, report.failed) == (8, None)
    assert (await store.get("c")).title == "mine"


async def test_problems_of_the_file_stay_in_the_report(store: ConversationStore) -> None:
    odd = ImportProblem("mapping.x", "repaired")
    (report,) = await store.import_([parsed(TREE, "q3", problems=(odd,))])

    assert report.problems == (odd,)


@pytest.mark.parametrize(
    ("stored", "difference"), [(("a1", "q1", "other"), "message"), (("a1", None, "a1"), "parent")]
)
async def test_a_revision_that_says_something_else_is_reported(
    store: ConversationStore, stored: tuple[str, str | None, str], difference: str
) -> None:
    await store.create("c")
    await store.append("c", message("q1"), revision_id="q1")
    name, parent_id, text = stored
    await store.append("c", Message.assistant(text), parent_id=parent_id, revision_id=name)
    (report,) = await store.import_([parsed(TREE, "q3")])

    assert report.failed is not None
    assert f"another {difference}" in report.failed
    assert (report.stored, report.present) == (0, 1)
    assert await store.verify("c") == []


@pytest.mark.parametrize("bad", [3, None, ["text"], [None], parsed(TREE)])
async def test_only_parsed_conversations_are_imported(store: ConversationStore, bad: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        await store.import_(bad)


@pytest.mark.parametrize("withdrawn", [8, 1010])
@pytest.mark.parametrize("driver", ["pymongo"])
async def test_an_import_into_a_conversation_that_goes_is_withdrawn(
    store: ConversationStore, database: Database, commands: Interloper, withdrawn: int
) -> None:
    links = TREE if withdrawn == 8 else [("q0", None), *((f"a{n}", "q0") for n in range(1, withdrawn))]

    async def begin_erasure(database: AsyncDatabase[dict[str, Any]]) -> None:
        await database["convotree_conversations"].update_one({}, {"$inc": {"epoch": 1}})

    commands.once_before("insert", "revisions", begin_erasure)
    gone, other = await store.import_(
        [parsed(links, "q1" if withdrawn == 8 else "q0"), parsed(TREE, "q3", "other")]
    )
    assert (gone.stored, gone.selected_leaf_id) == (0, None)
    assert gone.failed is not None
    assert "removed on purpose" in gone.failed
    assert other.failed is None
    assert await raw.count(database, "revisions") == len(TREE)


async def test_what_finds_its_own_place_is_withdrawn_too(
    store: ConversationStore, database: Database, commands: Interloper
) -> None:
    async def take_a_place(database: AsyncDatabase[dict[str, Any]]) -> None:
        await ConversationStore(database).append("c", message("a9"), parent_id="q1", select=Select.NEVER)

    async def begin_erasure(database: AsyncDatabase[dict[str, Any]]) -> None:
        await database["convotree_conversations"].update_one({}, {"$inc": {"epoch": 1}})

    await store.import_([parsed(TREE[:1])])
    commands.once_before("insert", "revisions", take_a_place)
    commands.once_before("insert", "revisions", begin_erasure, saying="'revision_id': 'q4', 'depth'")
    (report,) = await store.import_([parsed(TREE, "q3")])

    assert report.failed is not None
    assert (report.stored, report.present) == (0, 1)
    assert await raw.count(database, "revisions") == 2
