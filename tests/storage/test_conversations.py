"""Headers: found whole and lean, changed only under the conditions named, listed in pages."""

from dataclasses import replace
from datetime import timedelta

from convotree.domain.choices import ListOrder
from convotree.domain.selection import remembered
from convotree.domain.stored import Scope
from convotree.storage.storage import Storage
from convotree.storage.updates import HeaderChange, PointerMove
from tests.command_log import CommandLog
from tests.domain.stored_values import SCOPE, TIME, Grove, header


def grown() -> Grove:
    grove = Grove()
    grove.add("a", None)
    grove.add("z", None)
    return grove


async def test_a_header_comes_back_as_it_was_stored(storage: Storage) -> None:
    whole = replace(grown().header("a"), memory=(remembered(grown().add("y", None).point),))

    assert await storage.conversations.insert(whole)
    assert not await storage.conversations.insert(whole)

    assert await storage.conversations.find(SCOPE) == whole
    assert await storage.conversations.find(Scope("other", SCOPE.conversation_id)) is None
    lean = await storage.conversations.find_lean(SCOPE)
    assert lean is not None
    assert (lean.selected, lean.moves, lean.epoch, lean.memory) == (whole.selected, 2, 3, ())


async def test_the_pointer_moves_only_under_its_conditions(storage: Storage, commands: CommandLog) -> None:
    grove = grown()
    a, z = grove.revisions["a"].point, grove.revisions["z"].point
    await storage.conversations.insert(grove.header("a"))

    for move in (
        PointerMove(z, epoch=4),
        PointerMove(z, epoch=3, moves=1),
        PointerMove(z, epoch=3, version=4),
        PointerMove(z, epoch=3, standing_on=True, from_key=z.key),
        PointerMove(z, epoch=3, standing_on=True, from_key=None),
    ):
        assert not await storage.conversations.move_pointer(SCOPE, move, TIME), move
    commands.clear()
    assert await storage.conversations.move_pointer(
        SCOPE, PointerMove(z, epoch=3, standing_on=True, from_key=a.key, remember=remembered(a)), TIME
    )
    assert commands.names == ["update"]

    moved = await storage.conversations.find(SCOPE)
    assert moved is not None
    assert (moved.selected, moved.moves, moved.version, moved.memory) == (z, 3, 6, (remembered(a),))
    assert await storage.conversations.move_pointer(
        SCOPE, PointerMove(a, epoch=3, moves=3, version=6, memory=()), TIME
    )
    assert await storage.conversations.find(SCOPE) == replace(
        moved, selected=a, moves=4, version=7, memory=()
    )


async def test_a_change_leaves_the_pointer(storage: Storage) -> None:
    await storage.conversations.insert(grown().header("a"))
    later = TIME + timedelta(seconds=1)

    changed = await storage.conversations.change(SCOPE, HeaderChange((("title", "new"),), version=5), later)
    again = await storage.conversations.change(SCOPE, HeaderChange((("title", "x"),), version=5), later)
    other = await storage.conversations.change(SCOPE, HeaderChange((), metadata=b'{"other":1}'), later)

    assert changed is not None
    assert (changed.title, changed.version, changed.moves, changed.updated_at) == ("new", 6, 2, later)
    assert (again, other) == (None, None)


async def test_pages_follow_each_other_although_times_are_equal(storage: Storage) -> None:
    for number in range(7):
        scope = Scope("tenant", str(number))
        time = TIME + timedelta(seconds=number // 3)
        await storage.conversations.insert(
            replace(header(None), scope=scope, created_at=time, updated_at=TIME)
        )
    await storage.conversations.insert(replace(header(None), scope=Scope("other", "x")))

    for order in ListOrder:
        seen: list[str] = []
        after = None
        while page := await storage.conversations.list_page("tenant", order, limit=2, after=after):
            seen += [one.scope.conversation_id for _, one in page]
            after = page[-1][0]
        assert sorted(seen) == [str(number) for number in range(7)]
        if order is ListOrder.CREATED:
            assert [int(one) // 3 for one in seen] == [2, 1, 1, 1, 0, 0, 0]
