"""The same work put to every store on one server in one run, and what came of it, column by column."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import uuid4

from bson import encode
from pymongo import AsyncMongoClient

from scripts.peers.convotree_peer import Convotree
from scripts.peers.langchain_peer import LangChain
from scripts.peers.langgraph_peer import LangGraph
from scripts.peers.one_document import OneDocument
from scripts.peers.openai_agents_peer import OpenAIAgents
from scripts.peers.peer import Peer

__all__ = ["PEERS", "Outcome", "compare", "markdown"]

PEERS: Sequence[Callable[[], Peer]] = (
    Convotree,
    OneDocument,
    LangChain,
    OpenAIAgents,
    lambda: LangGraph("sync"),
    lambda: LangGraph("exit"),
)

TURNS = 200
EDGE = 20
REGENERATIONS = 20
WRITERS = 4
TURNS_OF_A_WRITER = 10
_WORDS = "lorem ipsum dolor sit amet, " * 22
"""A message has about 0.6 kB."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Times are medians in milliseconds, to be compared within one run only. ``lost``, ``doubled``: messages."""

    name: str
    version: str
    first_turns: float
    last_turns: float
    load: float
    fork: float
    regenerate: float
    answers_kept: int
    bytes_stored: int
    lost: int
    doubled: int
    doubled_by_a_repetition: int
    remarks: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self)


async def compare(
    uri: str, *, turns: int = TURNS, peers: Sequence[Callable[[], Peer]] = PEERS
) -> list[Outcome]:
    """Every store in turn, each on a database of its own, all with acknowledged and journaled writes."""
    separator = "&" if "?" in uri else "?"
    durable = f"{uri}{separator}w=majority" + ("" if "journal=" in uri else "&journal=true")
    outcomes = []
    for make in peers:
        database = f"convotree_peers_{uuid4().hex[:12]}"
        peer = make()
        await peer.open(durable, database)
        try:
            outcomes.append(await _put_to_work(peer, uri, database, turns))
        finally:
            await peer.close()
            async with AsyncMongoClient[dict[str, Any]](uri) as client:
                await client.drop_database(database)
    return outcomes


async def _put_to_work(peer: Peer, uri: str, database: str, turns: int) -> Outcome:
    taken = []
    for number in range(turns):
        began = time.perf_counter()
        await peer.turn("talk", _text(f"q{number}"), _text(f"a{number}"), f"t{number}")
        taken.append(time.perf_counter() - began)
    stored = await _bytes(uri, database)
    load = await _median(lambda: peer.load("talk"), 9)
    assert len(await peer.load("talk")) == 2 * turns, "the conversation is not whole"
    regenerations = []
    for number in range(REGENERATIONS):
        began = time.perf_counter()
        await peer.regenerate("talk", _text(f"a{turns - 1} again {number}"))
        regenerations.append(time.perf_counter() - began)
    kept = await peer.answers_kept("talk")
    began = time.perf_counter()
    fork = await peer.fork("talk", turns // 2)
    await peer.turn(fork, _text("q forked"), _text("a forked"), "forked")
    forked = time.perf_counter() - began
    assert len(await peer.load(fork)) == turns // 2 * 2 + 2, "the fork is not where it should be"
    await peer.turn("again", _text("once"), _text("answered"), "same")
    await peer.turn("again", _text("once"), _text("answered"), "same")
    repeated = len(await peer.load("again")) - 2
    lost, doubled = await _crowd(peer)
    return Outcome(
        name=peer.name,
        version=peer.version,
        first_turns=_milliseconds(taken[:EDGE]),
        last_turns=_milliseconds(taken[-EDGE:]),
        load=load,
        fork=1000 * forked,
        regenerate=_milliseconds(regenerations),
        answers_kept=kept,
        bytes_stored=stored,
        lost=lost,
        doubled=doubled,
        doubled_by_a_repetition=repeated,
        remarks=peer.remarks,
    )


async def _crowd(peer: Peer) -> tuple[int, int]:
    """Several writers at once on one conversation: how many of their messages are lost, and how many there twice."""
    await peer.turn("crowd", "first q", "first a", "first")

    async def write(name: int) -> None:
        for number in range(TURNS_OF_A_WRITER):
            await peer.turn("crowd", f"{name} q{number}", f"{name} a{number}", f"w{name} {number}")

    await asyncio.gather(*(write(name) for name in range(WRITERS)), return_exceptions=True)
    there = Counter(await peer.load("crowd"))
    wanted = {
        f"{name} {kind}{number}"
        for name in range(WRITERS)
        for number in range(TURNS_OF_A_WRITER)
        for kind in "qa"
    }
    lost = sum(one not in there for one in wanted)
    return lost, sum(count - 1 for one, count in there.items() if one in wanted)


async def _bytes(uri: str, database: str) -> int:
    """All documents of the database, as BSON."""
    total = 0
    async with AsyncMongoClient[dict[str, Any]](uri) as client:
        for name in await client[database].list_collection_names():
            async for document in client[database][name].find({}):
                total += len(encode(document))
    return total


async def _median(action: Callable[[], Any], runs: int) -> float:
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        await action()
        taken.append(time.perf_counter() - began)
    return _milliseconds(taken)


def _milliseconds(taken: Sequence[float]) -> float:
    return 1000 * statistics.median(taken)


def _text(start: str) -> str:
    return f"{start} {_WORDS}"[:600]


def markdown(outcomes: Sequence[Outcome]) -> str:
    """The table of docs/benchmark.md: times as multiples of the first store's, which is this library."""
    own = outcomes[0]
    lines = [
        "| store | turn at the start | turn at the end | growth of a turn | load | fork and a turn | regenerate "
        "| answers kept | bytes | lost by 4 writers | doubled by them | doubled by a repetition |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for one in outcomes:
        times = [
            f"{getattr(one, name) / getattr(own, name):.1f}"
            for name in ("first_turns", "last_turns", "load", "fork", "regenerate")
        ]
        times.insert(2, f"{one.last_turns / one.first_turns:.1f} x")
        counts = [
            f"{one.answers_kept} of {REGENERATIONS + 1}",
            f"{one.bytes_stored / own.bytes_stored:.1f}",
            str(one.lost),
            str(one.doubled),
            str(one.doubled_by_a_repetition),
        ]
        lines.append(f"| {one.name} | {' | '.join([*times, *counts])} |")
    return "\n".join(lines)
