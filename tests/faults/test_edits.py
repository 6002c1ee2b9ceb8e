"""Fault scenarios B10, B19 and B21 to B23: side records, failed regenerations, and edits that must lose nothing."""

from datetime import timedelta
from typing import Any

import pytest

from convotree import (
    ConversationStore,
    DocumentPart,
    ExactJson,
    FileSource,
    ImagePart,
    Message,
    OpaquePart,
    Outcome,
    Select,
    TextPart,
    ToolCallPart,
)
from tests.conftest import Database

REVISIONS = "convotree_revisions"


async def test_b10_side_records_are_kept_and_never_become_the_path(store: ConversationStore) -> None:
    await store.create("talk")
    await store.extend("talk", [Message.user("U"), Message.assistant("A")], revision_ids=["U", "A"])
    await store.extend("talk", [Message.user("T"), Message.assistant("A2")], revision_ids=["T", "A2"])
    progress = [Message.developer([OpaquePart("tool", "progress", ExactJson("{}"))]) for _ in range(2)]
    await store.extend("talk", progress, parent_id="A", revision_ids=["p1", "p2"], select=Select.NEVER)
    assert (await store.get("talk")).selected_leaf_id == "A2"
    assert (await store.replay("talk")).revision_ids == ("U", "A", "T", "A2")
    assert (await store.select("talk", "A")).selected_leaf_id == "A2"
    assert [one.id for one in await store.path("talk", leaf_id="p2")] == ["U", "A", "p1", "p2"]
    assert await store.verify("talk") == []


async def test_b19_failed_regenerations_leave_the_pointer_on_the_last_good_answer(
    store: ConversationStore,
) -> None:
    await store.create("talk")
    await store.extend("talk", [Message.user("q"), Message.assistant("good")], revision_ids=["q", "good"])
    # Before the first chunk nothing is stored; during and after it what came is kept, as what it is.
    for number, outcome in enumerate([None, Outcome.ABORTED, Outcome.ABORTED, Outcome.FAILED, None]):
        if outcome is not None:
            broken = Message.assistant("I wi", outcome=outcome)
            await store.regenerate(
                "talk", "good", broken, new_revision_id=f"bad{number}", select=Select.NEVER
            )
    page = await store.siblings("talk", "good")
    assert [(one.id, one.message.outcome) for one in page] == [
        ("good", Outcome.COMPLETE),
        ("bad1", Outcome.ABORTED),
        ("bad2", Outcome.ABORTED),
        ("bad3", Outcome.FAILED),
    ]
    request = await store.replay("talk")
    assert request.revision_ids == ("q", "good")
    # Whoever stands on a failure still sends none of it as an answer.
    failed = await store.replay("talk", leaf_id="bad3")
    sent = failed.render("openai-responses", model="gpt-5").body["input"]
    assert [item.get("role") for item in sent] == ["user"]
    assert await store.verify("talk") == []


async def test_b21_an_edit_keeps_everything_below_what_it_edits(
    store: ConversationStore, database: Database
) -> None:
    await store.create("talk")
    chain: list[Message] = []
    for turn in range(10):
        call = ToolCallPart(f"c{turn}", "look", ExactJson('{"n":1.10}'))
        chain += [
            Message.user(f"q{turn}"),
            Message.assistant([call]),
            Message.tool_result(f"c{turn}", "seen"),
            Message.assistant(f"a{turn}"),
        ]
    ids = [f"r{number}" for number in range(len(chain))]
    await store.extend("talk", chain, revision_ids=ids)
    before = {one["_id"]: one async for one in database[REVISIONS].find({})}

    edited = await store.edit("talk", "r4", Message.user("q1, edited"))
    answer = await store.append("talk", Message.assistant("another"))
    corrected = await store.regenerate("talk", "r7", Message.assistant("a1, corrected"))
    assert (await store.replay("talk")).revision_ids[-1] == corrected.id

    after = {one["_id"]: one async for one in database[REVISIONS].find({})}
    assert {key: after[key] for key in before} == before
    assert [one.id for one in await store.path("talk", leaf_id=ids[-1])] == ids
    assert [one.message for one in await store.path("talk", leaf_id=ids[-1])] == chain
    assert [one.id for one in await store.path("talk", leaf_id=answer.id)] == [*ids[:4], edited.id, answer.id]


async def test_b22_no_time_decides_what_an_edit_is_beside(
    store: ConversationStore, database: Database
) -> None:
    await store.create("talk")
    chain = [
        Message.user("1"),
        Message.assistant("2"),
        Message.user("3"),
        Message.assistant("4"),
        Message.user("5"),
    ]
    stored = await store.extend("talk", chain)
    same = stored[0].created_at - timedelta(days=1)
    await database[REVISIONS].update_many({}, {"$set": {"created_at": same}})
    await store.edit("talk", stored[2].id, Message.user("3, edited"))
    assert [one.text for one in (await store.replay("talk")).messages] == ["1", "2", "3, edited"]


async def test_b23_an_edit_of_the_text_carries_all_other_parts(store: ConversationStore) -> None:
    others: list[Any] = [
        ImagePart(FileSource("anthropic", "file_1")),
        OpaquePart("anthropic", "new_block", ExactJson('{"x":1.10}')),
        DocumentPart(FileSource("anthropic", "file_2"), name="Report"),
    ]
    await store.create("talk")
    asked = await store.append("talk", Message.user([TextPart("What is this?"), *others]))
    edited = await store.edit("talk", asked.id, Message.user([TextPart("What are these?"), *others]))
    page = await store.siblings("talk", edited.id)
    assert [one.message.parts[1:] for one in page] == [tuple(others)] * 2
    body = (await store.replay("talk")).render("anthropic", model="claude-opus-4-8").body
    assert [block["type"] for block in body["messages"][0]["content"]] == [
        "text",
        "image",
        "new_block",
        "document",
    ]


@pytest.mark.parametrize("role", ["edit", "regenerate"])
async def test_an_edit_beside_a_failure_finds_it_too(store: ConversationStore, role: str) -> None:
    await store.create("talk")
    await store.extend(
        "talk",
        [Message.user("q"), Message.assistant("I wi", outcome=Outcome.FAILED)],
        revision_ids=["q", "bad"],
    )
    if role == "edit":
        await store.edit("talk", "q", Message.user("q2"))
    else:
        await store.regenerate("talk", "bad", Message.assistant("good"))
    assert await store.verify("talk") == []
    assert "bad" not in (await store.replay("talk")).revision_ids
