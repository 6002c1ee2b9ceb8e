"""The benchmark: what reads and writes cost beside raw driver calls on the same server in the same run.

Run it as ``scripts/bench``; docs/benchmark.md says how to read it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import platform
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pymongo
from pymongo import AsyncMongoClient

from convotree.domain.lanes import SEGMENT_LENGTH
from scripts.bench_rows import imports, provider_bodies, reads, replay, round_trips, storage, writes
from scripts.bench_rows.bench import DRIVERS, FULL, QUICK, Bench, Sizes, open_bench
from scripts.bench_rows.row import Row, table
from scripts.peers.comparison import compare, markdown
from tests.engine_process import engine_process

SCHEMA = 1
GROUPS: dict[str, Callable[[Bench], AsyncIterator[Row]]] = {
    "replay": replay.measure,
    "writes": writes.measure,
    "reads": reads.measure,
    "round-trips": round_trips.measure,
    "storage": storage.measure,
    "bodies": provider_bodies.measure,
}
IMPORT_RUNS = 10


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    sizes = QUICK if options.quick else FULL
    drivers = DRIVERS if options.driver == "both" else (options.driver,)
    with _server(options.uri) as uri:
        if options.peers:
            outcomes = asyncio.run(compare(uri))
            print(markdown(outcomes))
            _write(
                options.json, {"peers": [one.to_json() for one in outcomes], **asyncio.run(_versions(uri))}
            )
            return 0
        report = asyncio.run(run(uri, drivers, sizes, groups=options.only or [*GROUPS, "import"]))
    _write(options.json, report)
    return 0


def _write(file: Path | None, report: dict[str, Any]) -> None:
    text = json.dumps(report, indent=1)
    if file is None:
        print(text)
    else:
        file.write_text(text + "\n", encoding="utf-8")


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--uri", help="a server to measure on (default: an embedded engine of its own)")
    parser.add_argument("--driver", choices=[*DRIVERS, "both"], default="pymongo")
    parser.add_argument(
        "--peers",
        action="store_true",
        help="instead: the same work put to other stores (needs the optional packages of the extra peers)",
    )
    parser.add_argument("--quick", action="store_true", help="smaller trees and fewer runs: a minute or so")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the JSON there instead of printing it"
    )
    parser.add_argument(
        "--only", action="append", choices=[*GROUPS, "import"], help="measure this group only"
    )
    return parser.parse_args(arguments)


@contextlib.contextmanager
def _server(uri: str | None) -> Iterator[str]:
    if uri is not None:
        yield uri
        return
    with engine_process() as started:
        yield started


async def run(uri: str, drivers: Sequence[str], sizes: Sizes, *, groups: Sequence[str]) -> dict[str, Any]:
    """Measure, print each group's rows as they come, and give all of it as plain JSON values.

    Works in a database of its own on each driver, which is dropped at the end.
    """
    report: dict[str, Any] = {"schema": SCHEMA, "segment_length": SEGMENT_LENGTH, **await _versions(uri)}
    report["drivers"] = {}
    for driver in drivers:
        print(f"\n== {driver}", flush=True)
        rows: list[Row] = []
        for group in groups:
            if group in GROUPS:
                rows += await _measure(uri, driver, sizes, group)
        report["drivers"][driver] = [row.to_json() for row in rows]
    if "import" in groups:
        rows = list(imports.measure(min(IMPORT_RUNS, sizes.runs)))
        print(table(rows), flush=True)
        report["import"] = [row.to_json() for row in rows]
    return report


async def _measure(uri: str, driver: str, sizes: Sizes, group: str) -> list[Row]:
    # A database for each group: none is slower because of what another has left.
    database = f"convotree_bench_{uuid4().hex[:12]}"
    began = time.monotonic()
    try:
        async with open_bench(uri, database, driver, sizes) as bench:
            rows = [row async for row in GROUPS[group](bench)]
    finally:
        async with AsyncMongoClient[dict[str, Any]](uri) as client:
            await client.drop_database(database)
    print(table(rows), flush=True)
    print(f"  ({group}: {time.monotonic() - began:.0f} s)", file=sys.stderr, flush=True)
    return rows


async def _versions(uri: str) -> dict[str, str]:
    async with AsyncMongoClient[dict[str, Any]](uri) as client:
        server = await client.server_info()
    return {
        "server": str(server["version"]),
        "pymongo": pymongo.version,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


if __name__ == "__main__":
    sys.exit(main())
