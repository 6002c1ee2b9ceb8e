"""What a shape says of a message, part or tool beyond its fields: kept in ``provider_data``, put back when written.

What is kept is the difference between what was read and what the value would be written as without it. So nothing is
kept twice, and what is written is what was read whatever a field can hold.
"""

from __future__ import annotations

from typing import Any

from convotree.domain.exact_json import ExactJson, split_object
from convotree.interchange.go_json import read_json
from convotree.interchange.go_struct import Members, Struct
from convotree.replay.exact_text import write_exact
from convotree.replay.reading import MisreadError

__all__ = ["foreign_data", "kept_aside", "put_back"]


def kept_aside(read: Members, said: Members, shape: str) -> ExactJson | None:
    """``provider_data`` that makes of the members ``said`` those that were ``read``; null stands for "not there"."""
    rest: dict[str, Any] = {name: value for name, value in read.items() if said.get(name) != value}
    rest.update((name, None) for name in said if name not in read)
    return ExactJson.stored(write_exact({shape: rest})) if rest else None


def put_back(said: Members, data: ExactJson | None, shape: str, struct: Struct) -> Members:
    """The members that ``kept_aside`` was given as ``read``, complete and in order.

    Raises:
        MisreadError: if what ``data`` holds under the name of the shape does not fit the struct.
    """
    own = None if data is None else split_object(data.text).get(shape)
    if own is None:
        return struct.complete(said)
    tree, _ = read_json(own, place="provider_data")
    try:
        return struct.complete({**said, **struct.bound(tree)})
    except MisreadError as error:
        raise error.within(f".provider_data.{shape}") from None


def foreign_data(data: ExactJson | None, shape: str) -> dict[str, tuple[str, ...]]:
    """What ``data`` holds for others than ``shape``: the names of the members for each."""
    if data is None:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for owner, text in split_object(data.text).items():
        if owner != shape:
            found[owner] = tuple(split_object(text)) if text.startswith("{") else ()
    return found
