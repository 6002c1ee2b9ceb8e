"""scripts/torture: each part for a few seconds, and that it finds what is broken."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree import Conversation, ConversationStore
from scripts import torture
from scripts.torture_parts.history import Seen, contradictions
from scripts.torture_parts.machine import chosen

SECONDS = "4"


@pytest.mark.parametrize("part", ["machine", "cancels", "writers", "servers"])
def test_nothing_is_lost(server_uri: str, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--uri", server_uri, "--seconds", SECONDS, "--only", part, "--driver", "pymongo"]
    status = torture.main(arguments)
    summary = capsys.readouterr().out.splitlines()[-1]
    assert (status, summary.endswith("nothing lost, nothing broken")) == (0, True), summary
    assert summary.startswith("seed 1, ")


def test_a_crowd_loses_nothing(server_uri: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = torture.main(
        ["--uri", server_uri, "--seconds", "1", "--only", "concurrency", "--driver", "pymongo"]
    )
    summary = capsys.readouterr().out.splitlines()[-1]
    assert (status, "192 contested appends" in summary) == (0, True), summary


@pytest.mark.slow
def test_sizes_keep_their_limits(server_uri: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = torture.main(["--uri", server_uri, "--size", "0.01"])
    lines = capsys.readouterr().out.splitlines()
    assert (status, lines[-1]) == (0, "sizes times 0.01: 18 figures, 0 beyond their limit"), lines


def test_what_is_broken_is_found(
    server_uri: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store whose ``select`` does nothing, but says that it did."""

    async def select(self: ConversationStore, conversation_id: str, *_: Any, **__: Any) -> Conversation:
        return await self.get(conversation_id)

    monkeypatch.setattr(ConversationStore, "select", select)
    arguments = ["--uri", server_uri, "--seconds", "20", "--only", "machine", "--driver", "pymongo"]
    status = torture.main(arguments)
    lines = capsys.readouterr().out.splitlines()
    assert status == 1
    assert lines[-1].endswith("1 FAULTS")
    assert lines[-2].startswith("FAULT machine, seed 1, step ")


def test_the_same_seed_chooses_the_same_operations() -> None:
    one, other, third = Random("a"), Random("a"), Random("b")
    steps = [repr(chosen(one)) for _ in range(50)]
    assert steps == [repr(chosen(other)) for _ in range(50)]
    assert steps != [repr(chosen(third)) for _ in range(50)]


class TestHistory:
    """Whether moves of a pointer have one order."""

    @given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 6)), max_size=20))
    def test_what_happened_one_after_the_other_has_an_order(self, moves: list[tuple[float, int]]) -> None:
        version, history = 1, []
        for number, (length, steps) in enumerate(moves):
            version += steps
            history.append(Seen(2.0 * number, 2.0 * number + length, version, f"leaf {version}", moved=True))
            history.append(Seen(2.0 * number + length, 2.0 * number + 1.5, version, f"leaf {version}"))
        assert contradictions(history) == []

    def test_what_overlaps_may_have_any_order(self) -> None:
        assert contradictions([Seen(0, 3, 2, "b"), Seen(1, 2, 1, "a")]) == []

    @pytest.mark.parametrize(
        "history",
        [
            [Seen(0, 1, 2, "b"), Seen(2, 3, 1, "a")],
            [Seen(0, 3, 1, "a"), Seen(1, 2, 1, "b")],
            [Seen(0, 3, 2, "a", moved=True), Seen(1, 2, 2, "a", moved=True)],
            [Seen(0, 1, 2, "a"), Seen(2, 3, 2, "a", moved=True)],
        ],
        ids=["back in time", "two leaves", "made twice", "made after it was seen"],
    )
    def test_what_no_order_explains_is_found(self, history: list[Seen]) -> None:
        assert len(contradictions(history)) == 1
