"""Filters: bare values, tenant and conversation in all that is not a key, and beside a key on a sharded cluster."""

import pytest

from convotree.domain.stored import Scope
from convotree.identity import Key
from convotree.storage import filters

SCOPE = Scope("t", "c")
NAMED = {"tenant_id": "t", "conversation_id": "c"}


@pytest.mark.parametrize("sharded", [False, True])
def test_one_document_is_found_by_its_key(sharded: bool) -> None:
    beside = NAMED if sharded else {}

    assert filters.header(SCOPE, sharded=sharded) == {"_id": SCOPE.key, **beside}
    assert filters.by_key(SCOPE, Key("k"), sharded=sharded) == {"_id": "k", **beside}
    assert filters.by_keys(SCOPE, [Key("k"), Key("l")], sharded=sharded) == {
        "_id": {"$in": ["k", "l"]},
        **beside,
    }


def test_revisions_are_found_by_the_prefix_of_an_index() -> None:
    assert filters.all_revisions(SCOPE) == NAMED
    assert filters.children_of(SCOPE, "p") == {**NAMED, "parent_id": "p"}
    assert filters.children_of(SCOPE, None) == {**NAMED, "parent_id": None}


def test_a_listing_names_the_tenant() -> None:
    assert filters.tenant_page("t", "created_key", None) == {"tenant_id": "t"}
    assert filters.tenant_page("t", "created_key", "k") == {"tenant_id": "t", "created_key": {"$lt": "k"}}
