"""Timing: all that is compared takes turns, so that what disturbs the machine disturbs all of it alike."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from scripts.bench_rows.row import Row, Unit

Action = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds that one action took in each run."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    def ratio(self, base: Timing, group: str, name: str, *, aim: float | None = None) -> Row:
        """The row that says how long this took as a ratio to ``base``.

        The ratio is taken within each run: of these the median, with their quartiles.
        """
        ratios = [mine / theirs for mine, theirs in zip(self.samples, base.samples, strict=True)]
        low, high = quartiles(ratios)
        return Row(
            group,
            name,
            statistics.median(ratios),
            Unit.RATIO,
            low,
            high,
            len(ratios),
            self.median * 1e3,
            aim,
        )


async def time_in_turn(actions: Mapping[str, Action], *, runs: int) -> dict[str, Timing]:
    """How long each action took, ``runs`` times in changing order after one run that does not count.

    What an action leaves behind (in caches, for the garbage collector of the server) so weighs on all others alike.
    """
    samples: dict[str, list[float]] = {name: [] for name in actions}
    names = list(actions)
    order = random.Random(0)
    for run in range(-1, runs):
        for name in names:
            gc.collect()
            began = time.perf_counter()
            await actions[name]()
            took = time.perf_counter() - began
            if run >= 0:
                samples[name].append(took)
        order.shuffle(names)
    return {name: Timing(tuple(taken)) for name, taken in samples.items()}


def quartiles(values: list[float]) -> tuple[float, float]:
    """The first and the third quartile."""
    if len(values) < 2:
        return values[0], values[0]
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    return first, third
