"""create, get, update, list."""

from datetime import timedelta
from typing import Any

import pytest
from pymongo.asynchronous.database import AsyncDatabase

from convotree import (
    UNCHANGED,
    ContentTooLargeError,
    ConversationMismatchError,
    ConversationNotFoundError,
    ConversationStore,
    ExactJson,
    InvalidArgumentError,
    InvalidMessageError,
    InvalidRequestError,
    ListOrder,
    NumberText,
    TextPart,
    Tool,
    VersionConflictError,
)
from tests.conftest import Database
from tests.store import raw
from tests.store.interloper import Interloper
from tests.store.trees import message, plant

# ------------------------------------------------------------ create and get


async def test_a_new_conversation_is_empty(store: ConversationStore, commands: Interloper) -> None:
    commands.clear()
    convo = await store.create()

    assert commands.names == ["insert"]
    assert (convo.selected_leaf_id, convo.version, convo.title, convo.metadata) == (None, 1, None, {})
    assert (convo.prompt_version, convo.tool_set) == (None, None)
    assert convo.created_at == convo.updated_at
    assert convo.created_at.utcoffset() == timedelta(0)
    assert len(convo.id) == 32
    commands.clear()
    assert await store.get(convo.id) == convo
    assert commands.names == ["find"]


async def test_everything_given_is_kept(store: ConversationStore) -> None:
    convo = await store.create(
        "my chat",
        system=[TextPart("Be "), TextPart("brief.")],
        tools=(one for one in [Tool("look"), {"name": "ask", "description": "Asks."}]),  # type: ignore[misc]  # tools of both kinds
        title="Été\n🎈",
        metadata={"owner": "ann", "tags": ["a", "b"]},
    )

    assert (convo.id, convo.title) == ("my chat", "Été\n🎈")
    assert convo.metadata == {"owner": "ann", "tags": ["a", "b"]}
    request = await store.replay("my chat")
    assert request.system == (TextPart("Be "), TextPart("brief."))
    assert request.tools == (Tool("look"), Tool("ask", description="Asks."))


async def test_with_prompt_and_tools_it_is_three_commands(
    store: ConversationStore, commands: Interloper
) -> None:
    commands.clear()
    await store.create(system="Be brief.", tools=[Tool("look")])

    assert commands.names == ["insert"] * 3


async def test_creating_again_is_the_same_conversation(store: ConversationStore) -> None:
    facts: dict[str, Any] = {
        "system": "Be brief.",
        "tools": [Tool("look")],
        "title": "t",
        "metadata": {"a": 1},
    }
    first = await store.create("c", **facts)
    assert await store.create("c", **facts) == first

    await store.append("c", message("q1"))
    await store.update("c", title="Renamed", metadata={"b": 2})
    assert await store.create("c", **facts) == await store.get("c")


@pytest.mark.parametrize(
    "other",
    [
        {"title": "u"},
        {"title": None},
        {"system": None},
        {"tools": ()},
        {"metadata": {}},
        {"metadata": {"a": 1.0}},
    ],
    ids=str,
)
async def test_creating_it_otherwise_is_a_conflict(store: ConversationStore, other: dict[str, Any]) -> None:
    facts: dict[str, Any] = {
        "system": "Be brief.",
        "tools": [Tool("look")],
        "title": "t",
        "metadata": {"a": 1},
    }
    first = await store.create("c", **facts)

    with pytest.raises(ConversationMismatchError) as caught:
        await store.create("c", **facts | other)
    assert caught.value.conversation_id == "c"
    assert await store.get("c") == first


async def test_tenants_have_conversations_of_their_own(store: ConversationStore) -> None:
    other = store.for_tenant("other")
    await store.create("c", title="ours")
    await other.create("c", title="theirs")

    assert (await store.get("c")).title == "ours"
    assert (await other.get("c")).title == "theirs"
    with pytest.raises(ConversationNotFoundError):
        await store.for_tenant("third").get("c")


UNSTORABLE: list[tuple[str, Any]] = [
    ("title", 3),
    ("title", "a\x00b"),
    ("title", "\ud800"),
    ("title", "x" * 16385),
    ("metadata", [1]),
    ("metadata", "text"),
    ("metadata", ExactJson("[1]")),
    ("metadata", {1: 2}),
    ("metadata", {"a\x00": 1}),
    ("metadata", {"a": object()}),
    ("metadata", {"a": "x" * 1_100_000}),
    ("system", 3),
    ("system", b"bytes"),
    ("system", {"text": "x"}),
    ("system", ["text"]),
    ("system", "x" * 7_000_000),
    ("tools", "look"),
    ("tools", 3),
    ("tools", {"name": "look"}),
    ("tools", [{"description": "nameless"}]),
    ("tools", ["look"]),
]


