"""Ids of tool calls in the target's own alphabet and length.

An id that fits stays as it is. One that does not is replaced by a readable form of it with a piece of its hash: the
same on every rendering, in calls and results alike, and never one that the request already holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from convotree.replay.target import Target

__all__ = ["IdMap"]

_OUTSIDE: Final = re.compile(r"[^A-Za-z0-9_-]+")
_HASH_LENGTH: Final = 12


class IdMap:
    """The ids of one rendering. ``reserved``: all ids that keep their spelling; no other id becomes one of them."""

    def __init__(self, target: Target, reserved: Iterable[str]) -> None:
        self._target = target
        self._taken = {one for one in reserved if self.fits(one)}
        self._mapped: dict[str, str] = {}
        self._repeats: dict[tuple[str, int], str] = {}

    def fits(self, tool_call_id: str) -> bool:
        """Whether the target takes this id."""
        return (
            len(tool_call_id) <= self._target.longest_id
            and self._target.tool_call_id.fullmatch(tool_call_id) is not None
        )

    def id_for(self, tool_call_id: str) -> str:
        """The id that stands for ``tool_call_id``: itself if it fits."""
        if self.fits(tool_call_id):
            return tool_call_id
        mapped = self._mapped.get(tool_call_id)
        if mapped is None:
            mapped = self._mapped[tool_call_id] = self._derive(tool_call_id, tool_call_id)
        return mapped

    def another_for(self, tool_call_id: str, number: int) -> str:
        """An id for the ``number``-th call that repeats ``tool_call_id`` within its turn."""
        key = (tool_call_id, number)
        if key not in self._repeats:
            self._repeats[key] = self._derive(tool_call_id, f"{number} {tool_call_id}")
        return self._repeats[key]

    def _derive(self, readable: str, seed: str) -> str:
        # Counting on from a taken one ends: each try has a hash of its own.
        room = self._target.longest_id - _HASH_LENGTH - 1
        stem = _OUTSIDE.sub("_", readable[: min(room, 40)]).strip("_") or "call"
        attempt = 0
        while True:
            digest = sha256(f"{attempt} {seed}".encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]
            derived = f"{stem}_{digest}"
            if derived not in self._taken:
                self._taken.add(derived)
                return derived
            attempt += 1
