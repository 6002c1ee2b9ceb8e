"""Prompt versions and tool sets: inserted once, shared between the conversations of a tenant, never changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from convotree.domain.planning import prompt_key, tool_set_key
from convotree.domain.prompt import PromptVersion, ToolSet, content_id
from convotree.errors import CorruptTreeError
from convotree.storage.collections import PROMPTS, TOOL_SETS
from convotree.storage.documents import prompt_document, read_prompt, read_tool_set, tool_set_document
from convotree.storage.driver import Driver

__all__ = ["PromptStorage"]


@dataclass(frozen=True, slots=True)
class PromptStorage:
    """The two collections. Keys contain the tenant; each method is one round trip."""

    driver: Driver

    async def ensure_prompt(self, tenant_id: str, prompt: PromptVersion) -> None:
        """Store the version unless it is there: its hash names its content, so what is there is the same."""
        await self.driver.insert_one(PROMPTS, prompt_document(tenant_id, prompt))

    async def ensure_tool_set(self, tenant_id: str, tool_set: ToolSet) -> None:
        """Store the set unless it is there."""
        await self.driver.insert_one(TOOL_SETS, tool_set_document(tenant_id, tool_set))

    async def intact(self, tenant_id: str, named: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        """Which of ``named`` (``prompt_version`` or ``tool_set``, id) are stored with the content their hash names."""
        intact: set[tuple[str, str]] = set()
        for field, value in named:
            find = self.find_prompt if field == "prompt_version" else self.find_tool_set
            try:
                found = await find(tenant_id, value)
            except CorruptTreeError:  # it is there and cannot be read: not intact
                continue
            if found is not None and found.id == value == content_id(found.text):
                intact.add((field, value))
        return intact

    async def find_prompt(self, tenant_id: str, prompt_version: str) -> PromptVersion | None:
        """The version of this id, or None."""
        document = await self.driver.find_one(PROMPTS, {"_id": prompt_key(tenant_id, prompt_version)})
        return None if document is None else read_prompt(document)

    async def find_tool_set(self, tenant_id: str, tool_set: str) -> ToolSet | None:
        """The set of this id, or None."""
        document = await self.driver.find_one(TOOL_SETS, {"_id": tool_set_key(tenant_id, tool_set)})
        return None if document is None else read_tool_set(document)
