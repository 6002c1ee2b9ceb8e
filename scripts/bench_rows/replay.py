"""Replay and path as ratios to a plain ``find`` of the very documents they give."""

from __future__ import annotations

from collections.abc import AsyncIterator

from convotree.domain.choices import PromptChoice
from convotree.storage.collections import CONVERSATIONS
from convotree.storage.pipelines import PathQuery, Pipelines
from scripts.bench_rows.bench import PREFIX, Bench, scope_of
from scripts.bench_rows.growing import grow_branches, grow_path
from scripts.bench_rows.row import Row
from scripts.bench_rows.timing import time_in_turn

AIM = 2.0


async def measure(bench: Bench) -> AsyncIterator[Row]:
    sizes = bench.sizes
    # One that the path leaves goes on for so long: what a sweep reads in vain lies there.
    beside = sizes.path // 10
    for lanes, goes_on, aside in (
        (1, 1, 0),
        (10, 1, 0),
        (10, beside, 0),
        (1, 1, sizes.aside),
        (10, beside, sizes.aside),
    ):
        conversation_id = f"replay-{lanes}-{goes_on}-{aside}"
        path = await grow_path(bench.store, conversation_id, sizes.path, lanes, goes_on=goes_on)
        if aside:
            await grow_branches(bench.store, conversation_id, path, aside, sizes.aside_branches)
        group = f"Replay of {sizes.path:,} messages, {lanes} lane{'s' * (lanes > 1)}"
        if goes_on > 1:
            group += f" that go on for {goes_on} beside it"
        if aside:
            group += f", {aside:,} more on other branches"
        async for row in measure_one(bench, group, conversation_id, path):
            yield row


async def measure_one(bench: Bench, group: str, conversation_id: str, path: list[str]) -> AsyncIterator[Row]:
    find = await bench.find_of_copy("replayed", await bench.documents(conversation_id, path))
    query = PathQuery(prompt=PromptChoice.CURRENT)
    pipeline = Pipelines(PREFIX, sharded=False).path(scope_of(conversation_id), query)

    async def replay() -> None:
        request = await bench.store.replay(conversation_id)
        assert len(request.messages) == len(path)

    taken = await time_in_turn(
        {
            "find": find,
            "rows": lambda: bench.driver.aggregate(CONVERSATIONS, pipeline),
            "path": lambda: bench.store.path(conversation_id),
            "replay": replay,
        },
        runs=bench.sizes.runs,
    )
    yield taken["replay"].ratio(taken["find"], group, "replay / plain find", aim=AIM)
    yield taken["path"].ratio(taken["find"], group, "path / plain find")
    yield taken["rows"].ratio(taken["find"], group, "the aggregation alone, not decoded / plain find")
    yield taken["path"].ratio(taken["rows"], group, "path / the aggregation alone")
