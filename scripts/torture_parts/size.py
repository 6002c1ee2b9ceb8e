"""Sizes that a conversation may have: long paths, many forks and siblings, much content, a full database.

Each part grows its own conversation on a database of its own and yields figures with the limit that they must keep.
"""

from __future__ import annotations

import contextlib
import tracemalloc
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass

from bson import encode

from convotree import Message, Select
from scripts.bench_rows.bench import Bench
from scripts.bench_rows.growing import grow_chain, grow_path, message
from scripts.bench_rows.row import Row, Unit
from scripts.bench_rows.timing import time_in_turn

__all__ = ["SizeScale", "measure_size"]

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class SizeScale:
    """How large everything is made; ``of`` gives the sizes of the issue times a factor."""

    path: int
    forks: int
    siblings: int
    streamed: int
    revisions: int
    conversations: int
    content: int

    @classmethod
    def of(cls, factor: float) -> SizeScale:
        """The full sizes times ``factor``."""

        def part(full: int) -> int:
            return max(1, round(full * factor))

        return cls(
            path=part(100_000),
            forks=part(10_000),
            siblings=part(10_000),
            streamed=part(200 * MEGABYTE),
            revisions=part(1_000_000),
            conversations=part(1_000),
            content=part(1_000 * MEGABYTE),
        )


async def measure_size(bench: Bench, empty: Bench, scale: SizeScale) -> AsyncIterator[Row]:
    """All parts. ``empty``: another database of the same server, to compare a full one with."""
    for part in (_long_path, _many_forks, _many_siblings, _streamed_path, _large_conversation):
        async for row in part(bench, scale):
            yield row
    async for row in _full_database(bench, empty, scale):
        yield row


async def _long_path(bench: Bench, scale: SizeScale) -> AsyncIterator[Row]:
    group = f"A path of {scale.path:,} revisions"
    await bench.store.create("long")
    ids = await grow_chain(bench.store, "long", scale.path)
    given = 0
    async with contextlib.aclosing(bench.store.stream_path("long")) as stream:
        async for revision in stream:
            assert (revision.id, revision.depth) == (ids[given], given), "a revision is missing"
            given += 1
    yield _exactly(group, "revisions given in order", given, scale.path)
    yield await _round_trips(bench, group, "its last 50", _last_50(bench, "long"), 1)
    appended = bench.counted.append("long", message(scale.path))
    yield await _round_trips(bench, group, "append at its end", appended, 3)
    first, last = await bench.documents("long", [ids[9], ids[-1 - (scale.path % 2 == 0)]])
    yield Row(
        group,
        "bytes of a revision at its end / at depth 9",
        len(encode(last)) / len(encode(first)),
        Unit.RATIO,
        aim=1.05,
    )
    violations = await bench.store.verify("long")
    yield _exactly(group, "violations found", len(violations), 0)


async def _many_forks(bench: Bench, scale: SizeScale) -> AsyncIterator[Row]:
    group = f"A path with {scale.forks:,} forks"
    path = await grow_path(bench.store, "forks", scale.forks + 1, scale.forks + 1)
    read = await bench.store.path("forks")
    yield _exactly(
        group, "revisions given in order", sum(a.id == b for a, b in zip(read, path, strict=True)), len(path)
    )
    yield await _round_trips(bench, group, "its last 50", _last_50(bench, "forks"), 1)
    starts = await bench.documents("forks", path[1:])
    held = [len(encode(start)) for start in starts]
    yield Row(
        group, "bytes of the largest lane start / of the first", max(held) / held[0], Unit.RATIO, aim=10
    )
    violations = await bench.store.verify("forks")
    yield _exactly(group, "violations found", len(violations), 0)


