"""Stored bytes per revision and per fork beside the bytes of the message, and what each index costs an insert."""

from __future__ import annotations

import statistics
from collections.abc import AsyncIterator, Callable
from itertools import count

from bson import encode
from pymongo.errors import OperationFailure

from convotree.storage.collections import COLLECTIONS, REVISIONS, Index
from convotree.storage.driver import Document
from scripts.bench_rows.bench import Bench, Documents
from scripts.bench_rows.growing import grow_path
from scripts.bench_rows.row import Row, Unit
from scripts.bench_rows.timing import Action, quartiles, time_in_turn


async def measure(bench: Bench) -> AsyncIterator[Row]:
    async for row in measure_bytes(bench):
        yield row
    async for row in measure_forks(bench):
        yield row
    async for row in measure_indexes(bench):
        yield row


async def measure_bytes(bench: Bench) -> AsyncIterator[Row]:
    group = "Stored bytes of a revision"
    await grow_path(bench.store, "bytes", bench.sizes.path, 1)
    documents = await bench.documents("bytes")
    questions = [one for one in documents if one["role"] == "user" and one["parent_id"] is not None]
    answers = [one for one in documents if one["role"] == "assistant"]
    for kind, some in (("question", questions), ("answer", answers)):
        content = _median(some, _content_bytes)
        yield Row(group, f"the message of a {kind}, as JSON", content, Unit.BYTES)
        beside = _median(some, lambda one: len(encode(one)) - _content_bytes(one))
        yield Row(group, f"what stands beside it in the BSON of a {kind}", beside, Unit.BYTES)
    alone = "bytes_alone"
    await bench.indexed_collection(alone)
    await bench.collection(alone).insert_many(documents)
    try:
        stats: Document = await bench.database.command("collStats", bench.collection(alone).name)
    except OperationFailure:
        return
    for name, field in (("the collection", "storageSize"), ("its indexes", "totalIndexSize")):
        if stats.get(field):
            yield Row(group, f"{name} on disk by collStats", stats[field] / len(documents), Unit.BYTES)


async def measure_forks(bench: Bench) -> AsyncIterator[Row]:
    """A path that forks at every revision: what its newest lane start holds of the forks above it."""
    group = "Stored bytes of a fork"
    most = max(bench.sizes.forks)
    path = await grow_path(bench.store, "forks", most + 1, most + 1)
    starts = await bench.documents("forks", path)
    for forks in bench.sizes.forks:
        held = len(encode(starts[forks]["forks"]))
        yield Row(group, f"what a lane start holds below {forks} fork{'s' * (forks > 1)}", held, Unit.BYTES)
    mean = sum(len(encode(start["forks"])) for start in starts[1:]) / (len(starts) - 1)
    yield Row(group, f"the mean of the first {most}", mean, Unit.BYTES)


def _content_bytes(document: Document) -> int:
    return sum(len(part["json"]) for part in document["parts"])


def _median(documents: Documents, measure: Callable[[Document], int]) -> float:
    return statistics.median(measure(document) for document in documents)


async def measure_indexes(bench: Bench) -> AsyncIterator[Row]:
    group = "One more index on the revisions"
    number = bench.sizes.inserts
    await grow_path(bench.store, "indexes", number, 10)
    model = await bench.documents("indexes")
    indexes = next(kept.indexes for kept in COLLECTIONS if kept.name == REVISIONS)
    actions = {"none": await _inserts(bench, "index_none", model, ())}
    for place, index in enumerate(indexes):
        actions[_name(index)] = await _inserts(bench, f"index_{place}", model, (index,))
    actions["all"] = await _inserts(bench, "index_all", model, indexes)
    taken = await time_in_turn(actions, runs=bench.sizes.runs)
    none = taken["none"]
    for name, timing in taken.items():
        if name == "none":
            continue
        costs = [
            (mine - bare) / len(model) * 1e6 for mine, bare in zip(timing.samples, none.samples, strict=True)
        ]
        label = "all of them, per inserted document" if name == "all" else f"{name}, per inserted document"
        yield Row(group, label, statistics.median(costs), Unit.MICROSECONDS, *quartiles(costs), len(costs))
    yield taken["all"].ratio(none, group, "insert_many with all of them / with none")


def _name(index: Index) -> str:
    return ", ".join(field for field, _ in index.keys)


async def _inserts(bench: Bench, name: str, model: Documents, indexes: tuple[Index, ...]) -> Action:
    collection = bench.collection(name)
    await collection.drop()
    for index in indexes:
        await collection.create_index(list(index.keys), unique=index.unique)
    written = count()

    async def insert() -> None:
        turn = next(written)
        # As another conversation would have them: keys of their own, as long as ever.
        other = {"conversation_id": f"{turn:08}"}
        documents = [
            document
            | other
            | {key: f"{turn:08}{document[key][8:]}" for key in ("_id", "parent_key", "segment")}
            for document in model
        ]
        await collection.insert_many(documents)

    return insert
