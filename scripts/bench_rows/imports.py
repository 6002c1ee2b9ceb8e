"""How long `import convotree` takes beside its two largest dependencies."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from collections.abc import Iterator

from scripts.bench_rows.row import Row, Unit
from scripts.bench_rows.timing import quartiles

NOTHING = "pass"
BASE = "import pymongo, pydantic"
LIBRARY = "import convotree"
AIM = 1.5


def measure(runs: int) -> Iterator[Row]:
    """By processor time, less that of an interpreter that imports nothing: other processes disturb it least."""
    # All from bytecode, whatever the caller's environment says about writing it.
    with tempfile.TemporaryDirectory(prefix="convotree-bench-") as folder:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        taken: dict[str, list[float]] = {NOTHING: [], BASE: [], LIBRARY: []}
        for run in range(-1, runs):
            for code, samples in taken.items():
                seconds = _seconds(code, environment)
                if run >= 0:
                    samples.append(seconds)
    start = statistics.median(taken[NOTHING])
    ratios = [(mine - start) / (base - start) for mine, base in zip(taken[LIBRARY], taken[BASE], strict=True)]
    yield Row(
        "Import",
        f"{LIBRARY} / {BASE}",
        statistics.median(ratios),
        Unit.RATIO,
        *quartiles(ratios),
        runs,
        (statistics.median(taken[LIBRARY]) - start) * 1e3,
        AIM,
    )


def _seconds(code: str, environment: dict[str, str]) -> float:
    process = os.posix_spawn(sys.executable, [sys.executable, "-c", code], environment)
    _, status, usage = os.wait4(process, 0)
    if status:
        raise RuntimeError(f"{code!r} failed in a fresh interpreter")
    return usage.ru_utime + usage.ru_stime
