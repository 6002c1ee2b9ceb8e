"""path, siblings, tree, replay: what comes back, from anywhere in a tree, in one command."""

import contextlib
from typing import Any

import pytest

from convotree import (
    CompactionChoice,
    CompactionPart,
    ConversationNotFoundError,
    ConversationStore,
    CorruptTreeError,
    GenerationRecord,
    InvalidArgumentError,
    Message,
    ParsedConversation,
    ParsedRevision,
    PromptChoice,
    Revision,
    RevisionNotFoundError,
    Select,
    TextPart,
    Tool,
)
from convotree.domain.lanes import SEGMENT_LENGTH
from convotree.domain.stored import Scope
from convotree.storage.collections import CONVERSATIONS
from convotree.storage.driver import Driver
from convotree.storage.pipelines import PathQuery, Pipelines
from tests.conftest import Database
from tests.store import raw
from tests.store.interloper import Interloper
from tests.store.trees import drawing, ids, message, plant, plant_comb

LONG = 1000
FORKED_AT = (3, 63, 64, 65, 127, 128, 129, 300, 301, 640)


async def plant_long(store: ConversationStore) -> list[str]:
    """A path of 1,000 that leaves its lane at some depths, at edges of segments too; gives its ids."""
    path = [f"{'qa'[number % 2]}{number}" for number in range(LONG)]
    revisions = []
    for number, one in enumerate(path):
        parent = path[number - 1] if number else None
        if number in FORKED_AT:
            side = f"{one[0]}{number}-side"
            revisions.append(ParsedRevision(side, parent, message(side)))
        revisions.append(ParsedRevision(one, parent, message(one)))
    await store.import_([ParsedConversation("c", tuple(revisions), path[-1])])
    return path


async def parent_walk(database: Database, leaf_id: str) -> list[str]:
    """The path by links alone."""
    links = {one["revision_id"]: one["parent_id"] for one in await raw.documents(database, "revisions")}
    path: list[str] = []
    at: str | None = leaf_id
    while at is not None:
        path.append(at)
        at = links[at]
    return path[::-1]


# ------------------------------------------------------------ path


