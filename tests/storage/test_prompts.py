"""Prompt versions and tool sets: stored once for each tenant, found by their hash, damage noticed."""

import pytest

from convotree.domain.prompt import PromptVersion, ToolSet
from convotree.errors import CorruptTreeError
from convotree.storage.storage import Storage
from tests.conftest import Database

PROMPT = PromptVersion.of("Be brief.")
TOOLS = ToolSet.of([{"name": "f", "input_schema": {"a.b": 1, "$ref": "x"}}])


async def test_what_is_stored_is_found(storage: Storage, database: Database) -> None:
    for _ in range(2):
        await storage.prompts.ensure_prompt("t", PROMPT)
        await storage.prompts.ensure_tool_set("t", TOOLS)

    assert await storage.prompts.find_prompt("t", PROMPT.id) == PROMPT
    assert await storage.prompts.find_tool_set("t", TOOLS.id) == TOOLS
    assert await database["convotree_prompts"].count_documents({}) == 1
    assert await database["convotree_tool_sets"].count_documents({}) == 1


async def test_another_tenant_has_none(storage: Storage) -> None:
    await storage.prompts.ensure_prompt("t", PROMPT)

    assert await storage.prompts.find_prompt("u", PROMPT.id) is None
    assert await storage.prompts.find_tool_set("t", TOOLS.id) is None


async def test_intact_is_what_is_there_with_the_content_its_hash_names(
    storage: Storage, database: Database
) -> None:
    named = [("prompt_version", PROMPT.id), ("tool_set", TOOLS.id), ("prompt_version", "sha256:gone")]
    await storage.prompts.ensure_prompt("t", PROMPT)
    await storage.prompts.ensure_tool_set("t", TOOLS)
    assert await storage.prompts.intact("t", named) == set(named[:2])

    await database["convotree_prompts"].update_one({}, {"$set": {"json": b'"Be long."'}})

    assert await storage.prompts.intact("t", named) == {named[1]}


async def test_a_document_that_cannot_be_read_is_damage(storage: Storage, database: Database) -> None:
    await storage.prompts.ensure_prompt("t", PROMPT)
    await database["convotree_prompts"].update_one({}, {"$unset": {"json": 1}})

    with pytest.raises(CorruptTreeError):
        await storage.prompts.find_prompt("t", PROMPT.id)
