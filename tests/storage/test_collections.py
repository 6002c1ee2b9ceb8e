"""Collections as data: each index has a reason, and those that a sharded cluster needs are as it needs them."""

from convotree.storage.collections import COLLECTIONS, REVISIONS
from convotree.storage.driver import index_name

SHARD_KEY = ("tenant_id", "conversation_id")


def test_every_collection_and_every_index_says_what_it_is_for() -> None:
    assert len({one.name for one in COLLECTIONS}) == len(COLLECTIONS)
    assert all(one.holds for one in COLLECTIONS)
    assert all(index.reason for one in COLLECTIONS for index in one.indexes)


def test_unique_indexes_have_the_shard_key_as_prefix() -> None:
    unique = [index for one in COLLECTIONS for index in one.indexes if index.unique]

    assert unique
    assert all(tuple(field for field, _ in index.keys)[:2] == SHARD_KEY for index in unique)


def test_no_index_is_a_prefix_of_another() -> None:
    for one in COLLECTIONS:
        names = [index_name(index.keys) for index in one.indexes]
        assert not [(a, b) for a in names for b in names if a != b and b.startswith(f"{a}_")]


def test_the_indexes_of_revisions_are_few() -> None:
    (revisions,) = (one for one in COLLECTIONS if one.name == REVISIONS)

    assert len(revisions.indexes) == 4, "each costs every insert: measure before another is added"
