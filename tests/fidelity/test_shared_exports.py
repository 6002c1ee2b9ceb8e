"""Every shared sample of the formats that are read, through the store: branches, order and selected leaf are kept."""

from pathlib import Path

import pytest

from convotree import ConversationStore, ParsedConversation, ParsedExport
from convotree.interchange import load

FORMATS = ["chatgpt", "librechat"]


def siblings_of(parsed: ParsedConversation) -> dict[str | None, list[str]]:
    found: dict[str | None, list[str]] = {}
    for one in parsed.revisions:
        found.setdefault(one.parent_id, []).append(one.id)
    return found


@pytest.fixture(params=FORMATS)
def exports(request: pytest.FixtureRequest, cases: Path) -> dict[str, ParsedExport]:
    """All samples of one format, read."""
    paths = sorted((cases / "exports" / request.param).glob("*.json"))
    assert paths
    return {path.name: load(path) for path in paths}


async def test_every_branch_of_every_sample_is_stored_and_replayed(
    store: ConversationStore, exports: dict[str, ParsedExport]
) -> None:
    for name, export in exports.items():
        tenant = store.for_tenant(name)
        for expected in ("stored", "present"):  # the second time all of it is there
            report = await tenant.import_(export)
            assert [one.failed for one in report] == [None] * len(export)
            assert [getattr(one, expected) for one in report] == [len(one.revisions) for one in export]
        for parsed in export:
            await check(tenant, parsed)


async def check(store: ConversationStore, parsed: ParsedConversation) -> None:
    """What is stored is what was parsed."""
    conversation = await store.get(parsed.id)
    assert conversation.title == parsed.title
    assert conversation.metadata_json == parsed.metadata
    assert conversation.selected_leaf_id == parsed.selected_leaf_id
    tree = await store.tree(parsed.id)
    assert len(tree) == len(parsed.revisions)
    for parent_id, ids in siblings_of(parsed).items():
        group = tree.roots if parent_id is None else tree.children(parent_id)
        assert [one.id for one in group] == ids
    messages = {one.id: one.message for one in parsed.revisions}
    for leaf in tree.leaves:
        request = await store.replay(parsed.id, leaf_id=leaf.id)
        assert request.revision_ids == tuple(one.id for one in tree.path_to(leaf.id))
        assert request.messages == tuple(messages[one] for one in request.revision_ids)
    assert (await store.replay(parsed.id)).system == parsed.system
    assert await store.verify(parsed.id) == []
