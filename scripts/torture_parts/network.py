"""A network that cuts, delays, or loses the answer of the n-th message of every write: exactly once after a retry."""

from __future__ import annotations

from convotree import ConversationStore, UnavailableError
from scripts.torture_parts.trial import Trial, connected, drop, fresh_database
from tests.faults.operations import WRITES, Operation, assert_valid, snapshot, tree_of
from tests.faults.wire_proxy import Trouble, WireProxy, wire_proxy

__all__ = ["run"]

RETRIES = 5


async def run(trial: Trial) -> None:
    """Every write, every message of it, every trouble; again in another order until the time is over."""
    whole = True
    while whole or trial.goes_on():
        for driver in trial.drivers:
            database = fresh_database()
            with wire_proxy(trial.uri) as (proxy, through):
                async with (
                    connected(trial.uri, driver, database) as calm,
                    connected(through, driver, database) as store,
                ):
                    await calm.setup()
                    writes = list(WRITES)
                    trial.random.shuffle(writes)
                    for operation in writes:
                        if whole or trial.goes_on():
                            await _every_message(trial, operation, calm, store, proxy, driver)
            await drop(trial.uri, database)
        whole = False


async def _every_message(
    trial: Trial,
    operation: Operation,
    calm: ConversationStore,
    store: ConversationStore,
    proxy: WireProxy,
    driver: str,
) -> None:
    name = f"{operation.name} {trial.tally.counts['disturbed']}"
    await calm.import_([tree_of(name)])
    proxy.disturb(0, Trouble.DELAY)
    await operation.send(store, name)
    messages = proxy.seen
    undisturbed = await snapshot(calm, operation.target(name))
    for nth in range(1, messages + 1):
        for trouble in Trouble:
            name = f"{operation.name} {trial.tally.counts['disturbed']} {trouble.value} {nth}"
            await calm.import_([tree_of(name)])
            proxy.disturb(nth, trouble)
            await _until_it_is_done(operation, store, name)
            trial.tally.counts["disturbed"] += 1
            # And once more, as a caller who never got the answer would.
            await _until_it_is_done(operation, store, name)
            after = await snapshot(calm, operation.target(name))
            if after != undisturbed:
                trial.tally.found(
                    f"network, {driver}: {operation} with message {nth} of {messages} {trouble.value} leaves {after}, "
                    f"not {undisturbed}"
                )
            await assert_valid(calm, operation.target(name))


async def _until_it_is_done(operation: Operation, store: ConversationStore, name: str) -> None:
    for _ in range(RETRIES):
        try:
            await operation.send(store, name)
        except UnavailableError:
            continue
        return
    raise AssertionError(f"{operation} was not done in {RETRIES} attempts")
