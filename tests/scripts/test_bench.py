"""The benchmark runs from end to end on tiny trees, on both drivers; what it measures there says nothing."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from scripts import bench
from scripts.bench_rows.bench import DRIVERS, Sizes
from scripts.bench_rows.row import Row, Unit, table
from scripts.bench_rows.timing import Timing, time_in_turn

TINY = Sizes(
    path=20,
    aside=8,
    aside_branches=2,
    depths=(3, 5),
    siblings=(3,),
    deep=140,
    long=150,
    side_branches=2,
    window=5,
    forks=(1, 2),
    inserts=10,
    runs=2,
    writes=2,
)
# How often a public method asks the server does not depend on how much is stored.
PROMISED = {
    "append to a leaf": 3,
    "append of a tool result": 3,
    "path": 1,
    "replay": 1,
    "siblings": 1,
    "tree": 2,
}


@pytest.fixture(params=DRIVERS)
async def report(request: pytest.FixtureRequest, server_uri: str) -> dict[str, Any]:
    return await bench.run(server_uri, [request.param], TINY, groups=[*bench.GROUPS, "import"])


async def test_a_run_measures_every_group_and_is_json(report: dict[str, Any]) -> None:
    [rows] = json.loads(json.dumps(report))["drivers"].values()

    assert report["schema"] == 1
    # Plain counts belong to scripts/torture --size.
    assert {row["unit"] for row in rows} == {unit.value for unit in Unit if unit is not Unit.COUNT}
    assert all(math.isfinite(row["value"]) for row in rows)
    assert all(row["met"] == (row["value"] <= row["aim"]) for row in rows if row["aim"] is not None)
    assert len({(row["group"], row["name"]) for row in rows}) == len(rows)
    trips = {row["name"]: row["value"] for row in rows if row["group"] == "Round trips"}
    assert {name: trips[name] for name in PROMISED} == PROMISED
    [imported] = report["import"]
    assert imported["value"] > 0


async def test_it_leaves_nothing_on_the_server(client: Any, server_uri: str, driver: str) -> None:
    await bench.run(server_uri, [driver], TINY, groups=["round-trips"])

    assert not [name for name in await client.list_database_names() if name.startswith("convotree_bench")]


def test_the_command_writes_its_json_to_a_file(
    server_uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "QUICK", TINY)
    file = tmp_path / "figures.json"

    status = bench.main(
        ["--quick", "--uri", server_uri, "--driver", "both", "--only", "round-trips", "--json", str(file)]
    )

    assert status == 0
    assert set(json.loads(file.read_text())["drivers"]) == {"pymongo", "motor"}
    assert "append to a leaf" in capsys.readouterr().out


def test_a_ratio_is_taken_within_each_run() -> None:
    row = Timing((2.0, 4.0, 9.0)).ratio(Timing((1.0, 2.0, 3.0)), "group", "name", aim=1.5)

    assert (row.value, row.low, row.high, row.runs, row.milliseconds) == (2.0, 2.0, 2.5, 3, 4000.0)
    assert row.met is False


def test_a_table_has_a_line_for_each_row_under_its_group() -> None:
    rows = [
        Row("One", "a", 1.234, Unit.RATIO, 1.0, 2.0, 5, 3.5, 2.0),
        Row("One", "b", 1500, Unit.BYTES),
        Row("Two", "c", 3, Unit.ROUND_TRIPS, aim=2),
    ]

    assert [line.split() for line in table(rows).splitlines()] == [
        [],
        ["One"],
        ["a", "1.23", "x", "1.00", "..", "2.00", "3.50", "ms", "aim", "2.00:", "met"],
        ["b", "1,500", "bytes"],
        [],
        ["Two"],
        ["c", "3", "round", "trips", "aim", "2:", "MISSED"],
    ]


async def test_what_is_compared_takes_turns_after_a_run_that_does_not_count() -> None:
    called: list[str] = []

    async def call(name: str) -> None:
        called.append(name)

    taken = await time_in_turn({"a": lambda: call("a"), "b": lambda: call("b")}, runs=2)

    assert called[:2] == ["a", "b"]
    assert [sorted(called[turn : turn + 2]) for turn in (2, 4)] == [["a", "b"], ["a", "b"]]
    assert len(called) == 6
    assert [len(timing.samples) for timing in taken.values()] == [2, 2]
