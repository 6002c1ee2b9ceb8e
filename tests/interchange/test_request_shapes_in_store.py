"""The request shapes through the store and back: nothing of them is lost, on both drivers."""

import json
from types import ModuleType

import pytest

from convotree import Check, ConversationStore
from convotree.interchange import or_llm, sigma
from tests.conftest import Database
from tests.interchange.shape_documents import input_of, shared_cases


@pytest.mark.parametrize(("shape", "prefix"), [(sigma, "sigma"), (or_llm, "or")])
async def test_a_shape_comes_back_from_the_store_as_it_was(
    database: Database, shape: ModuleType, prefix: str
) -> None:
    cases = [json.loads(path.read_text(encoding="utf-8")) for path in shared_cases(prefix)]
    texts = [input_of(case) for case in cases if case["expect"] == "ok"]
    if not texts:
        pytest.skip("no shared cases: set CONVOTREE_CASES to their folder")
    store = ConversationStore(database)
    await store.setup()
    for number, text in enumerate(texts):
        request = shape.loads(text)
        name = f"{prefix} {number}"
        await store.create(name, system=request.system, tools=request.tools)
        if request.messages:
            await store.extend(
                name, request.messages, generations=request.generations or None, check=Check.RECORD
            )

        replayed = await store.replay(name)

        assert replayed == request
        assert shape.dumps(replayed) == shape.dumps(request)
        assert replayed.estimate_tokens() == request.estimate_tokens()
