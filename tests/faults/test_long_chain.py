"""Fault scenario B08: 20,000 revisions on a path and 50 leaves beside it; no recursion, few round trips."""

from collections.abc import Awaitable, Callable

import pytest

from convotree import ConversationStore, Message
from tests.command_log import CommandLog
from tests.properties.parsed_trees import parsed_tree

BESIDE = 50


async def _by_import(store: ConversationStore, length: int) -> None:
    parents = [None, *range(length - 1), *(number * length // BESIDE for number in range(BESIDE))]
    parsed = parsed_tree("talk", parents)
    report = await store.import_([parsed])
    assert [(one.failed, one.stored) for one in report] == [(None, length + BESIDE)]
    await store.select("talk", f"r{length - 1}")


async def _by_extend(store: ConversationStore, length: int) -> None:
    await store.create("talk")
    for start in range(0, length, 5000):
        numbers = range(start, start + 5000)
        stored = await store.extend(
            "talk", [Message.user(f"text {at}") for at in numbers], revision_ids=[f"r{at}" for at in numbers]
        )
        assert stored[-1].selected
    for number in range(BESIDE):
        await store.append(
            "talk",
            Message.user("beside"),
            parent_id=f"r{number * length // BESIDE}",
            revision_id=f"r{length + number}",
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("driver", "make", "length"), [("pymongo", _by_import, 20_000), ("motor", _by_extend, 10_000)]
)
async def test_b08_a_very_long_chain_works_everywhere(
    store: ConversationStore,
    commands: CommandLog,
    make: Callable[[ConversationStore, int], Awaitable[None]],
    length: int,
) -> None:
    last = f"r{length - 1}"
    await make(store, length)
    commands.clear()

    def commands_sent() -> int:
        sent = len(commands.names)
        commands.clear()
        return sent

    path = await store.path("talk")
    assert [one.id for one in path] == [f"r{number}" for number in range(length)]
    assert commands_sent() <= 3  # one, and one for each further 16 MB
    request = await store.replay("talk")
    assert len(request.messages) == length
    assert commands_sent() <= 3
    assert [one.depth for one in await store.path("talk", last=50)] == list(range(length - 50, length))
    assert commands_sent() == 1
    beside = await store.path("talk", leaf_id=f"r{length + BESIDE - 1}", last=3)
    fork = (BESIDE - 1) * length // BESIDE
    assert [one.id for one in beside] == [f"r{fork - 1}", f"r{fork}", f"r{length + BESIDE - 1}"]
    assert commands_sent() == 1

    tree = await store.tree("talk")
    assert len(tree) == length + BESIDE
    assert len(tree.leaves) == BESIDE + 1
    assert [one.id for one in tree.path_to(last)] == [one.id for one in path]
    assert commands_sent() <= 6
    selected = await store.select("talk", f"r{length + 7}")
    assert selected.selected_leaf_id == f"r{length + 7}"
    assert commands_sent() <= 3
    assert (await store.select("talk", last)).selected_leaf_id == last
    assert (await store.siblings("talk", "r1")).count == 2
    commands.clear()
    assert await store.verify("talk") == []
    assert commands_sent() <= (length + BESIDE) // 500 + 5
