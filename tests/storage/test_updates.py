"""Updates: what each relies on stands in its filter."""

from datetime import UTC, datetime

import pytest

from convotree.domain.limits import MAX_REMEMBERED_LEAVES
from convotree.domain.selection import remembered
from convotree.identity import Key
from convotree.storage.documents import leaf_document, listing_key, point_document
from convotree.storage.updates import HeaderChange, PointerMove, header_change, pointer_move
from tests.domain.stored_values import SCOPE, Grove

NOW = datetime(2026, 5, 6, tzinfo=UTC)
POINT = Grove().add("q", None).point
TOUCHED = {"updated_at": NOW, "updated_key": listing_key(NOW, SCOPE.key)}


@pytest.mark.parametrize(
    ("move", "condition"),
    [
        (PointerMove(POINT, 3), {}),
        (PointerMove(POINT, 3, moves=7), {"moves": 7}),
        (PointerMove(POINT, 3, version=9), {"version": 9}),
        (PointerMove(POINT, 3, standing_on=True), {"selected": None}),
        (PointerMove(POINT, 3, standing_on=True, from_key=Key("k")), {"selected.key": "k"}),
        (PointerMove(POINT, 3, moves=7, version=9), {"moves": 7, "version": 9}),
    ],
)
def test_a_move_relies_on_its_epoch_and_its_conditions(
    move: PointerMove, condition: dict[str, object]
) -> None:
    query, update = pointer_move(SCOPE, move, NOW, sharded=False)

    assert query == {"_id": SCOPE.key, "epoch": 3, **condition}
    assert update == {
        "$set": {"selected": point_document(POINT), **TOUCHED},
        "$inc": {"version": 1, "moves": 1},
    }


def test_a_move_remembers_the_leaf_that_was_left() -> None:
    leaf = remembered(POINT)

    _, known = pointer_move(SCOPE, PointerMove(POINT, 0, memory=(leaf,)), NOW, sharded=False)
    _, unknown = pointer_move(SCOPE, PointerMove(POINT, 0, remember=leaf), NOW, sharded=False)

    assert known["$set"]["memory"] == [leaf_document(leaf)]
    assert "$push" not in known
    assert unknown["$push"]["memory"] == {
        "$each": [leaf_document(leaf)],
        "$position": 0,
        "$slice": MAX_REMEMBERED_LEAVES,
    }


def test_a_change_of_the_header_leaves_the_pointer_and_its_counter() -> None:
    query, update = header_change(
        SCOPE, HeaderChange((("title", "t"),), version=4, metadata=b"{}"), NOW, sharded=False
    )

    assert query == {"_id": SCOPE.key, "version": 4, "metadata": b"{}"}
    assert update == {"$set": {"title": "t", **TOUCHED}, "$inc": {"version": 1}}


def test_on_a_sharded_cluster_both_name_the_shard_key() -> None:
    named = {"tenant_id": SCOPE.tenant_id, "conversation_id": SCOPE.conversation_id}

    moving, _ = pointer_move(SCOPE, PointerMove(POINT, 0), NOW, sharded=True)
    changing, _ = header_change(SCOPE, HeaderChange(()), NOW, sharded=True)

    assert moving.items() >= named.items()
    assert changing.items() >= named.items()
