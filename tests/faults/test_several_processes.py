"""Writers in processes of their own, one of them killed at work: what was acknowledged is there, the tree verifies.

Scenario B12 too: what one process wrote, another reads whole.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from convotree import ConversationStore, Message
from tests.conftest import REPOSITORY, Database


@contextmanager
def writer(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.writer_process", *arguments],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def line_of(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def begin(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


async def test_writers_in_processes_of_their_own_lose_nothing_when_one_is_killed(
    store: ConversationStore, database: Database, server_uri: str, driver: str
) -> None:
    conversation = await store.create()
    root = await store.append(conversation.id, Message.user("root"))
    common = (driver, server_uri, database.name, conversation.id, root.id)
    with (
        writer(*common, "a", "20") as first,
        writer(*common, "b", "20") as second,
        writer(*common, "c", "100000") as killed,
    ):
        writers = [first, second, killed]
        for one in writers:
            assert line_of(one) == "ready"
        for one in writers:
            begin(one)
        acknowledged = {line_of(killed) for _ in range(10)}
        killed.kill()
        assert killed.stdout is not None
        acknowledged |= {line.strip() for line in killed.stdout if line.endswith("\n")}
        for one in (first, second):
            own = {line_of(one) for _ in range(20)}
            assert len(own) == 20
            acknowledged |= own
            assert one.wait() == 0

    tree = await store.tree(conversation.id)
    assert acknowledged <= {one.id for one in tree}
    assert await store.verify(conversation.id) == []
    for leaf in tree.leaves:
        path = await store.path(conversation.id, leaf_id=leaf.id)
        assert [one.id for one in path] == [one.id for one in tree.path_to(leaf.id)]
    assert (await store.get(conversation.id)).selected_leaf_id in {one.id for one in tree}


async def test_b12_both_children_that_another_process_wrote_are_there(
    store: ConversationStore, database: Database, server_uri: str, driver: str
) -> None:
    conversation = await store.create()
    root = await store.append(conversation.id, Message.user("root"))
    with writer(driver, server_uri, database.name, conversation.id, root.id, "a", "4") as process:
        assert line_of(process) == "ready"
        begin(process)
        assert [line_of(process) for _ in range(4)] == ["a-0", "a-1", "a-2", "a-3"]
        assert process.wait() == 0
    tree = await store.tree(conversation.id)
    assert [one.id for one in tree.children(root.id)] == ["a-0", "a-2"]
    for leaf, above in [("a-1", "a-0"), ("a-3", "a-2")]:
        request = await store.replay(conversation.id, leaf_id=leaf)
        assert request.revision_ids == (root.id, above, leaf)
    assert (await store.get(conversation.id)).selected_leaf_id == "a-3"
