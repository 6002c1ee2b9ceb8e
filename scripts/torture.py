"""What the store survives: random operations against a model, a broken network, killed processes and servers, cancelled
tasks, many writers; with --size also how large everything may be. Run it as ``scripts/torture``; docs/reliability.md
says what each part does and what came of the last long run.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from pymongo import AsyncMongoClient

from scripts.bench_rows.bench import DRIVERS, QUICK, open_bench
from scripts.bench_rows.row import Row, table
from scripts.torture_parts import cancels, concurrency, kills, machine, network
from scripts.torture_parts.size import SizeScale, measure_size
from scripts.torture_parts.trial import Tally, Trial, drop, fresh_database
from tests.engine_process import engine_process

__all__ = ["PARTS", "main"]

PARTS: Final[Mapping[str, Callable[[Trial], Awaitable[None]]]] = {
    "machine": machine.run,
    "network": network.run,
    "cancels": cancels.run,
    "writers": kills.kill_writers,
    "servers": kills.kill_servers,
    "concurrency": concurrency.run,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0 if nothing was found."""
    options = _parse(arguments)
    drivers = DRIVERS if options.driver == "both" else (options.driver,)
    began = time.monotonic()
    with _server(options.uri) as uri:
        if options.size is not None:
            return asyncio.run(_measure_size(uri, options.size))
        tally = asyncio.run(_run(uri, drivers, options.seed, options.seconds, options.only or list(PARTS)))
    counts = ", ".join(f"{count:,} {name}" for name, count in tally.counts.items())
    verdict = f"{len(tally.faults)} FAULTS" if tally.faults else "nothing lost, nothing broken"
    for fault in tally.faults:
        print(f"FAULT {fault}")
    print(f"seed {options.seed}, {time.monotonic() - began:.0f} s: {counts}: {verdict}", flush=True)
    return 1 if tally.faults else 0


async def _run(uri: str, drivers: tuple[str, ...], seed: int, seconds: float, parts: list[str]) -> Tally:
    """Each part in turn; what one leaves of its share of the time, the others have."""
    whole = Tally()
    end = time.monotonic() + seconds
    for number, part in enumerate(parts):
        now = time.monotonic()
        tally = Tally()
        trial = Trial(part, uri, drivers, seed, now + max(0.0, end - now) / (len(parts) - number), tally)
        try:
            await PARTS[part](trial)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is a fault of this part, and the others go on
            tally.found(f"{part}, seed {seed}: {error!r}")
        counts = ", ".join(f"{count:,} {name}" for name, count in tally.counts.items())
        print(f"{part}: {counts or 'nothing done'} in {time.monotonic() - now:.0f} s", flush=True)
        whole.counts.update(tally.counts)
        whole.faults += tally.faults
    return whole


async def _measure_size(uri: str, factor: float) -> int:
    full, empty = fresh_database(), fresh_database()
    rows: list[Row] = []
    try:
        async with (
            open_bench(uri, full, "pymongo", QUICK) as bench,
            open_bench(uri, empty, "pymongo", QUICK) as other,
        ):
            async for row in measure_size(bench, other, SizeScale.of(factor)):
                rows.append(row)
                print(f"{row.group}: {row.name}", file=sys.stderr, flush=True)
    finally:
        for database in (full, empty):
            await drop(uri, database)
    async with AsyncMongoClient[dict[str, Any]](uri) as client:
        version = (await client.server_info())["version"]
    print(json.dumps({"server": version, "factor": factor, "rows": [row.to_json() for row in rows]}))
    print(table(rows))
    missed = [row for row in rows if row.met is False]
    print(f"sizes times {factor:g}: {len(rows)} figures, {len(missed)} beyond their limit", flush=True)
    return 1 if missed else 0


@contextlib.contextmanager
def _server(uri: str | None) -> Iterator[str]:
    if uri is not None:
        yield uri
        return
    with engine_process() as started:
        yield started


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/torture", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0, help="for all parts together (default: 120)")
    parser.add_argument(
        "--seed", type=int, default=1, help="what everything random follows from (default: 1)"
    )
    parser.add_argument("--uri", help="a server to work on (default: an embedded engine of its own)")
    parser.add_argument("--driver", choices=[*DRIVERS, "both"], default="both")
    parser.add_argument("--only", action="append", choices=list(PARTS), help="this part only")
    parser.add_argument(
        "--size",
        type=float,
        nargs="?",
        const=1.0,
        metavar="FACTOR",
        help="instead: grow everything to the sizes of docs/limits.md, times FACTOR, and measure",
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