async def test_what_cannot_be_stored_is_refused_before_anything_is_sent(
    store: ConversationStore, commands: Interloper
) -> None:
    await store.create("c")
    commands.clear()

    for argument, value in UNSTORABLE:
        with pytest.raises(InvalidRequestError):
            await store.create("d", **{argument: value})
        with pytest.raises(InvalidRequestError):
            await store.update("c", **{argument: value})
    assert commands.names == []


# ------------------------------------------------------------ prompt versions and tool sets


async def test_prompts_and_tools_are_shared(store: ConversationStore, database: Database) -> None:
    made = [await store.create(system="Be brief.", tools=[Tool("look")]) for _ in range(3)]
    await store.for_tenant("other").create(system="Be brief.", tools=[Tool("look")])
    await store.create(system=[TextPart("Be brief.")])  # other content: parts, not a text

    assert len({(one.prompt_version, one.tool_set) for one in made}) == 1
    assert made[0].prompt_version is not None
    assert made[0].prompt_version.startswith("sha256:")
    assert await raw.count(database, "prompts") == 3  # one for each tenant and content
    assert await raw.count(database, "tool_sets") == 2


async def test_the_order_of_tools_is_theirs(store: ConversationStore) -> None:
    one = await store.create(tools=[Tool("a"), Tool("b")])
    other = await store.create(tools=[Tool("b"), Tool("a")])

    assert one.tool_set != other.tool_set


async def test_an_empty_prompt_is_a_prompt(store: ConversationStore) -> None:
    convo = await store.create(system="")

    assert convo.prompt_version is not None
    assert (await store.replay(convo.id)).system == ""


# ------------------------------------------------------------ update


async def test_an_update_changes_what_is_given(store: ConversationStore, commands: Interloper) -> None:
    before = await store.create("c", system="First.", tools=[Tool("look")], title="t", metadata={"a": 1})
    commands.clear()
    after = await store.update("c", title="Renamed")

    assert commands.names == ["update", "find"]
    assert (after.title, after.version) == ("Renamed", before.version + 1)
    assert (after.metadata, after.prompt_version, after.tool_set) == (
        {"a": 1},
        before.prompt_version,
        before.tool_set,
    )
    assert after == await store.get("c")
    assert (await store.update("c", title=None)).title is None


async def test_an_update_of_what_is_not_there_stores_nothing(
    store: ConversationStore, database: Database
) -> None:
    for values in ({"system": "Never seen."}, {"tools": [Tool("never")]}, {"metadata": {"a": 1}}):
        with pytest.raises(ConversationNotFoundError):
            await store.update("nowhere", **values)

    for name in ("prompts", "tool_sets", "conversations"):
        assert await raw.count(database, name) == 0


async def test_no_metadata_is_no_change_that_could_be_meant(store: ConversationStore) -> None:
    before = await store.create("c", metadata={"a": 1})
    with pytest.raises(InvalidArgumentError) as caught:
        await store.update("c", metadata=None)  # type: ignore[arg-type]  # the point of the test
    assert caught.value.argument == "metadata"
    assert await store.get("c") == before


async def test_an_update_of_nothing_changes_nothing(store: ConversationStore, commands: Interloper) -> None:
    before = await store.create("c", title="t")
    commands.clear()

    assert await store.update("c", title=UNCHANGED) == before
    assert commands.names == ["find"]
    with pytest.raises(ConversationNotFoundError):
        await store.update("nowhere")


async def test_prompt_and_tools_are_replaced_and_taken_away(store: ConversationStore) -> None:
    before = await store.create("c", system="First.", tools=[Tool("look")])
    changed = await store.update("c", system="Second.", tools=[Tool("ask")])

    assert changed.prompt_version not in (None, before.prompt_version)
    assert changed.tool_set not in (None, before.tool_set)
    assert (await store.replay("c")).system == "Second."
    gone = await store.update("c", system=None, tools=())
    assert (gone.prompt_version, gone.tool_set) == (None, None)
    assert (await store.replay("c")).system is None
    back = await store.update("c", system="First.")
    assert back.prompt_version == before.prompt_version
    assert await store.verify("c") == []


async def test_metadata_is_merged_by_key(store: ConversationStore, commands: Interloper) -> None:
    await store.create("c", metadata={"a": 1, "b": {"x": 1}, "d": 4})
    commands.clear()
    after = await store.update("c", metadata={"b": 2, "e": None}, remove_metadata=["a", "never there"])

    assert len(commands.names) <= 3
    assert after.metadata == {"b": 2, "d": 4, "e": None}
    assert list(after.metadata) == ["b", "d", "e"]
    assert (await store.update("c", remove_metadata=["b"])).metadata == {"d": 4, "e": None}


