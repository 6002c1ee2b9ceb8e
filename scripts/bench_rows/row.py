"""One measured figure, and the table of all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import Enum


class Unit(Enum):
    """What a figure counts. A time is never a figure of its own: it would say something about the machine."""

    RATIO = "x"
    ROUND_TRIPS = "round trips"
    BYTES = "bytes"
    MICROSECONDS = "us"
    FRAMES = "frames"
    COUNT = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: a median over ``runs`` runs, with the quartiles ``low`` and ``high``; counts have no spread.

    ``milliseconds``: the median time behind a ratio, of this machine. ``aim``: what it should not exceed.
    """

    group: str
    name: str
    value: float
    unit: Unit
    low: float | None = None
    high: float | None = None
    runs: int = 1
    milliseconds: float | None = None
    aim: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the figure keeps its aim; None if it has none."""
        return None if self.aim is None else self.value <= self.aim

    def to_json(self) -> dict[str, object]:
        """The row as plain JSON values."""
        return asdict(self) | {"unit": self.unit.value, "met": self.met}


def table(rows: Iterable[Row]) -> str:
    """The rows as text, one line each, under a line for each group."""
    lines: list[str] = []
    group = ""
    for row in rows:
        if row.group != group:
            group = row.group
            lines += ["", group]
        spread = "" if row.low is None else f"{_number(row, row.low)} .. {_number(row, row.high)}"
        time = "" if row.milliseconds is None else f"{row.milliseconds:.2f} ms"
        aim = "" if row.aim is None else f"aim {_number(row, row.aim)}: {'met' if row.met else 'MISSED'}"
        figure = f"{_number(row, row.value)} {row.unit.value}"
        lines.append(f"  {row.name:<66} {figure:>18}  {spread:<16} {time:>12}  {aim}".rstrip())
    return "\n".join(lines)


def _number(row: Row, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if row.unit is Unit.RATIO else f"{value:,.0f}"