async def _many_siblings(bench: Bench, scale: SizeScale) -> AsyncIterator[Row]:
    group = f"{scale.siblings:,} siblings under one parent"
    await bench.store.create("siblings")
    root = await bench.store.append("siblings", message(0))
    newest = root
    for _ in range(scale.siblings):
        newest = await bench.store.append("siblings", message(1), parent_id=root.id, select=Select.NEVER)
    page = await bench.store.siblings("siblings", newest.id, limit=50)
    yield _exactly(group, "siblings counted", page.count, scale.siblings)
    yield _exactly(group, "ordinal of the newest", newest.ordinal, scale.siblings - 1)
    asked = bench.counted.siblings("siblings", newest.id, limit=50)
    yield await _round_trips(bench, group, "a page of 50", asked, 1)
    appended = bench.counted.append("siblings", message(1), parent_id=root.id, select=Select.NEVER)
    yield await _round_trips(bench, group, "one more", appended, 6)


async def _streamed_path(bench: Bench, scale: SizeScale) -> AsyncIterator[Row]:
    group = f"A path of {scale.streamed / MEGABYTE:,.0f} MB, as it comes"
    count = max(1, scale.streamed // MEGABYTE)
    await _fill(bench, "streamed", count, MEGABYTE)
    tracemalloc.start()
    try:
        given = 0
        async with contextlib.aclosing(bench.store.stream_path("streamed")) as stream:
            async for revision in stream:
                given += len(revision.message.text)
                del revision
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    yield _exactly(group, "characters given", given, count * MEGABYTE)
    # One batch of 16 MB as it came, decoded, and a few revisions.
    yield Row(group, "client memory at most", peak, Unit.BYTES, aim=80 * MEGABYTE)


async def _large_conversation(bench: Bench, scale: SizeScale) -> AsyncIterator[Row]:
    group = f"A conversation of {scale.content / MEGABYTE:,.0f} MB"
    size = 64_000
    await _fill(bench, "large", max(50, scale.content // size), size)
    yield await _round_trips(bench, group, "opened at its last 50", _last_50(bench, "large"), 1)
    yield await _round_trips(bench, group, "listed", bench.counted.list(limit=20), 1)


async def _full_database(bench: Bench, empty: Bench, scale: SizeScale) -> AsyncIterator[Row]:
    group = f"A database of {scale.revisions:,} revisions in {scale.conversations:,} conversations"
    each = scale.revisions // scale.conversations
    for number in range(scale.conversations):
        await bench.store.create(f"one of many {number}")
        await grow_chain(bench.store, f"one of many {number}", each)
    await grow_path(bench.store, "mine", 100, 3)
    await grow_path(empty.store, "mine", 100, 3)

    async def in_full() -> object:
        return await bench.store.path("mine")

    async def in_empty() -> object:
        return await empty.store.path("mine")

    taken = await time_in_turn({"full": in_full, "empty": in_empty}, runs=25)
    yield taken["full"].ratio(taken["empty"], group, "a path of 100 there / in an empty one", aim=1.3)


async def _fill(bench: Bench, conversation_id: str, count: int, size: int) -> None:
    """A conversation of ``count`` messages of ``size`` characters."""
    await bench.store.create(conversation_id)
    text = ("All work and no play. " * (size // 22 + 1))[:size]
    chunk = max(1, 16 * MEGABYTE // size)
    for start in range(0, count, chunk):
        messages = [Message.user(text)] * min(chunk, count - start)
        await bench.store.extend(conversation_id, messages, select=Select.ALWAYS)


def _exactly(group: str, name: str, value: int, wanted: int) -> Row:
    """A count that must be ``wanted``: how far it is from it."""
    return Row(group, f"{name}: {value:,}, off by", abs(value - wanted), Unit.COUNT, aim=0)


def _last_50(bench: Bench, conversation_id: str) -> Awaitable[object]:
    return bench.counted.path(conversation_id, last=50)


async def _round_trips(bench: Bench, group: str, name: str, asked: Awaitable[object], most: int) -> Row:
    """How many commands the counting store sends for what is ``asked``."""
    bench.round_trips.names.clear()
    await asked
    return Row(group, name, bench.round_trips.names.total(), Unit.ROUND_TRIPS, aim=most)
