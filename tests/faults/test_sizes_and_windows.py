"""Fault scenarios B49 and B51: many and large revisions, and the window at the right end."""

import pytest

from convotree import ContentTooLargeError, ConversationStore, Message, Select
from tests.properties.parsed_trees import parsed_tree

NODES = 30_000
CHILDREN = 1_000


@pytest.mark.slow
@pytest.mark.parametrize("driver", ["pymongo"])
async def test_b49_no_document_grows_with_the_conversation(store: ConversationStore) -> None:
    parsed = parsed_tree("talk", [None, *range(NODES - 1)])
    (report,) = await store.import_([parsed])
    assert (report.failed, report.stored) == (None, NODES)
    await store.append("talk", Message.user("x" * 14_000_000), revision_id="large", select=Select.ALWAYS)
    with pytest.raises(ContentTooLargeError):
        await store.append("talk", Message.user("x" * 17_000_000), revision_id="too large")
    assert (await store.path("talk", last=1))[0].id == "large"
    assert len(await store.tree("talk")) == NODES + 1


@pytest.mark.slow
@pytest.mark.parametrize("driver", ["pymongo"])
async def test_b49_many_children_are_given_in_pages(store: ConversationStore) -> None:
    parents = [None, *[0] * CHILDREN]
    (report,) = await store.import_([parsed_tree("talk", parents)])
    assert report.failed is None
    seen: list[int] = []
    after: int | None = None
    while True:
        page = await store.siblings("talk", "r1", limit=300, after_ordinal=after)
        if not list(page):
            break
        seen += [one.ordinal for one in page]
        after = seen[-1]
    assert (seen, page.count) == (list(range(CHILDREN)), CHILDREN)


async def test_b51_a_window_is_at_the_newest_end_while_others_append(store: ConversationStore) -> None:
    await store.create("talk")
    ids = [f"r{number}" for number in range(300)]
    await store.extend("talk", [Message.user("text")] * 300, revision_ids=ids)
    page = await store.path("talk", last=50)
    assert [one.id for one in page] == ids[250:]
    pages = [page]
    while pages[0][0].depth > 0:
        await store.append("talk", Message.user("meanwhile"), select=Select.ALWAYS)
        pages.insert(0, await store.path("talk", before=pages[0][0].id, last=50))
    assert [one.id for page in pages for one in page] == ids
    assert pages[0][0].depth == 0
