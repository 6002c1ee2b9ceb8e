"""Fault scenario B07: revisions that name each other as parents are refused, found and reported; no reader hangs."""

import json
from collections.abc import Mapping

import pytest

from convotree import ConversationStore, ConvotreeError, CorruptTreeError, Message, Select, ViolationKind
from convotree.domain.stored import Scope
from convotree.interchange import loads
from tests.conftest import Database
from tests.faults.operations import tree_of
from tests.interchange.forms import chatgpt_conversation, chatgpt_entry, chatgpt_message
from tests.properties.parsed_trees import parsed_tree

REVISIONS = "convotree_revisions"


async def test_b07_a_cycle_in_a_file_is_reported_and_other_conversations_are_stored(
    store: ConversationStore,
) -> None:
    cyclic = chatgpt_conversation(
        *(
            chatgpt_entry(one, parent, [], chatgpt_message(one))
            for one, parent in (("a", "b"), ("b", "a"), ("c", "c"), ("root", None))
        ),
        current="root",
    )
    sound = chatgpt_conversation(
        chatgpt_entry("r", None, [], chatgpt_message("r")), current="r", id="c2", conversation_id="c2"
    )
    report = await store.import_(loads(json.dumps([cyclic, sound])))
    said = " ".join(
        [*(f"{one.place} {one.what}" for one in report.problems)]
        + [
            f"{one.failed} " + " ".join(f"{each.place} {each.what}" for each in one.problems)
            for one in report
        ]
    )
    assert "cycle" in said
    assert [one.id for one in await store.path("c2")] == ["r"]
    for conversation in (await store.list()).conversations:
        assert await store.verify(conversation.id) == []
        assert len(await store.tree(conversation.id)) > 0


RINGS = {
    "its own parent": {"r0": "r0"},
    "two": {"r1": "r2", "r2": "r1"},
    "the root below a leaf": {"r0": "r5"},
    "the start of a lane below its own end": {"r6": "r7"},
}


@pytest.mark.parametrize("ring", RINGS.values(), ids=RINGS.keys())
async def test_b07_a_cycle_in_the_database_is_found_and_hangs_no_call(
    store: ConversationStore, database: Database, ring: Mapping[str, str]
) -> None:
    # r0 - ... - r5, and r6 - r7 beside r3.
    await store.import_([parsed_tree("talk", [None, 0, 1, 2, 3, 4, 2, 6]), tree_of("beside")])
    scope = Scope("default", "talk")
    for one, parent in ring.items():
        await database[REVISIONS].update_one(
            {"_id": scope.revision_key(one)},
            {"$set": {"parent_id": parent, "parent_key": scope.revision_key(parent), "ordinal": 7}},
        )

    found = await store.verify("talk")
    cycles = [one for one in found if one.kind is ViolationKind.CYCLE]
    assert len(cycles) == 1
    assert cycles[0].revision_id in ring or cycles[0].revision_id in {"r0", "r6"}
    with pytest.raises(CorruptTreeError):
        await store.tree("talk")
    for one in ring:
        for read in (store.path, store.replay):
            with pytest.raises(CorruptTreeError):
                await read("talk", leaf_id=one)

    # Whatever else is asked is answered, or refused as what it is.
    for call in (
        lambda: store.path("talk"),
        lambda: store.path("talk", last=2),
        lambda: store.siblings("talk", "r1"),
        lambda: store.siblings("talk", "r0"),
        lambda: store.select("talk", "r0"),
        lambda: store.select("talk", "r7"),
        lambda: store.append("talk", Message.user("x"), parent_id="r1", select=Select.ALWAYS),
        lambda: store.append("talk", Message.user("x")),
        lambda: store.edit("talk", "r0", Message.user("x")),
        lambda: store.edit("talk", "r6", Message.user("x")),
        lambda: store.get("talk"),
        lambda: store.import_([parsed_tree("talk", [None, 0, 1, 2, 3, 4, 2, 6])]),
    ):
        try:
            await call()
        except ConvotreeError as error:
            assert isinstance(error, CorruptTreeError)  # noqa: PT017  # either outcome is right

    assert {one.id for one in (await store.list()).conversations} == {"talk", "beside"}
    assert await store.verify("beside") == []
    assert len(await store.path("beside")) == 4
