"""A file's own ids: kept where they may be ids, unique within a conversation, the same at every import."""

from __future__ import annotations

from hashlib import sha256

from convotree.errors import InvalidIdError
from convotree.identity import MAX_ID_BYTES, check_id
from convotree.interchange.problems import Problems

__all__ = ["FileIds", "derived_id", "usable_id"]


def derived_id(prefix: str, *contents: str) -> str:
    """An id that follows from ``contents`` alone: ``prefix``, a hyphen and 32 hexadecimal characters."""
    digest = sha256()
    for content in contents:
        data = content.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return f"{prefix}-{digest.hexdigest()[:32]}"


def usable_id(given: str, *, place: str, problems: Problems) -> str:
    """``given`` if it may be an id, else one derived from it: reported."""
    try:
        return check_id(given, "id")
    except InvalidIdError as error:
        used = derived_id("id", given)
        problems.report(place, f"the id {given[:60]!r} was replaced by {used!r}: {error.reason}")
        return used


class FileIds:
    """The ids of one conversation's records: what the file calls each, and what it is called from here on.

    Of two records with one id the first keeps it, and links that name it mean the first.
    """

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._used_for: dict[str, str] = {}
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}

    def claim(self, given: str, place: str) -> str:
        """The id for a record that the file calls ``given``: a second record of this id gets ``given~2``."""
        if given not in self._used_for:
            self._used_for[given] = used = self.free(usable_id(given, place=place, problems=self._problems))
            return used
        used = self.free(self._used_for[given])
        self._problems.report(place, f"the id {given!r} occurs twice: this record is kept as {used!r}")
        return used

    def free(self, wanted: str) -> str:
        """``wanted``, or with the first free number from 2 behind it; taken from now on."""
        used = wanted
        while used in self._taken:
            self._numbers[wanted] = number = self._numbers.get(wanted, 1) + 1
            used = f"{wanted}~{number}"
        if len(used.encode()) > MAX_ID_BYTES:
            used = derived_id("id", used)
        self._taken.add(used)
        return used

    def find(self, given: str) -> str | None:
        """What the record that the file calls ``given`` is called; None: there is no such record."""
        return self._used_for.get(given)
