"""What every operation shares: the tenant, the clock, checks of arguments."""

from datetime import timedelta
from typing import Any

import pytest

from convotree import InvalidArgumentError, InvalidIdError, ListOrder, Select, Settings
from convotree.domain.stored import Scope
from convotree.storage.storage import Storage
from convotree.store.context import StoreContext, check_count, check_enum, now, revision_key
from tests.conftest import Database


def test_the_clock_gives_what_a_document_keeps() -> None:
    time = now()

    assert time.utcoffset() == timedelta(0)
    assert time.microsecond % 1000 == 0


@pytest.mark.parametrize("member", list(Select))
def test_a_member_passes(member: Select) -> None:
    assert check_enum(member, Select, "select") is member


@pytest.mark.parametrize("bad", ["always", None, True, ListOrder.CREATED])
def test_what_is_no_member_is_refused(bad: Any) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        check_enum(bad, Select, "select")
    assert caught.value.argument == "select"
    assert "Select" in caught.value.reason


@pytest.mark.parametrize(("value", "least"), [(1, 1), (2**31 - 1, 1), (0, 0), (-1, -1)])
def test_a_count_passes(value: int, least: int) -> None:
    assert check_count(value, "last", least=least) == value


@pytest.mark.parametrize("bad", [0, -1, 2**31, 2**70, True, 1.0, "1", None, {"$gt": 0}])
def test_what_is_no_count_is_refused(bad: Any) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        check_count(bad, "last")
    assert caught.value.argument == "last"


async def test_a_scope_is_of_the_tenant(database: Database) -> None:
    context = StoreContext("ann", Storage.of(database, Settings()))

    assert context.scope("c") == Scope("ann", "c")
    assert context.for_tenant("bob").scope("c") == Scope("bob", "c")
    assert context.for_tenant("bob").storage is context.storage
    assert revision_key(context.scope("c"), "r", "revision_id") == Scope("ann", "c").revision_key("r")
    for bad in ("", "x" * 513, "\x00"):
        with pytest.raises(InvalidIdError) as caught:
            context.for_tenant(bad)
        assert caught.value.argument == "tenant_id"
        with pytest.raises(InvalidIdError) as caught:
            context.scope(bad)
        assert caught.value.argument == "conversation_id"
        with pytest.raises(InvalidIdError) as caught:
            revision_key(context.scope("c"), bad, "before")
        assert caught.value.argument == "before"