async def test_metadata_is_kept_exactly(store: ConversationStore) -> None:
    text = (
        '{"price":1.10,"huge":1180591620717411303424,"far":1e400,"minus":-0,'
        '"$where":{"a.b":"\\u0000"},"a.b":["\\ud800"],"":0}'
    )
    convo = await store.create("c", metadata=ExactJson(text))
    assert convo.metadata_json.text == text == (await store.get("c")).metadata_json.text

    after = await store.update("c", metadata={"$set": {"$inc": 1}, "new.key": NumberText("2.50")})
    assert after.metadata_json.text == text[:-1] + ',"$set":{"$inc":1},"new.key":2.50}'
    less = await store.update("c", remove_metadata=["$where", "a.b", "", "$set", "huge", "far", "minus"])
    assert less.metadata_json.text == '{"price":1.10,"new.key":2.50}'


async def test_removed_keys_are_a_sequence_of_strings(store: ConversationStore) -> None:
    await store.create("c")

    wrong: list[Any] = ["key", b"key", 3, [1], [None], [{"$gt": ""}]]
    for keys in wrong:
        with pytest.raises(InvalidArgumentError) as caught:
            await store.update("c", remove_metadata=keys)
        assert caught.value.argument == "remove_metadata"


async def test_metadata_that_grows_too_large_is_refused(store: ConversationStore) -> None:
    await store.create("c", metadata={"a": "x" * 600_000})

    with pytest.raises(ContentTooLargeError):
        await store.update("c", metadata={"b": "x" * 600_000})
    assert list((await store.get("c")).metadata) == ["a"]


async def test_changes_of_different_keys_all_stay(store: ConversationStore, commands: Interloper) -> None:
    await store.create("c", metadata={"a": 1})

    async def change(database: AsyncDatabase[dict[str, Any]]) -> None:
        await ConversationStore(database).update("c", metadata={"theirs": 1})

    commands.once_before("update", "conversations", change)
    await store.update("c", metadata={"ours": 1})
    assert (await store.get("c")).metadata == {"a": 1, "theirs": 1, "ours": 1}


async def test_a_version_is_compared(store: ConversationStore) -> None:
    first = await store.create("c", title="t")
    await store.update("c", title="u")

    with pytest.raises(VersionConflictError) as caught:
        await store.update("c", title="v", expected_version=first.version)
    assert (caught.value.conversation_id, caught.value.expected, caught.value.actual) == ("c", 1, 2)
    assert (await store.update("c", title="v", expected_version=2)).title == "v"


@pytest.mark.parametrize(
    "change",
    [
        {"title": "u"},
        {"title": None},
        {"metadata": {"b": 2}},
        {"metadata": {"b": 2}, "remove_metadata": ["a"]},
        {"system": "Second.", "tools": [Tool("ask")]},
        {"system": None, "tools": (), "title": "u", "metadata": {"b": 2}},
    ],
    ids=str,
)
async def test_an_update_whose_effect_stands_succeeds(
    store: ConversationStore, change: dict[str, Any]
) -> None:
    first = await store.create("c", system="First.", tools=[Tool("look")], title="t", metadata={"a": 1})
    done = await store.update("c", **change, expected_version=first.version)

    assert await store.update("c", **change, expected_version=first.version) == done
    again = await store.update("c", **change)  # without a version it is written again, to the same effect
    assert (again.title, again.metadata_json, again.prompt_version, again.tool_set) == (
        done.title,
        done.metadata_json,
        done.prompt_version,
        done.tool_set,
    )


async def test_half_an_effect_is_none(store: ConversationStore) -> None:
    first = await store.create("c", title="t", metadata={"a": 1})
    await store.update("c", title="u")

    with pytest.raises(VersionConflictError):
        await store.update("c", title="u", metadata={"a": 2}, expected_version=first.version)
    assert (await store.get("c")).metadata == {"a": 1}


async def test_a_version_is_a_number(store: ConversationStore) -> None:
    await store.create("c")

    wrong: list[Any] = [0, -1, True, "1", 1.0, {"$gt": 0}, 2**63]
    for version in wrong:
        with pytest.raises(InvalidArgumentError) as caught:
            await store.update("c", title="t", expected_version=version)
        assert caught.value.argument == "expected_version"


async def test_a_bad_tool_changes_nothing(store: ConversationStore) -> None:
    before = await store.create("c", title="t")

    with pytest.raises(InvalidMessageError):
        await store.update("c", title="u", tools=[{"nameless": 1}])
    assert await store.get("c") == before


