"""Writes: independent of depth, beside what the bare driver needs to store the same documents."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import count

from convotree import Select
from convotree.domain.lanes import SEGMENT_LENGTH
from convotree.storage.collections import CONVERSATIONS
from convotree.storage.driver import Document
from scripts.bench_rows.bench import Bench
from scripts.bench_rows.growing import grow_path, message
from scripts.bench_rows.row import Row
from scripts.bench_rows.timing import Action, time_in_turn

CHAIN = 20
WRITERS = 16
BARE = "bare"
FLAT = 1.25
"""Two times that should be equal differ by less than this, as medians, on a machine that does other things too."""


async def measure(bench: Bench) -> AsyncIterator[Row]:
    await bench.indexed_collection(BARE)
    async for row in measure_append(bench):
        yield row
    async for row in measure_edit(bench):
        yield row
    async for row in measure_writers(bench):
        yield row


async def bare_writes(bench: Bench, name: str, number: int) -> Action:
    """The bare driver storing ``number`` revisions in one insert and moving a pointer: nothing read or checked."""
    conversation_id = f"bare-{name}"
    await grow_path(bench.store, conversation_id, number, 1)
    model = await bench.documents(conversation_id)
    collection, headers = bench.collection(BARE), bench.collection(CONVERSATIONS)
    header: Document = await headers.find_one({"conversation_id": conversation_id})
    written = count()

    async def write() -> None:
        turn = f"{name}-{next(written)}"
        linked = {"parent_id": turn, "parent_key": turn, "segment": turn}
        documents = [
            document | linked | {"_id": f"{turn}-{place}", "ordinal": place}
            for place, document in enumerate(model)
        ]
        if number == 1:
            await collection.insert_one(documents[0])
        else:
            await collection.insert_many(documents)
        await headers.update_one(
            {"_id": header["_id"]},
            {"$set": {"selected": header["selected"], "updated_key": turn}, "$inc": {"version": 1}},
        )

    return write


async def measure_append(bench: Bench) -> AsyncIterator[Row]:
    group = "Append"
    store = bench.store
    actions: dict[str, Action] = {
        "bare": await bare_writes(bench, "one", 1),
        "bare chain": await bare_writes(bench, "chain", CHAIN),
    }
    for depth in bench.sizes.depths:
        await grow_path(store, f"append-{depth}", depth, 1)
        actions[f"{depth}"] = _append(bench, f"append-{depth}")
    await grow_path(store, "extend", 10, 1)
    chain = [message(number) for number in range(CHAIN)]
    actions["extend"] = lambda: store.extend("extend", chain)
    taken = await time_in_turn(actions, runs=bench.sizes.writes)
    first, *others = bench.sizes.depths
    yield taken[f"{first}"].ratio(taken["bare"], group, "append / one bare insert_one and update_one")
    for depth in others:
        yield taken[f"{depth}"].ratio(
            taken[f"{first}"], group, f"append at depth {depth:,} / at depth {first:,}", aim=FLAT
        )
    yield taken["extend"].ratio(
        taken["bare chain"], group, f"extend by {CHAIN} / one bare insert_many of {CHAIN} and update_one"
    )
    yield taken["extend"].ratio(taken[f"{first}"], group, f"extend by {CHAIN} / append")


def _append(bench: Bench, conversation_id: str) -> Action:
    async def append() -> None:
        await bench.store.append(conversation_id, message(0))

    return append


async def measure_edit(bench: Bench) -> AsyncIterator[Row]:
    """An edit near the root must cost what it reads, not what lies below the revision it edits."""
    store, deep = bench.store, bench.sizes.deep
    group = f"An edit near the root of a lane of {deep:,}"
    short_path = await grow_path(store, "edit-short", 10, 1)
    deep_path = await grow_path(store, "edit-deep", deep, 1)
    segment = await bench.documents("edit-deep", deep_path[:SEGMENT_LENGTH])

    async def edit(conversation_id: str, path: list[str]) -> None:
        await store.edit(conversation_id, path[2], message(0), select=Select.NEVER)

    taken = await time_in_turn(
        {
            "short": lambda: edit("edit-short", short_path),
            "deep": lambda: edit("edit-deep", deep_path),
        },
        runs=bench.sizes.writes,
    )
    yield taken["deep"].ratio(taken["short"], group, "edit / the same edit in a lane of 10", aim=FLAT)
    taken = await time_in_turn(
        {
            "find": await bench.find_of_copy("segment", segment),
            "replay": lambda: store.replay("edit-deep", before=deep_path[3]),
        },
        runs=bench.sizes.writes,
    )
    yield taken["replay"].ratio(
        taken["find"], group, f"replay of the 3 above it / plain find of {len(segment)}, their segment"
    )
    whole = {
        "replay": lambda: store.replay("edit-deep", before=deep_path[3]),
        "whole": lambda: store.replay("edit-deep"),
    }
    taken = await time_in_turn(whole, runs=max(3, bench.sizes.runs // 3))
    yield taken["replay"].ratio(taken["whole"], group, "replay of the 3 above it / replay of the lane")


async def measure_writers(bench: Bench) -> AsyncIterator[Row]:
    store = bench.store
    group = f"{WRITERS} writers at once"
    apart = [f"writer-{number}" for number in range(WRITERS)]
    for conversation_id in apart:
        await grow_path(store, conversation_id, 2, 1)
    together = (await grow_path(store, "writers", 2, 1))[-1]
    bare = [await bare_writes(bench, conversation_id, 1) for conversation_id in apart]

    async def bare_at_once() -> None:
        await asyncio.gather(*(write() for write in bare))

    async def one_by_one() -> None:
        for conversation_id in apart:
            await store.append(conversation_id, message(0))

    async def side_by_side() -> None:
        await asyncio.gather(*(store.append(conversation_id, message(0)) for conversation_id in apart))

    async def under_one_parent() -> None:
        stored = await asyncio.gather(
            *(store.append("writers", message(0), parent_id=together) for _ in range(WRITERS))
        )
        assert len({revision.ordinal for revision in stored}) == WRITERS

    taken = await time_in_turn(
        {
            "bare": bare_at_once,
            "one by one": one_by_one,
            "apart": side_by_side,
            "one parent": under_one_parent,
        },
        runs=bench.sizes.runs,
    )
    yield taken["apart"].ratio(taken["bare"], group, "each in a conversation of its own / the bare driver")
    yield taken["apart"].ratio(taken["one by one"], group, "each in a conversation of its own / one by one")
    yield taken["one parent"].ratio(taken["apart"], group, "all under one parent / each in its own")
