"""Stored documents, files and requests altered at random: typed errors or answers, never another tenant's data."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bson.errors import InvalidDocument

from convotree import (
    ConversationStore,
    ConvotreeError,
    ImportProblem,
    Message,
    Request,
    Tool,
    ToolCallPart,
)
from convotree.domain.exact_json import ExactJson
from convotree.interchange import load
from tests.conftest import REPOSITORY, Database
from tests.faults.operations import tree_of
from tests.replay.mutations import spoilt

SECRET = "only the other tenant's"
COLLECTIONS = ("conversations", "revisions", "revisions", "counters", "prompts", "tool_sets")
ROUNDS = 60

CALLS: list[Callable[[ConversationStore], Awaitable[Any]]] = [
    lambda s: s.get("talk"),
    lambda s: s.list(),
    lambda s: s.path("talk"),
    lambda s: s.path("talk", leaf_id="c2", last=2),
    lambda s: s.siblings("talk", "a1"),
    lambda s: s.tree("talk"),
    lambda s: s.replay("talk"),
    lambda s: s.replay("talk", before="a2", budget=1000),
    lambda s: s.verify("talk"),
    lambda s: s.select("talk", "q1"),
    lambda s: s.append("talk", Message.user("new")),
    lambda s: s.regenerate("talk", "a1", Message.assistant("new")),
    lambda s: s.extend("talk", [Message.user("new")], parent_id="b1"),
    lambda s: s.update("talk", title="new"),
]


async def test_a_store_over_altered_documents_answers_or_says_why_not(
    store: ConversationStore, database: Database
) -> None:
    other = store.for_tenant("other")
    await other.import_([tree_of("talk")])
    await other.append("talk", Message.user(SECRET))
    known = {one.id for one in await other.tree("talk")}
    altered = 0
    for seed in range(ROUNDS):
        random = Random(seed)
        tenant = store.for_tenant(f"tenant {seed}")
        await tenant.import_([tree_of("talk")])
        await tenant.append("talk", Message.assistant("more"), parent_id="q1")
        collection = database[f"convotree_{random.choice(COLLECTIONS)}"]
        documents = await collection.find({"tenant_id": f"tenant {seed}"}).to_list(None)
        if not documents:
            continue
        document = random.choice(documents)
        changed = {"_id": document["_id"], **_spoilt(document, random)}
        with suppress(InvalidDocument, OverflowError):
            await collection.replace_one({"_id": document["_id"]}, changed)
            altered += 1
        for call in CALLS:
            with suppress(ConvotreeError):
                assert SECRET not in repr(await call(tenant))
    assert altered > ROUNDS // 2
    assert {one.id for one in await other.tree("talk")} == known
    assert await other.verify("talk") == []


def _spoilt(document: dict[str, Any], random: Random) -> dict[str, Any]:
    changed = spoilt(
        {key: one for key, one in document.items() if key != "_id"}, random, random.choice((1, 1, 2))
    )
    return changed if isinstance(changed, dict) else {}


SAMPLES = sorted((REPOSITORY / "scripts" / "samples").glob("*.json"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_a_file_altered_at_random_is_read_or_refused(sample: Path, tmp_path: Path) -> None:
    whole = json.loads(sample.read_text(encoding="utf-8"))
    raw = sample.read_bytes()
    for seed in range(150):
        random = Random(seed)
        file = tmp_path / f"{seed}.json"
        if seed % 3:
            file.write_text(json.dumps(spoilt(whole, random, random.choice((1, 2, 4)))), encoding="utf-8")
        else:
            # Bytes: cut off, or one of them another.
            at = random.randrange(len(raw))
            file.write_bytes(raw[:at] if seed % 2 else raw[:at] + random.randbytes(1) + raw[at + 1 :])
        with suppress(ConvotreeError):
            export = load(file)
            assert all(isinstance(one, ImportProblem) for one in export.problems)


def test_a_stored_request_altered_at_random_is_read_or_refused() -> None:
    call = ToolCallPart("c1", "look", ExactJson('{"n":1.10}'))
    request = Request(
        system="Be brief.",
        tools=(Tool("look", "looks", ExactJson("{}")),),
        messages=(Message.user("q"), Message.assistant([call]), Message.tool_result("c1", "r")),
        revision_ids=("a", "b", "c"),
    )
    whole = json.loads(request.to_json())
    read = 0
    for seed in range(600):
        random = Random(seed)
        text = json.dumps(spoilt(whole, random, random.choice((1, 1, 2))))
        with suppress(ConvotreeError):
            again = Request.from_json(text)
            assert Request.from_json(again.to_json()) == again
            read += 1
    assert 20 < read < 580
