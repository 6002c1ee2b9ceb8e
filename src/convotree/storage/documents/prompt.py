"""The documents of prompt versions and tool sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convotree.domain.limits import SCHEMA_NUMBER
from convotree.domain.planning import prompt_key, tool_set_key
from convotree.domain.prompt import PromptVersion, ToolSet, content_id
from convotree.storage.documents.reading import read_document, typed
from convotree.storage.driver import Document

__all__ = ["prompt_document", "read_prompt", "read_tool_set", "tool_set_document"]


def prompt_document(tenant_id: str, prompt: PromptVersion) -> Document:
    """The document of a prompt version; the hash in ``prompt_version`` names it within the tenant."""
    return {
        "_id": prompt_key(tenant_id, prompt.id),
        "schema": SCHEMA_NUMBER,
        "tenant_id": tenant_id,
        "prompt_version": prompt.id,
        "json": prompt.text.encode(),
    }


def read_prompt(document: Mapping[str, Any]) -> PromptVersion:
    """The prompt version in a document.

    Raises:
        CorruptTreeError, SchemaTooNewError: if it cannot be read.
    """
    return read_document(
        document,
        "prompts",
        lambda one: PromptVersion(
            typed(one["prompt_version"], str, "prompt_version"), _content(one, "prompt_version")
        ),
    )


def tool_set_document(tenant_id: str, tool_set: ToolSet) -> Document:
    """The document of a tool set."""
    return {
        "_id": tool_set_key(tenant_id, tool_set.id),
        "schema": SCHEMA_NUMBER,
        "tenant_id": tenant_id,
        "tool_set": tool_set.id,
        "json": tool_set.text.encode(),
    }


def read_tool_set(document: Mapping[str, Any]) -> ToolSet:
    """The tool set in a document.

    Raises:
        CorruptTreeError, SchemaTooNewError: if it cannot be read.
    """
    return read_document(
        document,
        "tool_sets",
        lambda one: ToolSet(typed(one["tool_set"], str, "tool_set"), _content(one, "tool_set")),
    )


def _content(document: Mapping[str, Any], field: str) -> str:
    """The JSON, if it is what its name hashes: a request must never be built from another."""
    text = typed(document["json"], bytes, "json").decode()
    if content_id(text) != document[field]:
        raise ValueError(f"its content is not what {document[field]!r} names")
    return text
