"""The first migration changes nothing, also when it runs twice."""

from typing import Any

from convotree.storage.migrations import m0001_first_schema


async def test_it_touches_no_collection() -> None:
    def collection(name: str) -> Any:
        raise AssertionError(f"{name} was touched")

    for _ in range(2):
        await m0001_first_schema.apply(collection)

    assert m0001_first_schema.NUMBER == 1
