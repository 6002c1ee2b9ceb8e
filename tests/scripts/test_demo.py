"""The demo: the main job on the shipped sample and on others' exports, and clear ends where there is nothing to do."""

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from convotree import interchange
from convotree.domain.parts import OpaquePart, ReasoningPart, ToolCallPart
from scripts import demo
from tests.interchange.forms import chatgpt_tree, librechat_conversation, librechat_message, text_of

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def engine() -> None:
    try:
        importlib.metadata.version("secantusdb")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the embedded engine is not installed")


def run(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the demo from another folder, on a terminal that knows ASCII only."""
    return subprocess.run(
        [sys.executable, REPOSITORY / "scripts" / "demo.py", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src"), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        encoding="ascii",
        check=False,
    )


def done(outcome: subprocess.CompletedProcess[str]) -> str:
    assert (outcome.returncode, outcome.stderr) == (0, "")
    return outcome.stdout


@pytest.mark.usefixtures("engine")
def test_the_main_job_on_the_sample(tmp_path: Path) -> None:
    output = done(run(tmp_path))

    assert "chatgpt export with 3 conversations" in output
    assert output.count("== The request before, for ") == output.count("== The request after, for ") == 2
    assert output.count("official SDK: 0 findings") == 4
    assert output.count("the same as before, byte for byte") == 2
    assert "verify: 0 violations" in output
    assert (
        '"price":3.50,"cost":1.10,"count":240,"seed":1180591620717411303424' in output
    )  # spelled as in the sample
    assert "assistant, 3 of 3, selected: Another answer" in output
    assert "user, 3 of 3, selected: And if every tenth" in output
    assert "\\u0141\\xf3d\\u017a" in output  # what the terminal cannot show is an escape
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("engine")
def test_a_second_run_on_kept_data_finds_everything_present(tmp_path: Path) -> None:
    done(run(tmp_path, "--data", "kept"))
    output = done(run(tmp_path, "--data", "kept"))

    assert ": 16 stored" not in output
    assert ": 0 stored, 16 present" in output
    assert "Another answer" in output.split("== Changes")[0]  # what the first run added is there


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    "name",
    [
        "chatgpt/modern_2026_with_corrupted_entry.json",
        "chatgpt/tree_regenerate_and_edit.json",
        "chatgpt/web_browsing_tools_linear.json",
        "librechat/flat_branches_two_roots.json",
        "librechat/flat_linear_equal_timestamps.json",
        "librechat/recursive_messagesTree_key.json",
    ],
)
def test_shared_samples(cases: Path, tmp_path: Path, name: str) -> None:
    output = done(run(tmp_path, cases / "exports" / name))

    assert output.count("official SDK: 0 findings") == 4
    assert output.count("the same as before, byte for byte") == 2
    assert "verify: 0 violations" in output
    assert "FAILED" not in output


@pytest.mark.usefixtures("engine")
def test_a_large_export_gives_a_small_output_that_says_what_is_not_shown(tmp_path: Path) -> None:
    long: dict[str, Any] = chatgpt_tree(
        {f"m{n}": f"m{n - 1}" if n else None for n in range(300)}, current="m299"
    )
    long["mapping"]["m298"]["message"]["content"]["parts"] = ["x" * 100_000]
    small = [{**chatgpt_tree({"a": None}), "conversation_id": f"s{number}"} for number in range(20)]
    path = tmp_path / "large.json"
    path.write_text(text_of([long, *small]), encoding="utf-8")

    output = done(run(tmp_path, path))

    assert len(output) < 30_000
    assert "260 more revisions not shown" in output
    assert "13 more conversations imported, not shown" in output
    assert "288 more messages not shown" in output
    assert "(100,000 characters)" in output


@pytest.mark.usefixtures("engine")
def test_an_export_without_an_answer_leaves_nothing_to_regenerate(tmp_path: Path) -> None:
    path = tmp_path / "question.json"
    path.write_text(text_of(librechat_conversation(librechat_message("q", None))), encoding="utf-8")

    assert "nothing to regenerate" in done(run(tmp_path, path))


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (None, "cannot be read: No such file"),
        (b'[{"mapping": }]', "line 1, column 14"),
        (b'["\xff"]', "byte 2"),
        (b'{"some": "thing"}', "top level"),
        (b'[{"title": "x", "current_node": "y"}]', "[0]: it has no mapping"),
    ],
)
def test_a_file_that_cannot_be_read_ends_with_one_line_and_status_two(
    tmp_path: Path, content: bytes | None, place: str
) -> None:
    path = tmp_path / "given.json"
    if content is not None:
        path.write_bytes(content)

    outcome = run(tmp_path, path)

    assert (outcome.returncode, outcome.stdout) == (2, "")
    (line,) = outcome.stderr.splitlines()
    assert line.startswith("demo: ")
    assert place in line
    assert "given.json" in line


@pytest.mark.usefixtures("engine")
def test_a_store_that_cannot_be_used_ends_with_status_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory", encoding="utf-8")

    outcome = run(tmp_path, "--data", "file")

    assert outcome.returncode == 1
    assert outcome.stderr.startswith("demo: ")


def test_the_sample_has_what_it_is_there_to_show() -> None:
    export = interchange.load(demo.SAMPLE)
    revisions = [one for conversation in export for one in conversation.revisions]
    parts = [part for one in revisions for part in one.message.parts]
    first = export.conversations[0]

    assert [len(conversation.revisions) for conversation in export] == [16, 9, 2]
    assert sum(one.parent_id is None for one in first.revisions) == 2
    assert {type(part) for part in parts} >= {ToolCallPart, ReasoningPart}
    assert any(isinstance(inner, OpaquePart) for part in parts for inner in getattr(part, "content", ()))
    assert export.conversations[1].title == "Grüße aus Łódź 🏮 – シュレーディンガー"
    assert export.problems == ()
    text = demo.SAMPLE.read_text(encoding="utf-8")
    for spelling in ("1e400", "-0,", '"unit.price": 1.10', '"$ref"', "1180591620717411303424"):
        assert spelling in text
    result = next(one for one in first.revisions if one.message.tool_results)
    assert result.message.provider_data is not None
    assert (
        '"elapsed":0.10,"overflow":1e400,"offset":-0,"$ref":"#/left","unit.price":1.10'
        in result.message.provider_data.text
    )


def test_texts_are_shown_on_one_line_and_cut() -> None:
    assert demo.shown("a\n b\x00\x1b[31m") == "a b\\x00\\x1b[31m"
    assert demo.shown("x" * 100, 10) == "xxxxxxxxxx…"
    assert demo.shown("\ud800") == "\\ud800"
    assert json.loads(demo.line({"n": 1.5, "t": "y" * 1000}))["t"].endswith("… (1,000 characters)")
