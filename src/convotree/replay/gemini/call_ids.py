"""Ids of calls at ingest: Gemini may give none, and then calls and responses belong together by their order.

Such a call gets an id of a form of its own, which is never sent: ``carries_no_id`` tells it.
"""

from __future__ import annotations

from collections import deque
from typing import Final

__all__ = ["CallIds", "carries_no_id"]

_PREFIX: Final = "gemini_no_id_"


def carries_no_id(tool_call_id: str) -> bool:
    """Whether this id stands for none, so that none is sent."""
    return tool_call_id.startswith(_PREFIX)


class CallIds:
    """Gives every call and response of one body an id. ``stem`` makes ids that are not there unique on a path."""

    def __init__(self, stem: str = "") -> None:
        self._stem = stem
        self._place = ""
        self._open: dict[str, str] = {}
        self._known: set[str] = set()
        self._unnamed: dict[str, deque[str]] = {}
        self._by_name: dict[str, deque[str]] = {}
        self._running: deque[str] = deque()
        self._order: list[str] = []

    def at(self, place: str) -> None:
        """The part that is read next, as part of an id."""
        self._place = place

    def begin_turn(self) -> None:
        """A turn of the model begins: what is open of the one before stays unanswered."""
        self._open = {}
        self._known = set()
        self._unnamed = {}
        self._by_name = {}
        self._order = []

    @property
    def order(self) -> list[str]:
        """The ids of the turn's calls, in order."""
        return self._order

    def of_call(self, given: str | None, name: str) -> str:
        """The id of a function call."""
        one = self._derived() if given is None else given
        self._open[one] = name
        self._known.add(one)
        self._order.append(one)
        self._by_name.setdefault(name, deque()).append(one)
        if given is None:
            self._unnamed.setdefault(name, deque()).append(one)
        return one

    def of_response(self, given: str | None, name: str | None) -> str:
        """The id of the call that a function response answers: by its id, else the next of its name."""
        if given is not None and given in self._known:
            self._open.pop(given, None)
            return given
        if name is None:
            found = next(iter(self._open), None) if given is None else None
        else:
            # A call that has an id is answered by it, as a rule: those without come first.
            found = self._next_open(self._unnamed.get(name))
            if found is None and given is None:
                found = self._next_open(self._by_name.get(name))
        if found is not None:
            del self._open[found]
            return found
        return self._derived() if given is None else given

    def of_hosted_call(self, given: str | None) -> str:
        """The id of a call that the provider ran."""
        if given is not None:
            return given
        one = self._derived()
        self._running.append(one)
        return one

    def of_hosted_result(self, given: str | None) -> str:
        """The id of the hosted call that this result belongs to."""
        if given is not None:
            return given
        return self._running.popleft() if self._running else self._derived()

    def _next_open(self, waiting: deque[str] | None) -> str | None:
        while waiting:
            one = waiting.popleft()
            if one in self._open:
                return one
        return None

    def _derived(self) -> str:
        return f"{_PREFIX}{self._stem}{self._place}"
