"""The sweep by lanes gives what a plain walk over parents gives, and what ``$graphLookup`` gives."""

import inspect
from collections.abc import Mapping
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from convotree import ConversationStore
from tests.conftest import Database
from tests.properties.example_settings import server_examples
from tests.properties.parsed_trees import parsed_tree

REVISIONS = "convotree_revisions"
# Longer than two segments of a lane, so that ranges begin, end and lie inside them.
LONG_CHAIN = 300
# ``$graphLookup`` is quadratic on the embedded engine.
SHORT_CHAIN = 40


@st.composite
def parent_lists(draw: st.DrawFn, longest: int) -> list[int | None]:
    """Chains of any length up to ``longest``, each begun as a root or hung anywhere into what is there, and leaves."""
    parents: list[int | None] = []
    for length in draw(st.lists(st.integers(1, longest), min_size=1, max_size=5)):
        start = draw(st.none() | st.integers(0, len(parents) - 1)) if parents else None
        parents.append(start)
        parents += range(len(parents) - 1, len(parents) + length - 2)
    for _ in range(draw(st.integers(0, 8))):
        parents.append(draw(st.integers(0, len(parents) - 1)))
    return parents


@server_examples(6)
@given(parents=parent_lists(LONG_CHAIN), seed=st.integers(0, 2**32))
async def test_any_path_and_window_is_that_of_a_walk_over_parents(
    store: ConversationStore, database: Database, parents: list[int | None], seed: int
) -> None:
    conversation = await store.create()
    await store.import_([parsed_tree(conversation.id, parents)])
    links = await _links(database, conversation.id)
    assert links == {f"r{at}": None if up is None else f"r{up}" for at, up in enumerate(parents)}

    chance = Random(seed)
    leaves = sorted(set(links) - {one for one in links.values() if one is not None})
    for target in {*chance.sample(leaves, min(4, len(leaves))), chance.choice(sorted(links))}:
        walked = _walk(links, target)
        assert await _path(store, conversation.id, leaf_id=target) == walked
        last = chance.randint(1, len(walked) + 3)
        assert await _path(store, conversation.id, leaf_id=target, last=last) == walked[-last:]
        assert await _path(store, conversation.id, before=target) == walked[:-1]
        assert await _path(store, conversation.id, before=target, last=last) == walked[:-1][-last:]
    assert await store.verify(conversation.id) == []


@server_examples(4)
@given(parents=parent_lists(SHORT_CHAIN))
async def test_any_path_is_what_graph_lookup_finds(
    store: ConversationStore, database: Database, parents: list[int | None]
) -> None:
    conversation = await store.create()
    await store.import_([parsed_tree(conversation.id, parents)])
    tree = await store.tree(conversation.id)
    for leaf in tree.leaves[-3:]:
        found = await _graph_lookup(database, conversation.id, leaf.id)
        assert await _path(store, conversation.id, leaf_id=leaf.id) == found


@server_examples(3)
@given(parents=parent_lists(LONG_CHAIN), size=st.integers(20, 150))
async def test_windows_put_together_backwards_are_the_path(
    store: ConversationStore, parents: list[int | None], size: int
) -> None:
    conversation = await store.create()
    await store.import_([parsed_tree(conversation.id, parents)])
    whole = await store.path(conversation.id)
    pages = await store.path(conversation.id, last=size)
    while pages[0].depth > 0:
        earlier = await store.path(conversation.id, before=pages[0].id, last=size)
        assert len(earlier) == min(size, pages[0].depth)
        pages = [*earlier, *pages]
    assert pages == whole


async def _path(
    store: ConversationStore,
    conversation_id: str,
    *,
    leaf_id: str | None = None,
    before: str | None = None,
    last: int | None = None,
) -> list[str]:
    path = await store.path(conversation_id, leaf_id=leaf_id, before=before, last=last)
    return [one.id for one in path]


async def _links(database: Database, conversation_id: str) -> dict[str, str | None]:
    """Each revision's parent, by the raw documents."""
    cursor = database[REVISIONS].find(
        {"tenant_id": "default", "conversation_id": conversation_id}, {"revision_id": 1, "parent_id": 1}
    )
    return {one["revision_id"]: one["parent_id"] for one in await cursor.to_list(None)}


def _walk(links: Mapping[str, str | None], target: str) -> list[str]:
    path = []
    at: str | None = target
    while at is not None:
        path.append(at)
        at = links[at]
    return path[::-1]


async def _graph_lookup(database: Database, conversation_id: str, target: str) -> list[str]:
    pipeline: list[dict[str, Any]] = [
        {"$match": {"tenant_id": "default", "conversation_id": conversation_id, "revision_id": target}},
        {
            "$graphLookup": {
                "from": REVISIONS,
                "startWith": "$parent_key",
                "connectFromField": "parent_key",
                "connectToField": "_id",
                "as": "above",
                # Explicit: the embedded engine stops at 100 without a word.
                "maxDepth": 10_000,
            }
        },
        {"$project": {"revision_id": 1, "depth": 1, "above.revision_id": 1, "above.depth": 1}},
    ]
    cursor: Any = database[REVISIONS].aggregate(pipeline)
    if inspect.isawaitable(cursor):
        cursor = await cursor
    (row,) = await cursor.to_list(None)
    rows = sorted([row, *row["above"]], key=lambda one: int(one["depth"]))
    return [one["revision_id"] for one in rows]
