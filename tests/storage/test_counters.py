"""Ordinals: each number is given once, also to many at once, and a counter that lags catches up."""

import asyncio

import pytest

from convotree.domain.encoded import encode_message
from convotree.domain.message import Message
from convotree.storage.storage import Storage
from tests.command_log import CommandLog
from tests.domain.stored_values import SCOPE, draftsman

PARENT = SCOPE.roots_key


async def test_numbers_begin_at_one_and_rise(storage: Storage, commands: CommandLog) -> None:
    assert await storage.counters.next_ordinal(SCOPE, PARENT) == 1
    commands.clear()
    assert await storage.counters.next_ordinal(SCOPE, PARENT) == 2
    assert commands.names == ["update", "find"]
    assert await storage.counters.next_ordinal(SCOPE, SCOPE.revision_key("other")) == 1


async def test_a_counter_that_was_read_gives_its_number_in_one_command(
    storage: Storage, commands: CommandLog
) -> None:
    commands.clear()

    assert await storage.counters.next_ordinal(SCOPE, PARENT, known=0) == 1
    assert await storage.counters.next_ordinal(SCOPE, PARENT, known=2) == 2
    assert await storage.counters.next_ordinal(SCOPE, PARENT, known=3) == 3

    assert commands.names == ["insert", "update", "update"]


@pytest.mark.parametrize("known", [0, 2, 9])
async def test_a_counter_that_moved_since_it_was_read_gives_the_next(storage: Storage, known: int) -> None:
    for expected in (1, 2, 3):
        assert await storage.counters.next_ordinal(SCOPE, PARENT) == expected

    assert await storage.counters.next_ordinal(SCOPE, PARENT, known=known) == 4


async def test_no_number_is_given_twice_however_they_are_taken(storage: Storage) -> None:
    takers = [
        storage.counters.next_ordinal(SCOPE, PARENT, known=number) for number in (0, 0, 2, 2, 3, 4, None)
    ]

    taken = await asyncio.gather(*takers)

    assert len(set(taken)) == len(taken)


async def test_no_number_is_given_twice(storage: Storage) -> None:
    taken = await asyncio.gather(*(storage.counters.next_ordinal(SCOPE, PARENT) for _ in range(50)))

    assert sorted(taken) == list(range(1, 51))


async def test_a_counter_that_was_lost_catches_up_with_the_siblings(storage: Storage) -> None:
    for ordinal in (0, 1, 2, 7):
        plan = draftsman().later_child(None, None, ordinal, f"r{ordinal}", encode_message(Message.user("x")))
        assert await storage.revisions.insert(plan)
    assert await storage.counters.next_ordinal(SCOPE, PARENT) == 1

    await storage.counters.catch_up(SCOPE, None, PARENT)

    assert await storage.counters.next_ordinal(SCOPE, PARENT) == 8


async def test_catching_up_never_goes_back(storage: Storage) -> None:
    await storage.counters.start_at(SCOPE, {PARENT: 20})

    await storage.counters.catch_up(SCOPE, None, PARENT)
    await storage.counters.start_at(SCOPE, {PARENT: 5, SCOPE.revision_key("r"): 3})

    assert await storage.counters.next_ordinal(SCOPE, PARENT) == 20
    assert await storage.counters.next_ordinal(SCOPE, SCOPE.revision_key("r")) == 3
