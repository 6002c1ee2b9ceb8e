"""Many processes with many tasks on few conversations: all appends there, one winner each time, one order of moves."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from convotree import ConversationStore, Message, Select
from scripts.torture_parts.history import Seen, contradictions
from scripts.torture_parts.trial import Trial, connected, drop, fresh_database
from tests.faults.operations import assert_valid

__all__ = ["run"]

REPOSITORY = Path(__file__).resolve().parents[2]
PROCESSES = 8
CONVERSATIONS = 10
FREE_SECONDS = 2.0


async def run(trial: Trial) -> None:
    """Rounds until the time is over; at least one of each kind."""
    whole = True
    while (whole or trial.goes_on()) and not trial.tally.faults:
        for driver in trial.drivers:
            database = fresh_database()
            async with (
                connected(trial.uri, driver, database) as store,
                _crowd(trial, driver, database) as crowd,
            ):
                await store.setup()
                names = [f"c{number}" for number in range(CONVERSATIONS)]
                for name in names:
                    await store.create(name)
                    await store.extend(name, [Message.user("first"), Message.assistant("first")])
                await _contests(trial, store, crowd, driver)
                await _free(trial, store, crowd, names, driver)
            await drop(trial.uri, database)
        whole = False


Process = asyncio.subprocess.Process


@asynccontextmanager
async def _crowd(trial: Trial, driver: str, database: str) -> AsyncIterator[list[Process]]:
    async with AsyncExitStack() as stack:
        crowd: list[Process] = []
        for number in range(PROCESSES):
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "scripts.torture_parts.crowd",
                *(driver, trial.uri, database, f"p{number}"),
                cwd=REPOSITORY,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                limit=1 << 26,
            )
            stack.push_async_callback(_ended, process)
            crowd.append(process)
        yield crowd


async def _ended(process: Process) -> None:
    assert process.stdin is not None
    process.stdin.close()
    await process.wait()


async def _ask(crowd: list[Process], *order: Any) -> list[Any]:
    """What every process answers."""
    for process in crowd:
        assert process.stdin is not None
        process.stdin.write((json.dumps(order) + "\n").encode())
    answers = []
    for process in crowd:
        assert process.stdout is not None
        answers.append(json.loads(await process.stdout.readline()))
    return answers


async def _contests(trial: Trial, store: ConversationStore, crowd: list[Process], driver: str) -> None:
    """All append below the selected leaf and require it: all are stored, one wins, and the pointer is the winner's."""
    await store.create("contest")
    leaf = (await store.append("contest", Message.user("first"))).id
    for _ in range(3):
        answers = await _ask(crowd, "contest", "contest", leaf)
        results = [result for answer in answers for result in answer]
        winners = [revision_id for revision_id, won in results if won]
        there = {one.id for one in await store.tree("contest")}
        missing = {revision_id for revision_id, _ in results} - there
        selected = (await store.get("contest")).selected_leaf_id
        trial.tally.counts["contested appends"] += len(results)
        if len(winners) != 1 or missing or selected != winners[0]:
            trial.tally.found(
                f"concurrency, {driver}: winners {winners}, missing {sorted(missing)[:3]}, pointer {selected!r}"
            )
        leaf = (await store.append("contest", Message.user("next"), select=Select.ALWAYS)).id
    await assert_valid(store, "contest")


async def _free(
    trial: Trial, store: ConversationStore, crowd: list[Process], names: list[str], driver: str
) -> None:
    """All do as they like: what was acknowledged is there, and the moves of the pointer have one order."""
    answers = await _ask(crowd, "free", FREE_SECONDS, names)
    for name in names:
        appended = {one for answer in answers for at, one in answer["appended"] if at == name}
        there = {one.id for one in await store.tree(name)}
        if not appended <= there:
            trial.tally.found(f"concurrency, {driver}: {name} has lost {sorted(appended - there)[:3]}")
        history = [
            Seen(began, ended, version, leaf)
            for answer in answers
            for at, began, ended, version, leaf in answer["seen"]
            if at == name
        ]
        trial.tally.counts["free appends"] += len(appended)
        trial.tally.counts["looks and selections"] += len(history)
        for problem in contradictions(history)[:3]:
            trial.tally.found(f"concurrency, {driver}: the pointer of {name}: {problem}")
        await assert_valid(store, name)
