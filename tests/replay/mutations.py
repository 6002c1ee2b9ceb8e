"""JSON spoilt at random, the same way for the same seed."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

__all__ = ["spoilt"]

_VALUES: list[Any] = [
    None,
    "",
    " ",
    "x",
    "é\u2028",
    "bad id!",
    "a" * 70,
    0,
    -1,
    1.5,
    10**30,
    True,
    [],
    [None],
    [[]],
    {},
    {"type": "text"},
    [{"type": "text", "text": "hi"}],
    {"a": {"b": [1]}},
]


def spoilt(value: Any, random: Random, times: int) -> Any:
    """A copy with ``times`` places replaced, left out, doubled, exchanged or overwritten by another place's value."""
    value = copy.deepcopy(value)
    for _ in range(times):
        places = _places(value)
        if not places:
            break
        holder, key = random.choice(places)
        choice = random.random()
        if choice < 0.45:
            holder[key] = copy.deepcopy(random.choice(_VALUES))
        elif choice < 0.65:
            del holder[key]
        elif choice < 0.75 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif choice < 0.85 and isinstance(holder, list):
            other = random.randrange(len(holder))
            holder[key], holder[other] = holder[other], holder[key]
        else:
            source, name = random.choice(places)
            holder[key] = copy.deepcopy(source[name])
    return value


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every member of an object and element of an array, as what holds it and its key."""
    places: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        members = list(holder.items()) if isinstance(holder, dict) else list(enumerate(holder))
        for key, one in members:
            places.append((holder, key))
            if isinstance(one, (dict, list)):
                waiting.append(one)
    return places
