"""A server killed under load and started again: no revision that was acknowledged is gone."""

import asyncio
from pathlib import Path

from convotree import ConversationStore, Message, Settings, UnavailableError
from tests.conftest import Connect
from tests.faults.killable_engine import killable_engine

WRITERS = 6
# Enough that writers are in every stage of a write when the server dies.
BEFORE_THE_KILL = 60


async def test_nothing_acknowledged_is_lost_when_the_server_is_killed_under_load(
    connect: Connect, tmp_path: Path
) -> None:
    with killable_engine(tmp_path) as engine:
        async with connect(engine.uri, serverSelectionTimeoutMS=500) as client:
            store = ConversationStore(client["killed"], settings=Settings(operation_timeout_ms=2000))
            await store.setup()
            conversation = await store.create()
            root = await store.append(conversation.id, Message.user("root"))
            acknowledged: list[str] = []
            enough = asyncio.Event()

            async def write(name: str) -> None:
                above = root.id
                try:
                    for number in range(10_000):
                        stored = await store.append(
                            conversation.id,
                            Message.user("text"),
                            parent_id=root.id if number % 5 == 0 else above,
                            revision_id=f"{name}-{number}",
                        )
                        above = stored.id
                        acknowledged.append(stored.id)
                        if len(acknowledged) >= BEFORE_THE_KILL:
                            enough.set()
                except UnavailableError:
                    return

            writers = [asyncio.ensure_future(write(f"w{number}")) for number in range(WRITERS)]
            await enough.wait()
            await asyncio.to_thread(engine.kill)
            await asyncio.gather(*writers)
            await asyncio.to_thread(engine.start)

            tree = await store.tree(conversation.id)
            assert set(acknowledged) <= {one.id for one in tree}
            assert await store.verify(conversation.id) == []
            for leaf in tree.leaves:
                request = await store.replay(conversation.id, leaf_id=leaf.id)
                assert request.revision_ids == tuple(one.id for one in tree.path_to(leaf.id))
            # And the store goes on where it was.
            after = await store.append(conversation.id, Message.user("after"), parent_id=root.id)
            assert (await store.path(conversation.id, leaf_id=after.id))[-1].id == after.id
            assert await store.verify(conversation.id) == []
