"""From a file through the store and back: every branch, the pointer, and every spelling, on both drivers."""

from pathlib import Path

import pytest

from convotree import ConversationStore, ParsedConversation, interchange
from scripts.demo import SAMPLE
from tests.conftest import Database
from tests.interchange.forms import chatgpt_tree, children_of, parents_of, text_of

SHARED = [
    "chatgpt/modern_2026_with_corrupted_entry.json",
    "chatgpt/tree_regenerate_and_edit.json",
    "chatgpt/web_browsing_tools_linear.json",
    "librechat/flat_branches_two_roots.json",
    "librechat/flat_linear_equal_timestamps.json",
    "librechat/recursive_messagesTree_key.json",
]


@pytest.fixture
async def store(database: Database) -> ConversationStore:
    store = ConversationStore(database)
    await store.setup()
    return store


async def check_stored(store: ConversationStore, parsed: ParsedConversation) -> None:
    """Everything that ``parsed`` says is what the store gives back."""
    header = await store.get(parsed.id)
    assert (header.title, header.selected_leaf_id) == (parsed.title, parsed.selected_leaf_id)
    assert header.metadata_json == parsed.metadata
    tree = await store.tree(parsed.id)
    stored = {one.id: one.parent_id for one in tree}
    assert stored == parents_of(parsed)
    assert children_of(stored) == children_of(parents_of(parsed))
    messages = {one.id: one.message for one in parsed.revisions}
    generations = {one.id: one.generation for one in parsed.revisions}
    for leaf in tree.leaves:
        for revision in await store.path(parsed.id, leaf_id=leaf.id):
            assert revision.message == messages[revision.id]
            expected = generations[revision.id]
            if expected is not None:
                assert revision.generation is not None
                assert revision.generation.model == expected.model
                assert revision.generation.stop_reason == expected.stop_reason
    request = await store.replay(parsed.id)
    assert request.system == parsed.system
    assert await store.verify(parsed.id) == []


async def check_import(store: ConversationStore, path: Path) -> None:
    export = interchange.load(path)
    for stored_before in (False, True):
        report = await store.import_(export)
        assert report.problems == export.problems
        for one, parsed in zip(report, export, strict=True):
            size = len(parsed.revisions)
            assert (one.id, one.failed) == (parsed.id, None)
            assert (one.stored, one.present) == ((0, size) if stored_before else (size, 0))
            assert one.selected_leaf_id == parsed.selected_leaf_id
            assert one.problems == parsed.problems
            await check_stored(store, parsed)


async def test_the_sample_comes_back(store: ConversationStore) -> None:
    await check_import(store, SAMPLE)


@pytest.mark.parametrize("name", SHARED)
async def test_a_shared_sample_comes_back(cases: Path, store: ConversationStore, name: str) -> None:
    await check_import(store, cases / "exports" / name)


async def test_an_inner_pointer_stays_where_the_file_has_it(store: ConversationStore) -> None:
    (parsed,) = interchange.loads(
        text_of(chatgpt_tree({"q": None, "a": "q", "b": "q", "c": "a"}, current="a"))
    )

    report = await store.import_([parsed])

    assert [one.selected_leaf_id for one in report] == ["a"]
    assert [revision.id for revision in await store.path(parsed.id)] == ["q", "a"]


async def test_a_longer_version_of_a_conversation_adds_to_the_shorter(store: ConversationStore) -> None:
    shorter, longer = (
        interchange.loads(text_of(chatgpt_tree(parents, current="a")))
        for parents in ({"q": None, "a": "q"}, {"q": None, "a": "q", "b": "q", "next": "a"})
    )
    await store.import_(shorter)

    report = await store.import_(longer)

    assert [(one.stored, one.present, one.failed) for one in report] == [(2, 2, None)]
    assert {one.id: one.parent_id for one in await store.tree("c1")} == parents_of(longer.conversations[0])
    assert await store.verify("c1") == []


async def test_a_conversation_without_messages(store: ConversationStore) -> None:
    export = interchange.loads(text_of({**chatgpt_tree({"a": None}), "mapping": {}}))

    report = await store.import_(export)

    assert [(one.stored, one.selected_leaf_id, one.failed) for one in report] == [(0, None, None)]
    assert await store.path("c1") == []