# ------------------------------------------------------------ list


async def pages(store: ConversationStore, **arguments: Any) -> list[str]:
    seen: list[str] = []
    after: str | None = None
    while True:
        page = await store.list(after=after, **arguments)
        seen += [one.id for one in page]
        after = page.next_after
        if after is None:
            return seen


async def test_newest_created_first(
    store: ConversationStore, database: Database, commands: Interloper
) -> None:
    names = [f"c{number}" for number in range(7)]
    for name in names:
        await store.create(name, title=f"title of {name}", metadata={"name": name})
    await store.for_tenant("other").create("theirs")
    # Of conversations created in one millisecond the order is any, but always the same.
    keys = {
        one["conversation_id"]: one["created_key"] for one in await raw.documents(database, "conversations")
    }
    newest = sorted(names, key=lambda name: keys[name], reverse=True)
    commands.clear()
    page = await store.list()

    assert commands.names == ["find"]
    assert [one.id for one in page] == newest
    assert (len(page), page.next_after) == (7, None)
    assert list(page) == [await store.get(name) for name in newest]
    for limit in (1, 2, 3, 7, 8):
        assert await pages(store, limit=limit) == newest


async def test_ties_in_time_are_no_hole_in_the_pages(store: ConversationStore, database: Database) -> None:
    for number in range(6):
        await store.create(f"c{number}")
    for one in await raw.documents(database, "conversations"):
        tied = {"created_key": "0" * 15 + one["_id"], "updated_key": "0" * 15 + one["_id"]}
        await database["convotree_conversations"].update_one({"_id": one["_id"]}, {"$set": tied})

    for order in ListOrder:
        for limit in (1, 4):
            seen = await pages(store, limit=limit, order=order)
            assert sorted(seen) == [f"c{number}" for number in range(6)]


async def test_pages_by_creation_are_stable_while_others_write(store: ConversationStore) -> None:
    for number in range(5):
        await store.create(f"c{number}")
    first = await store.list(limit=2)
    for name in ("c0", "c2"):
        await store.update(name, title="changed")
    await store.create("new")
    second = await store.list(limit=9, after=first.next_after)

    assert sorted(one.id for one in (*first, *second)) == [f"c{number}" for number in range(5)]


async def test_last_updated_first_on_request(store: ConversationStore, database: Database) -> None:
    for number in range(4):
        await store.create(f"c{number}")
    await plant(store, "q1 a1", conversation_id="grown")

    def key(one: dict[str, Any]) -> str:
        updated: str = one["updated_key"]
        return updated

    await store.update("c1", title="changed")
    await store.append("c0", message("q1"))
    await store.select("grown", "q1")
    documents = sorted(await raw.documents(database, "conversations"), key=key, reverse=True)
    expected = [one["conversation_id"] for one in documents]
    assert await pages(store, limit=2, order=ListOrder.UPDATED) == expected
    # Each wrote the header, so they come before those that nobody touched, whatever the clock's resolution.
    times = {one["conversation_id"]: one["updated_at"] for one in documents}
    assert min(times[name] for name in ("c0", "c1", "grown")) >= max(times[name] for name in ("c2", "c3"))


async def test_an_empty_listing(store: ConversationStore) -> None:
    page = await store.list()

    assert (page.conversations, page.next_after) == ((), None)


async def test_a_cursor_belongs_to_its_order(store: ConversationStore) -> None:
    for number in range(3):
        await store.create(f"c{number}")
    created = (await store.list(limit=1)).next_after
    updated = (await store.list(limit=1, order=ListOrder.UPDATED)).next_after
    foreign: list[Any] = ["", "c", "x" * 40, f"{created}\n", {"$gt": ""}, 3, b"c", "c" + "0" * 15 + "$" * 24]

    with pytest.raises(InvalidArgumentError):
        await store.list(after=created, order=ListOrder.UPDATED)
    for after in (updated, *foreign):
        with pytest.raises(InvalidArgumentError) as caught:
            await store.list(after=after)
        assert caught.value.argument == "after"


async def test_a_page_has_a_size(store: ConversationStore) -> None:
    wrong: list[Any] = [0, -1, 1001, True, "5", 2.0]
    for limit in wrong:
        with pytest.raises(InvalidArgumentError) as caught:
            await store.list(limit=limit)
        assert caught.value.argument == "limit"


async def test_an_order_is_no_string(store: ConversationStore) -> None:
    bad: Any = "created"

    with pytest.raises(InvalidArgumentError):
        await store.list(order=bad)
