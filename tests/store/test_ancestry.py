"""Whether one revision stands above another, from coordinates alone: compared with a walk over parents."""

import random

from convotree import ConversationStore, Select
from convotree.domain.stored import LaneStart, Scope
from convotree.identity import Key
from convotree.store.ancestry import is_at_or_below
from tests.store.interloper import Interloper
from tests.store.trees import message, plant

SCOPE = Scope("default", "c")


async def test_it_agrees_with_the_parents_of_a_random_tree(store: ConversationStore) -> None:
    rng = random.Random(7)
    await plant(store, "q0")
    for number in range(1, 90):
        await store.append(
            "c",
            message(f"{'aq'[number % 2]}{number}"),
            revision_id=f"r{number}",
            parent_id=rng.choice(["q0", *(f"r{one}" for one in range(max(1, number - 6), number))]),
            select=Select.NEVER,
        )
    tree = await store.tree("c")
    context = store._context
    points = {}
    for one in tree:
        point = await context.storage.revisions.find_point(SCOPE, SCOPE.revision_key(one.id))
        assert point is not None
        points[one.id] = point
    starts: dict[Key, LaneStart] = {}
    for leaf in rng.sample(list(points), 25):
        above = {one.id for one in await store.path("c", leaf_id=leaf)}
        for other in points:
            known = starts if rng.random() < 0.5 else {}
            found = await is_at_or_below(context, SCOPE, points[other], points[leaf], known)
            assert found == (other in above), (other, leaf)


async def test_a_lane_start_that_is_not_there_is_no_answer(
    store: ConversationStore, commands: Interloper
) -> None:
    await plant(store, "q1 a1", "q1 a2")
    context = store._context
    q1, a2 = [
        await context.storage.revisions.find_point(SCOPE, SCOPE.revision_key(one)) for one in ("q1", "a2")
    ]
    assert q1 is not None
    assert a2 is not None
    commands.clear()
    assert await is_at_or_below(context, SCOPE, q1, a2, {})
    assert commands.names == ["find"]
