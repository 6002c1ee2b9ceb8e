"""What every operation of a store works with: the tenant, the storages, a clock; and checks of arguments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from typing import TypeVar

from convotree.domain.brief_repr import brief
from convotree.domain.stored import Scope
from convotree.errors import InvalidArgumentError
from convotree.identity import Key, check_id
from convotree.storage.storage import Storage

__all__ = ["StoreContext", "check_count", "check_enum", "now"]

_E = TypeVar("_E", bound=Enum)


@dataclass(frozen=True, slots=True)
class StoreContext:
    """One tenant's view of one database."""

    tenant_id: str
    storage: Storage

    def for_tenant(self, tenant_id: str) -> StoreContext:
        """The same for another tenant."""
        return replace(self, tenant_id=check_id(tenant_id, "tenant_id"))

    def scope(self, conversation_id: str) -> Scope:
        """The scope of one conversation of the tenant.

        Raises:
            InvalidIdError: if the id is no plain, bounded string.
        """
        return Scope(self.tenant_id, check_id(conversation_id, "conversation_id"))


def now() -> datetime:
    """The time in UTC, cut to the milliseconds that are stored, so that a write returns what a read will."""
    time = datetime.now(UTC)
    return time.replace(microsecond=time.microsecond // 1000 * 1000)


def revision_key(scope: Scope, revision_id: str, argument: str) -> Key:
    """The key of a revision whose id a caller gave.

    Raises:
        InvalidIdError: if the id is no plain, bounded string.
    """
    return scope.revision_key(check_id(revision_id, argument))


def check_enum(value: object, expected: type[_E], argument: str) -> _E:
    """``value`` if it is a member of ``expected``.

    Raises:
        InvalidArgumentError: otherwise; a string is not taken for a member.
    """
    if not isinstance(value, expected):
        raise InvalidArgumentError(
            argument=argument, reason=f"a {expected.__name__} was expected, not {brief(value)}"
        )
    return value


def check_count(value: object, argument: str, *, least: int = 1) -> int:
    """``value`` if it is an int of at least ``least`` and at most 2**31 - 1.

    Raises:
        InvalidArgumentError: otherwise.
    """
    if type(value) is not int or not least <= value < 1 << 31:
        raise InvalidArgumentError(
            argument=argument, reason=f"an int of at least {least} was expected, not {brief(value)}"
        )
    return value
