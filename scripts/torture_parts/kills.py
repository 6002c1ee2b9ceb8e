"""Writers and servers killed in the middle of their work: nothing acknowledged is lost, and the rest goes on."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import tempfile
from pathlib import Path

from convotree import ConversationStore, Message, Settings, UnavailableError
from scripts.torture_parts.trial import Trial, connected, drop, fresh_database
from scripts.torture_parts.writer import write_without_end
from tests.faults.killable_engine import KillableEngine, killable_engine
from tests.faults.operations import assert_valid

__all__ = ["kill_servers", "kill_writers"]

REPOSITORY = Path(__file__).resolve().parents[2]
WRITERS = 3
CONVERSATIONS = 4
LARGEST = 1_500
"""Acknowledged revisions in one database; then another is begun, so that looking at all of it stays quick."""


async def kill_writers(trial: Trial) -> None:
    """Processes killed by SIGKILL, a few at work at once, until the time is over."""
    while trial.goes_on() and not trial.tally.faults:
        driver = trial.random.choice(trial.drivers)
        database = fresh_database()
        async with connected(trial.uri, driver, database) as store:
            names = await _conversations(store)
            acknowledged: list[tuple[str, str]] = []
            while trial.goes_on() and len(acknowledged) < LARGEST:
                before = len(acknowledged)
                seeds = [f"w{trial.tally.counts['writers killed']}x{number}" for number in range(WRITERS)]
                said = await asyncio.gather(
                    *(_killed_writer(trial, driver, database, seed, names) for seed in seeds)
                )
                acknowledged += [line for lines in said for line in lines]
                trial.tally.counts["writers killed"] += WRITERS
                trial.tally.counts["acknowledged"] += len(acknowledged) - before
                await _look(trial, store, acknowledged, f"writers killed, {driver}")
        await drop(trial.uri, database)


async def _killed_writer(
    trial: Trial, driver: str, database: str, seed: str, names: list[str]
) -> list[tuple[str, str]]:
    """What a writer said before it was killed, some time after its first write."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "scripts.torture_parts.writer",
        *(driver, trial.uri, database, seed, *names),
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        said = await process.stdout.readline()
        await asyncio.sleep(trial.random.random() * 0.4)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    said += await process.stdout.read()
    await process.wait()
    # A line that was cut off was not said.
    return [_pair(line) for line in said.decode().splitlines(keepends=True) if line.endswith("\n")]


async def kill_servers(trial: Trial) -> None:
    """An engine of its own killed under load and started again on its data, until the time is over."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        while trial.goes_on() and not trial.tally.faults:
            own = Path(folder) / f"engine{trial.tally.counts['servers killed']}"
            own.mkdir()
            with killable_engine(own, "--sync-on-commit") as engine:
                await _one_engine(trial, engine, trial.random.choice(trial.drivers))


async def _one_engine(trial: Trial, engine: KillableEngine, driver: str) -> None:
    settings = Settings(operation_timeout_ms=3000)
    async with connected(
        engine.uri, driver, "killed", settings=settings, serverSelectionTimeoutMS=1000
    ) as store:
        await store.setup()
        names = await _conversations(store)
        acknowledged: list[tuple[str, str]] = []
        while trial.goes_on() and len(acknowledged) < LARGEST:
            before = len(acknowledged)
            kills = trial.tally.counts["servers killed"]
            writers = [
                asyncio.ensure_future(_write(store, f"s{kills}x{number}", names, acknowledged))
                for number in range(WRITERS)
            ]
            await asyncio.sleep(0.1 + trial.random.random())
            await asyncio.to_thread(engine.kill)
            await asyncio.gather(*writers)
            await asyncio.to_thread(engine.start)
            trial.tally.counts["servers killed"] += 1
            trial.tally.counts["acknowledged"] += len(acknowledged) - before
            await _look(trial, store, acknowledged, f"servers killed, {driver}")


async def _write(
    store: ConversationStore, seed: str, names: list[str], acknowledged: list[tuple[str, str]]
) -> None:
    """Write until the server is gone."""
    with contextlib.suppress(UnavailableError):
        await write_without_end(
            store,
            seed,
            names,
            said=lambda conversation, revision: acknowledged.append((conversation, revision)),
        )


async def _conversations(store: ConversationStore) -> list[str]:
    await store.setup()
    names = [f"c{number}" for number in range(CONVERSATIONS)]
    for name in names:
        await store.create(name)
        await store.extend(name, [Message.user("first"), Message.assistant("first")])
    return names


async def _look(
    trial: Trial, store: ConversationStore, acknowledged: list[tuple[str, str]], what: str
) -> None:
    """All that was acknowledged is there, every conversation verifies and every leaf replays, and work goes on."""
    by_conversation: dict[str, set[str]] = {}
    for conversation_id, revision_id in acknowledged:
        by_conversation.setdefault(conversation_id, set()).add(revision_id)
    for conversation_id, wanted in by_conversation.items():
        there = {one.id for one in await store.tree(conversation_id)}
        if not wanted <= there:
            trial.tally.found(
                f"{what}, seed {trial.seed}: {conversation_id} has lost {sorted(wanted - there)[:5]}"
            )
        try:
            await assert_valid(store, conversation_id)
        except AssertionError as error:
            trial.tally.found(f"{what}, seed {trial.seed}: {conversation_id} is not valid: {error}")
    for conversation_id in list(by_conversation)[:1]:
        after = await store.append(conversation_id, Message.user("after"))
        assert (await store.path(conversation_id, leaf_id=after.id))[-1].id == after.id


def _pair(line: str) -> tuple[str, str]:
    conversation_id, _, revision_id = line.strip().partition(" ")
    return conversation_id, revision_id