async def test_a_path_leads_from_the_root_to_the_leaf(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1 q2 a2", "q1 a3 q4 a4", "a3 q5", "q6 a6", selected="a4")

    assert ids(await store.path("c")) == ["q1", "a3", "q4", "a4"]
    for leaf in ("a2", "q5", "a6", "q1", "a1", "q6"):
        assert ids(await store.path("c", leaf_id=leaf)) == await parent_walk(database, leaf)


async def test_it_is_in_order_and_each_says_where_it_stands(store: ConversationStore) -> None:
    await plant(store, "q1 a1 q2", "q1 a3 q4", selected="q4")
    path = await store.path("c")

    assert [one.depth for one in path] == [0, 1, 2]
    assert [one.parent_id for one in path] == [None, "q1", "a3"]
    assert [one.selected for one in path] == [False, False, True]
    assert [one.selected for one in await store.path("c", leaf_id="q2")] == [False] * 3
    assert [one.message for one in path] == [message("q1"), message("a3"), message("q4")]


async def test_before_ends_at_the_parent(store: ConversationStore) -> None:
    await plant(store, "q1 a1 q2", "q1 a3 q4", "q5", selected="q2")

    assert ids(await store.path("c", before="q4")) == ["q1", "a3"]
    assert ids(await store.path("c", before="a3")) == ["q1"]
    assert await store.path("c", before="q1") == []
    assert await store.path("c", before="q5", last=3) == []


async def test_an_empty_conversation_has_an_empty_path(store: ConversationStore) -> None:
    await store.create("c")

    assert await store.path("c") == []
    assert await store.path("c", last=5) == []


async def test_last_is_the_newest_of_it(store: ConversationStore) -> None:
    await plant(store, "q1 a1 q2", "q1 a3 q4 a4", selected="a4")

    assert ids(await store.path("c", last=1)) == ["a4"]
    assert ids(await store.path("c", last=3)) == ["a3", "q4", "a4"]
    assert ids(await store.path("c", last=4)) == ids(await store.path("c", last=99))
    assert ids(await store.path("c", leaf_id="q2", last=2)) == ["a1", "q2"]
    assert ids(await store.path("c", before="q4", last=1)) == ["a3"]


async def test_pages_backwards_make_the_path(store: ConversationStore, database: Database) -> None:
    path = await plant_long(store)
    assert ids(await store.path("c")) == path == await parent_walk(database, path[-1])

    for last in (7 * 19, SEGMENT_LENGTH, 333):
        page = await store.path("c", last=last)
        pages = [page]
        while page[0].depth > 0:
            page = await store.path("c", before=page[0].id, last=last)
            pages.append(page)
        assert [one for page in reversed(pages) for one in ids(page)] == path
        assert [len(page) for page in pages[:-1]] == [last] * (len(pages) - 1)


@pytest.mark.parametrize("driver", ["pymongo"])
async def test_a_window_reads_no_more_than_it_needs(store: ConversationStore, database: Database) -> None:
    path = await plant_long(store)
    driver = Driver.of(database, prefix="convotree_", timeout_ms=30_000)
    pipelines, scope = Pipelines("convotree_", sharded=False), Scope("default", "c")
    for depth in (0, 1, 2, 3, 62, 63, 64, 65, 127, 128, 129, 255, 256, 299, 300, 301, 640, LONG - 1):
        query = PathQuery(scope.revision_key(path[depth]), last=50)
        rows = await driver.aggregate(CONVERSATIONS, pipelines.path(scope, query))
        lanes = sum(max(0, depth - 49) <= forked <= depth for forked in FORKED_AT) + 1

        # One row for the header; a segment's worth too many at the end of each lane, and one before the window.
        assert len(rows) <= 1 + 50 + (SEGMENT_LENGTH - 1) * (lanes + 1)
        assert ids(await store.path("c", leaf_id=path[depth], last=50)) == path[: depth + 1][-50:]


async def test_a_window_at_the_end_reads_one_segment_more_at_most(
    store: ConversationStore, database: Database
) -> None:
    path = await plant_long(store)
    driver = Driver.of(database, prefix="convotree_", timeout_ms=30_000)
    pipelines = Pipelines("convotree_", sharded=False)
    for last in (1, 10, 50, 128):
        rows = await driver.aggregate(
            CONVERSATIONS, pipelines.path(Scope("default", "c"), PathQuery(last=last))
        )
        assert last + 1 <= len(rows) <= 1 + last + SEGMENT_LENGTH - 1
        assert ids(await store.path("c", last=last)) == path[-last:]


async def test_every_read_is_one_command_wherever_it_happens(
    store: ConversationStore, commands: Interloper
) -> None:
    path = await plant_comb(store, 70)
    await store.append("c", message("q-root"), parent_id=None, revision_id="q-root")
    for target in (path[0], path[1], path[35], path[-1], "a35-other", "q-root"):
        commands.clear()
        await store.path("c", leaf_id=target)
        await store.path("c", leaf_id=target, last=10)
        await store.path("c", before=target)
        await store.path("c", before=target, last=10)
        for prompt in PromptChoice:
            await store.replay("c", leaf_id=target, prompt=prompt)
            await store.replay("c", before=target, prompt=prompt)
            await store.replay("c", before=target, last=10, prompt=prompt)
        await store.siblings("c", target)
        await store.siblings("c", target, limit=1, after_ordinal=0)
        assert commands.names == ["aggregate"] * 12

    commands.clear()
    await store.path("c")
    await store.path("c", last=3)
    await store.replay("c")
    assert commands.names == ["aggregate"] * 3
    commands.clear()
    await store.tree("c")
    assert len(commands.names) <= 2


async def test_a_window_has_a_size(store: ConversationStore) -> None:
    await plant(store, "q1", selected="q1")

    sizes: list[Any] = [0, -1, True, "3", 2**31, {"$gt": 0}]
    for last in sizes:
        for attempt in (store.path("c", last=last), store.replay("c", last=last)):
            with pytest.raises(InvalidArgumentError) as caught:
                await attempt
            assert caught.value.argument == "last"


async def test_a_leaf_and_before_are_two_questions(store: ConversationStore) -> None:
    await plant(store, "q1 a1", selected="a1")

    for attempt in (store.path("c", leaf_id="a1", before="a1"), store.replay("c", leaf_id="a1", before="a1")):
        with pytest.raises(InvalidArgumentError):
            await attempt


async def test_what_is_not_there_is_named(store: ConversationStore) -> None:
    await plant(store, "q1 a1", selected="a1")
    await plant(store, "q2", conversation_id="other")
    await plant(store.for_tenant("someone"), "q3", conversation_id="theirs")

    for attempt in (
        store.path("nowhere"),
        store.path("theirs"),
        store.replay("nowhere"),
        store.tree("theirs"),
        store.siblings("nowhere", "q1"),
        store.siblings("theirs", "q3"),
    ):
        with pytest.raises(ConversationNotFoundError):
            await attempt
    for lost in (
        store.path("c", leaf_id="q2"),
        store.path("c", before="q3"),
        store.replay("c", leaf_id="nowhere"),
        store.replay("c", before="nowhere", last=1),
        store.siblings("c", "q2"),
    ):
        with pytest.raises(RevisionNotFoundError) as caught:
            await lost
        assert caught.value.conversation_id == "c"


async def test_a_path_of_many_megabytes_comes_whole(store: ConversationStore, commands: Interloper) -> None:
    await store.create("c")
    texts = [letter * (6 * 1024 * 1024) for letter in "abcd"]
    made = await store.extend("c", [Message.user(text) for text in texts])
    commands.clear()
    path = await store.path("c")

    assert path == made
    assert commands.names[0] == "aggregate"
    assert 1 <= commands.names.count("getMore") <= 3  # one for each further 16 MB
    assert commands.names[1:] == ["getMore"] * (len(commands.names) - 1)


# ------------------------------------------------------------ siblings


async def test_siblings_come_in_order_with_position_and_count(store: ConversationStore) -> None:
    await plant(store, "q1 a1 q2", "q1 a2", "q1 a3", "q4", selected="a2")

    page = await store.siblings("c", "a2")
    assert (ids(page.revisions), page.position, page.count) == (["a1", "a2", "a3"], 2, 3)
    assert page.next_after_ordinal is None
    assert [one.selected for one in page] == [False, True, False]
    assert [one.message.text for one in page] == ["a1", "a2", "a3"]
    only = await store.siblings("c", "q2")
    assert (ids(only.revisions), only.position, only.count) == (["q2"], 1, 1)
    roots = await store.siblings("c", "q4")
    assert (ids(roots.revisions), roots.position, roots.count) == (["q1", "q4"], 2, 2)


async def test_pages_of_siblings_make_all_of_them(store: ConversationStore) -> None:
    await plant(store, "q1", *(f"q1 a{number}" for number in range(7)))

    for limit in (1, 2, 3, 7, 8):
        seen: list[str] = []
        after: int | None = None
        while True:
            page = await store.siblings("c", "a3", limit=limit, after_ordinal=after)
            assert (page.position, page.count) == (4, 7)
            assert len(page) <= limit
            seen += ids(page.revisions)
            after = page.next_after_ordinal
            if after is None:
                break
        assert seen == [f"a{number}" for number in range(7)]
    behind = await store.siblings("c", "a3", after_ordinal=6)
    assert (behind.revisions, behind.position, behind.count, behind.next_after_ordinal) == ((), 4, 7, None)
    assert len(await store.siblings("c", "a3", after_ordinal=-1)) == 7


async def test_position_is_a_rank_and_no_ordinal(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a0", "q1 a1")
    await database["convotree_counters"].update_one({}, {"$inc": {"next": 40}})
    await store.append("c", message("a2"), parent_id="q1", revision_id="a2")

    page = await store.siblings("c", "a2", limit=2)
    assert [one.ordinal for one in page] == [0, 1]
    assert (page.position, page.count, page.next_after_ordinal) == (3, 3, 1)
    page = await store.siblings("c", "a2", limit=2, after_ordinal=1)
    assert [one.ordinal for one in page] == [42]
    assert page.next_after_ordinal is None


async def test_pages_of_siblings_have_sizes(store: ConversationStore) -> None:
    await plant(store, "q1")

    sizes: list[dict[str, Any]] = [
        {"limit": 0},
        {"limit": True},
        {"after_ordinal": -2},
        {"after_ordinal": {"$gt": 0}},
    ]
    for size in sizes:
        with pytest.raises(InvalidArgumentError) as caught:
            await store.siblings("c", "q1", **size)
        assert caught.value.argument == next(iter(size))


# ------------------------------------------------------------ tree


async def test_the_tree_is_the_skeleton(store: ConversationStore, commands: Interloper) -> None:
    await plant(store, "q1 a1 q2", "q1 a3", "q4", selected="a3")
    commands.clear()
    tree = await store.tree("c")

    assert commands.names == ["find", "find"]
    assert drawing(tree) == [
        ("q1", None, 0),
        ("a1", "q1", 0),
        ("q2", "a1", 0),
        ("a3", "q1", 1),
        ("q4", None, 1),
    ]
    assert (tree.conversation_id, tree.selected_leaf_id) == ("c", "a3")
    assert [one.role.value for one in tree] == ["user", "assistant", "user", "assistant", "user"]
    assert [one.lane_id for one in tree] == ["q1", "q1", "q1", "a3", "q4"]
    asked = commands.started_events[-1].command["projection"]
    assert "parts" not in asked


async def test_an_empty_tree(store: ConversationStore) -> None:
    await store.create("c")
    tree = await store.tree("c")

    assert (len(tree), tree.selected_leaf_id) == (0, None)


# ------------------------------------------------------------ replay


def said(path: list[Revision]) -> tuple[Message, ...]:
    return tuple(one.message for one in path)


async def test_replay_is_the_path_with_its_prompt(store: ConversationStore) -> None:
    await store.create("c", system="Be brief.", tools=[Tool("look"), Tool("ask")])
    made = await store.extend("c", [message("q1"), message("a1"), message("q2")])
    request = await store.replay("c")

    assert request.system == "Be brief."
    assert [tool.name for tool in request.tools] == ["look", "ask"]
    assert request.messages == said(made)
    assert request.revision_ids == tuple(ids(made))
    assert request.notes == ()


async def test_without_prompt_and_tools_there_are_none(store: ConversationStore) -> None:
    await plant(store, "q1", selected="q1")
    for prompt in PromptChoice:
        request = await store.replay("c", prompt=prompt)
        assert (request.system, request.tools, request.notes) == (None, (), ())
    await store.create("empty", system=[TextPart("Be "), TextPart("brief.")])
    for prompt in PromptChoice:
        request = await store.replay("empty", prompt=prompt)
        assert (request.system, request.messages) == ((TextPart("Be "), TextPart("brief.")), ())


async def test_replay_takes_the_same_windows(store: ConversationStore) -> None:
    await plant(store, "q1 a1 q2 a2", "q1 a3", selected="a2")

    windows: list[dict[str, Any]] = [
        {},
        {"leaf_id": "a3"},
        {"before": "a2"},
        {"last": 2},
        {"before": "a2", "last": 1},
        {"before": "q1"},
    ]
    for window in windows:
        assert (await store.replay("c", **window)).messages == said(await store.path("c", **window))


async def test_before_an_answer_is_what_regenerating_it_sends(store: ConversationStore) -> None:
    await plant(store, "q1 a1 q2 a2", selected="a2")
    await store.update("c", system="Be brief.")
    request = await store.replay("c", before="a1")

    assert (request.system, request.messages) == ("Be brief.", (message("q1"),))


async def test_prompts_as_they_are_now_or_as_they_were(store: ConversationStore) -> None:
    await store.create("c", system="First.", tools=[Tool("look")])
    await store.extend("c", [message("q1"), message("a1"), message("q2")], revision_ids=["q1", "a1", "q2"])
    await store.update("c", system="Second.", tools=[Tool("ask")])
    await store.append("c", message("a2"), revision_id="a2")
    await store.append("c", message("q3"), revision_id="q3")
    await store.update("c", system="Third.", tools=())

    now = await store.replay("c")
    assert (now.system, now.tools) == ("Third.", ())
    assert [(note.place, note.revision_id) for note in now.notes] == [
        ("messages[1]", "a1"),
        ("messages[3]", "a2"),
    ]
    then = await store.replay("c", prompt=PromptChoice.GENERATED)
    assert (then.system, then.tools) == ("Second.", (Tool("ask"),))
    assert [note.revision_id for note in then.notes] == ["a1"]
    before = await store.replay("c", before="a2", prompt=PromptChoice.GENERATED)
    assert (before.system, before.tools, before.notes) == ("First.", (Tool("look"),), ())
    first = await store.replay("c", before="a1", prompt=PromptChoice.GENERATED)
    assert (first.system, first.tools) == ("Third.", ())  # no answer above: the current ones
    window = await store.replay("c", leaf_id="q3", last=1, prompt=PromptChoice.GENERATED)
    assert (window.system, window.messages) == ("Second.", (message("q3"),))


async def test_an_answer_generated_under_nothing_says_so(store: ConversationStore) -> None:
    await plant(store, "q1 a1", selected="a1")
    await store.update("c", system="Later.", tools=[Tool("look")])
    request = await store.replay("c", prompt=PromptChoice.GENERATED)

    assert (request.system, request.tools, request.notes) == (None, (), ())
    assert [note.revision_id for note in (await store.replay("c")).notes] == ["a1"]


async def test_an_earlier_prompt_named_by_the_caller_is_found(store: ConversationStore) -> None:
    first = await store.create("c", system="First.")
    await store.update("c", system="Second.")
    record = GenerationRecord(prompt_version=first.prompt_version)
    await store.extend("c", [message("q1"), message("a1")], generations=[None, record])

    assert (await store.replay("c", prompt=PromptChoice.GENERATED)).system == "First."


async def test_a_choice_is_no_string(store: ConversationStore) -> None:
    await plant(store, "q1", selected="q1")
    bad: Any = "current"

    with pytest.raises(InvalidArgumentError):
        await store.replay("c", prompt=bad)


@pytest.mark.parametrize("collection", ["prompts", "tool_sets"])
@pytest.mark.parametrize("prompt", list(PromptChoice))
async def test_a_request_is_never_built_without_its_prompt(
    store: ConversationStore, database: Database, collection: str, prompt: PromptChoice
) -> None:
    await store.create("c", system="Be brief.", tools=[Tool("look")])
    await store.extend("c", [message("q1"), message("a1"), message("q2")], revision_ids=["q1", "a1", "q2"])
    await database[f"convotree_{collection}"].delete_many({})

    for attempt in (store.replay("c", prompt=prompt), store.replay("c", before="q2", prompt=prompt)):
        with pytest.raises(CorruptTreeError):
            await attempt
    assert len(await store.path("c")) == 3


# ------------------------------------------------------------ damage


DAMAGE: list[dict[str, Any]] = [
    {"tenant_id": "someone"},
    {"conversation_id": "x"},
    {"depth": 0},
    {"depth": 1},
    {"depth": 3},
    {"depth": 1000},
    {"depth": -1},
    {"depth": "2"},
    {"depth": None},
    {"parent_id": "q1", "ordinal": 7},
    {"parent_id": "q4", "ordinal": 7},
    {"parent_id": None, "ordinal": 7},
    {"segment": "elsewhere:0"},
    {"segment": None},
    {"schema": 99},
    {"schema": None},
    {"parts": None},
    {"parts": [{"type": "text", "json": b'{"type":"text"'}]},
    {"parts": [{"type": "text", "json": b'{"type":"no such"}'}]},
    {"role": "nobody"},
    {"ordinal": "x"},
    {"created_at": "yesterday"},
    {"generation": b"{"},
]


@pytest.mark.parametrize("damage", DAMAGE, ids=str)
@pytest.mark.parametrize("driver", ["pymongo"])
async def test_a_damaged_path_is_refused(
    store: ConversationStore, database: Database, damage: dict[str, Any]
) -> None:
    await plant(store, "q1 a1 q2 a2", "q4 a4", selected="a2")
    await raw.change_revision(database, "q2", damage)

    for attempt in (
        store.path("c"),
        store.path("c", last=3),
        store.path("c", before="a2"),
        store.replay("c"),
        store.replay("c", leaf_id="q2", prompt=PromptChoice.GENERATED),
    ):
        with pytest.raises(CorruptTreeError):
            await attempt
    assert ids(await store.path("c", leaf_id="a4")) == ["q4", "a4"]
    with contextlib.suppress(CorruptTreeError):  # it lies in the damaged segment: right, or refused
        assert ids(await store.path("c", leaf_id="a1")) == ["q1", "a1"]
    assert await store.verify("c") != []


async def test_a_path_with_a_gap_is_refused(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1 q2 a2", selected="a2")
    await raw.remove_revision(database, "a1")

    for attempt in (store.path("c"), store.replay("c"), store.path("c", last=3), store.tree("c")):
        with pytest.raises(CorruptTreeError):
            await attempt
    assert ids(await store.path("c", last=2)) == ["q2", "a2"]


async def test_a_selected_leaf_that_is_not_there_is_refused(
    store: ConversationStore, database: Database
) -> None:
    await plant(store, "q1 a1", selected="a1")
    await raw.remove_revision(database, "a1")

    for attempt in (store.path("c"), store.replay("c")):
        with pytest.raises(CorruptTreeError) as caught:
            await attempt
        assert caught.value.revision_id == "a1"
    assert ids(await store.path("c", leaf_id="q1")) == ["q1"]


@pytest.mark.parametrize(
    "links", [{"q2": "a2"}, {"q2": "q2"}, {"a1": "a2"}, {"q1": "a2"}], ids=["two", "itself", "three", "root"]
)
async def test_a_cycle_hangs_no_reader(
    store: ConversationStore, database: Database, links: dict[str, str]
) -> None:
    await plant(store, "q1 a1 q2 a2", selected="a2")
    for one, parent_id in links.items():
        parent = await raw.revision(database, parent_id)
        await raw.change_revision(
            database, one, {"parent_id": parent_id, "parent_key": parent["_id"], "ordinal": 7}
        )

    for attempt in (store.path("c"), store.replay("c"), store.tree("c")):
        with pytest.raises(CorruptTreeError):
            await attempt
    for name in ("q1", "a1", "q2", "a2"):
        assert (await store.siblings("c", name)).count >= 1
        with contextlib.suppress(CorruptTreeError):
            await store.select("c", name)


async def test_a_newer_schema_is_refused(store: ConversationStore, database: Database) -> None:
    await plant(store, "q1 a1", selected="a1")
    await raw.change_header(database, {"schema": 2})

    for attempt in (
        store.path("c"),
        store.replay("c"),
        store.siblings("c", "a1"),
        store.tree("c"),
        store.get("c"),
        store.verify("c"),
        store.append("c", message("q2")),
        store.regenerate("c", "a1", message("a2")),
        store.select("c", "q1"),
        store.list(),
        store.append("c", message("q2"), parent_id="a1", select=Select.NEVER),
    ):
        with pytest.raises(CorruptTreeError):
            await attempt
    assert await raw.count(database, "revisions") == 2


# ------------------------------------------------------------ paths as they come


async def streamed(store: ConversationStore, **options: Any) -> list[Revision]:
    return [revision async for revision in store.stream_path("c", **options)]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"leaf_id": "a3"},
        {"leaf_id": "q1"},
        {"before": "a2"},
        {"before": "q1"},
        {"last": 2},
        {"leaf_id": "a9"},
    ],
    ids=str,
)
async def test_a_stream_gives_what_the_path_gives(store: ConversationStore, options: dict[str, Any]) -> None:
    await plant(store, "q1 a1 q2 a2", "q1 a9", "a1 q3 a3", selected="a2")
    assert await streamed(store, **options) == await store.path("c", **options)


