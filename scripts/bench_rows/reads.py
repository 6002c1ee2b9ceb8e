"""Siblings, tree, a window at the end of a long path, and a path too long for recursion."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import AsyncIterator
from types import FrameType

from bson import encode

from convotree import Select
from convotree.storage.collections import REVISIONS
from scripts.bench_rows.bench import TENANT, Bench
from scripts.bench_rows.growing import grow_branches, grow_path, message
from scripts.bench_rows.row import Row, Unit
from scripts.bench_rows.timing import Action, time_in_turn

SKELETON = {
    "_id": 0,
    "schema": 1,
    "revision_id": 1,
    "parent_id": 1,
    "ordinal": 1,
    "depth": 1,
    "lane_id": 1,
    "role": 1,
}
PAGE = 20
# A further batch may take another way through the driver; recursion would need one for each revision.
MOST_FRAMES = 20


async def measure(bench: Bench) -> AsyncIterator[Row]:
    async for row in measure_siblings(bench):
        yield row
    async for row in measure_tree(bench):
        yield row
    async for row in measure_window(bench):
        yield row
    async for row in measure_long_path(bench):
        yield row


async def measure_siblings(bench: Bench) -> AsyncIterator[Row]:
    store = bench.store
    for number in bench.sizes.siblings:
        conversation_id = f"siblings-{number}"
        path = await grow_path(store, conversation_id, 2, 1)
        for _ in range(number - 1):
            await store.regenerate(conversation_id, path[1], message(1), select=Select.NEVER)
        query = {"tenant_id": TENANT, "conversation_id": conversation_id, "parent_id": path[0]}
        taken = await time_in_turn(
            {
                "find": lambda query=query: bench.collection(REVISIONS).find(query).to_list(None),  # type: ignore[misc]  # bound in the loop
                "all": _siblings(bench, conversation_id, path[1], None),
                "page": _siblings(bench, conversation_id, path[1], PAGE),
            },
            runs=bench.sizes.runs,
        )
        group = f"{number:,} siblings"
        yield taken["all"].ratio(taken["find"], group, "siblings / plain find of them")
        yield taken["page"].ratio(taken["find"], group, f"a page of {PAGE} / plain find of all of them")


def _siblings(bench: Bench, conversation_id: str, revision_id: str, limit: int | None) -> Action:
    async def siblings() -> None:
        await bench.store.siblings(conversation_id, revision_id, limit=limit)

    return siblings


async def measure_tree(bench: Bench) -> AsyncIterator[Row]:
    number = bench.sizes.path
    await grow_path(bench.store, "tree", number, 10)
    query = {"tenant_id": TENANT, "conversation_id": "tree"}
    taken = await time_in_turn(
        {
            "find": lambda: bench.collection(REVISIONS).find(query, SKELETON).to_list(None),
            "tree": lambda: bench.store.tree("tree"),
        },
        runs=bench.sizes.runs,
    )
    yield taken["tree"].ratio(
        taken["find"], f"Tree of {number:,}", "tree / plain find of the fields it shows"
    )


async def measure_window(bench: Bench) -> AsyncIterator[Row]:
    store, window = bench.store, bench.sizes.window
    path = await grow_path(store, "window", bench.sizes.deep, 1)
    newest = await bench.documents("window", path[-window:])
    taken = await time_in_turn(
        {
            "find": await bench.find_of_copy("window", newest),
            "window": lambda: store.path("window", last=window),
            "page": lambda: store.path("window", last=window, before=path[-window]),
        },
        runs=bench.sizes.writes,
    )
    group = f"The last {window} of {len(path):,}"
    yield taken["window"].ratio(taken["find"], group, "path(last) / plain find of them")
    yield taken["page"].ratio(taken["find"], group, "the page before / plain find of as many")
    whole = {"window": lambda: store.path("window", last=window), "whole": lambda: store.path("window")}
    taken = await time_in_turn(whole, runs=max(3, bench.sizes.runs // 3))
    yield taken["window"].ratio(taken["whole"], group, "path(last) / the whole path")


async def measure_long_path(bench: Bench) -> AsyncIterator[Row]:
    store, sizes = bench.store, bench.sizes
    path = await grow_path(store, "long", sizes.long, 1)
    await grow_branches(store, "long", path, sizes.side_branches * 10, sizes.side_branches)
    await grow_path(store, "short", 10, 1)
    group = f"A path of {sizes.long:,} beside {sizes.side_branches} branches"
    documents = await bench.documents("long", path)
    find = await bench.find_of_copy("long", documents)

    async def read() -> None:
        assert len(await store.path("long")) == sizes.long

    taken = await time_in_turn({"find": find, "path": read}, runs=max(3, sizes.runs // 3))
    yield taken["path"].ratio(taken["find"], group, "path / plain find")
    # A batch of rows ends at 16 MB; around each document stands what says where it belongs.
    batches = 1 + sum(len(encode(one)) + 100 for one in documents) // (16 * 1024 * 1024)
    bench.round_trips.names.clear()
    await bench.counted.path("long")
    trips = bench.round_trips.names.total()
    yield Row(group, f"path, which fills {batches} batches of 16 MB", trips, Unit.ROUND_TRIPS, aim=batches)
    plain = await _peak(find)
    yield Row(group, "client memory at most: path / plain find", await _peak(read) / plain, Unit.RATIO)
    deeper = await _frames(read) - await _frames(lambda: store.path("short"))
    yield Row(group, "Python frames deeper than for a path of 10", deeper, Unit.FRAMES, aim=MOST_FRAMES)


async def _peak(action: Action) -> int:
    """The most bytes that Python held for an action, above what it held before."""
    tracemalloc.start()
    try:
        kept = await action()
        del kept
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


async def _frames(action: Action) -> int:
    """The deepest call stack during an action, as calls within the task that runs it."""
    deepest = depth = 0

    def watch(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal deepest, depth
        if event == "call":
            depth += 1
            deepest = max(deepest, depth)
        elif event == "return":
            depth = max(depth - 1, 0)

    sys.setprofile(watch)
    try:
        await action()
    finally:
        sys.setprofile(None)
    return deepest
