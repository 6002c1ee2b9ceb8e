"""Fault scenario B08: 20,000 revisions on a path and 50 leaves beside it; no recursion, few round trips."""

import pytest

from convotree import ConversationStore, Message
from tests.command_log import CommandLog
from tests.properties.parsed_trees import parsed_tree

LENGTH = 20_000
BESIDE = 50
LAST = f"r{LENGTH - 1}"


async def _by_import(store: ConversationStore) -> None:
    parents = [None, *range(LENGTH - 1), *(number * LENGTH // BESIDE for number in range(BESIDE))]
    parsed = parsed_tree("talk", parents)
    report = await store.import_([parsed])
    assert [(one.failed, one.stored) for one in report] == [(None, LENGTH + BESIDE)]
    await store.select("talk", LAST)


async def _by_extend(store: ConversationStore) -> None:
    await store.create("talk")
    for start in range(0, LENGTH, 5000):
        numbers = range(start, start + 5000)
        stored = await store.extend(
            "talk", [Message.user(f"text {at}") for at in numbers], revision_ids=[f"r{at}" for at in numbers]
        )
        assert stored[-1].selected
    for number in range(BESIDE):
        await store.append(
            "talk",
            Message.user("beside"),
            parent_id=f"r{number * LENGTH // BESIDE}",
            revision_id=f"r{LENGTH + number}",
        )


@pytest.mark.slow
async def test_b08_a_very_long_chain_works_everywhere(
    store: ConversationStore, commands: CommandLog, driver: str
) -> None:
    # Each way of making it once: they are slow, and what they have in common is the store.
    await (_by_import(store) if driver == "pymongo" else _by_extend(store))
    commands.clear()

    def commands_sent() -> int:
        sent = len(commands.names)
        commands.clear()
        return sent

    path = await store.path("talk")
    assert [one.id for one in path] == [f"r{number}" for number in range(LENGTH)]
    assert commands_sent() <= 3  # one, and one for each further 16 MB
    request = await store.replay("talk")
    assert len(request.messages) == LENGTH
    assert commands_sent() <= 3
    assert [one.depth for one in await store.path("talk", last=50)] == list(range(LENGTH - 50, LENGTH))
    assert commands_sent() == 1
    beside = await store.path("talk", leaf_id=f"r{LENGTH + BESIDE - 1}", last=3)
    assert [one.id for one in beside] == ["r19599", "r19600", f"r{LENGTH + BESIDE - 1}"]
    assert commands_sent() == 1

    tree = await store.tree("talk")
    assert len(tree) == LENGTH + BESIDE
    assert len(tree.leaves) == BESIDE + 1
    assert [one.id for one in tree.path_to(LAST)] == [one.id for one in path]
    assert commands_sent() <= 6
    selected = await store.select("talk", f"r{LENGTH + 7}")
    assert selected.selected_leaf_id == f"r{LENGTH + 7}"
    assert commands_sent() <= 3
    assert (await store.select("talk", LAST)).selected_leaf_id == LAST
    assert (await store.siblings("talk", "r1")).count == 2
    commands.clear()
    assert await store.verify("talk") == []
    assert commands_sent() <= (LENGTH + BESIDE) // 500 + 5