async def test_a_long_stream_over_many_segments_and_lanes(store: ConversationStore, commands: Any) -> None:
    await store.create("c")
    for _ in range(3):
        await store.extend("c", [Message.user("q"), Message.assistant("a")] * 100)
        (leaf,) = await store.path("c", last=1)
        await store.regenerate("c", leaf.id, Message.assistant("b"))
    whole = await store.path("c")
    commands.clear()
    assert await streamed(store) == whole
    assert commands.names == ["aggregate"]
    assert len(whole) == 600


async def test_a_stream_starts_at_a_summary_where_that_is_wanted(store: ConversationStore) -> None:
    await plant(store, "q1 a1", selected="a1")
    await store.append("c", Message.user([CompactionPart("so.")]), revision_id="s1")
    assert [one.id for one in await streamed(store, compaction=CompactionChoice.NEWEST)] == ["s1"]
    assert [one.id for one in await streamed(store)] == ["q1", "a1", "s1"]


async def test_a_stream_that_is_left_early_gives_its_cursor_back(store: ConversationStore) -> None:
    await store.create("c")
    big = "x" * 2_000_000
    await store.extend("c", [Message.user(big) for _ in range(20)])
    async with contextlib.aclosing(store.stream_path("c")) as stream:
        async for revision in stream:
            assert revision.depth == 0
            break
    assert len([one async for one in store.stream_path("c")]) == 20


async def test_what_is_wrong_with_a_stream_is_said(store: ConversationStore, database: Database) -> None:
    with pytest.raises(ConversationNotFoundError):
        await streamed(store)
    await plant(store, "q1 a1 q2", selected="q2")
    with pytest.raises(RevisionNotFoundError):
        await streamed(store, leaf_id="q9")
    with pytest.raises(InvalidArgumentError):
        await streamed(store, leaf_id="q1", before="q1")
    await database["convotree_revisions"].delete_one({"revision_id": "a1"})
    with pytest.raises(CorruptTreeError, match="q2"):
        await streamed(store)
    await database["convotree_revisions"].delete_one({"revision_id": "q2"})
    with pytest.raises(CorruptTreeError):
        await streamed(store)
