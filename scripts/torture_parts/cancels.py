"""Tasks cancelled at any moment of any public method: the state stays valid, and the pool whole."""

from __future__ import annotations

import asyncio

import anyio

from convotree import ConversationStore, ConvotreeError
from scripts.torture_parts.trial import Trial, connected, drop, fresh_database
from tests.faults.operations import READS, WRITES, Operation, assert_valid, snapshot, tree_of

__all__ = ["run"]

POOL = 6
LONGEST = 0.03
"""Seconds until a cancellation: longer than most calls take, so that some end before it."""


async def run(trial: Trial) -> None:
    """Cancels until the time is over."""
    for driver in trial.drivers:
        database = fresh_database()
        async with connected(trial.uri, driver, database, maxPoolSize=POOL) as store:
            await store.setup()
            share = trial.deadline if driver == trial.drivers[-1] else _half(trial)
            while trial.goes_on() and asyncio.get_running_loop().time() < share:
                await _round(trial, store, driver)
            await _whole_pool(trial, store, driver)
        await drop(trial.uri, database)


def _half(trial: Trial) -> float:
    now = asyncio.get_running_loop().time()
    return now + (trial.deadline - now) / len(trial.drivers)


async def _round(trial: Trial, store: ConversationStore, driver: str) -> None:
    """Each operation cancelled once, then sent again: as if nothing had happened."""
    for operation in [*WRITES, *READS]:
        name = f"c{trial.tally.counts['cancels']}"
        await store.import_([tree_of(name)])
        if operation in WRITES:
            await store.import_([tree_of(f"{name} calm")])
            await operation.send(store, f"{name} calm")
        await _cancelled(trial, store, operation, name)
        trial.tally.counts["cancels"] += 1
        await assert_valid(store, operation.target(name))
        if operation not in WRITES:
            continue
        await operation.send(store, name)
        after = await snapshot(store, operation.target(name))
        calm = await snapshot(store, operation.target(f"{name} calm"))
        if after != calm:
            trial.tally.found(
                f"cancels, {driver}, seed {trial.seed}: {operation} sent again leaves {after}, not {calm}"
            )
        await assert_valid(store, operation.target(name))


async def _cancelled(trial: Trial, store: ConversationStore, operation: Operation, name: str) -> None:
    delay = trial.random.random() * LONGEST
    try:
        if trial.random.random() < 0.5:
            with anyio.move_on_after(delay):
                await operation.send(store, name)
            return
        task = asyncio.ensure_future(_send(operation, store, name))
        await asyncio.sleep(delay)
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
    except ConvotreeError as error:
        trial.tally.found(
            f"cancels, seed {trial.seed}: {operation}, cancelled after {delay:.4f} s, raised {error!r}"
        )


async def _send(operation: Operation, store: ConversationStore, name: str) -> None:
    await operation.send(store, name)


async def _whole_pool(trial: Trial, store: ConversationStore, driver: str) -> None:
    """As many calls at once as the pool has connections: one that leaked would leave a call waiting for ever."""
    await store.create("pool")
    try:
        async with asyncio.timeout(60):
            await asyncio.gather(*(store.get("pool") for _ in range(2 * POOL)))
    except TimeoutError:
        trial.tally.found(f"cancels, {driver}, seed {trial.seed}: the pool has lost connections")
