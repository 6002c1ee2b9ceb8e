"""The documents of prompt versions and tool sets, there and back, and damaged."""

import pytest

from convotree.domain.limits import SCHEMA_NUMBER
from convotree.domain.parts import TextPart
from convotree.domain.prompt import PromptVersion, ToolSet
from convotree.errors import CorruptTreeError, SchemaTooNewError
from convotree.storage.documents.prompt import (
    prompt_document,
    read_prompt,
    read_tool_set,
    tool_set_document,
)

PROMPT = PromptVersion.of((TextPart("Be brief."), TextPart("And kind.")))
TOOLS = ToolSet.of([{"name": "f", "input_schema": {"$ref": "a.b"}}])


def test_they_come_back() -> None:
    assert read_prompt(prompt_document("t", PROMPT)) == PROMPT
    assert read_tool_set(tool_set_document("t", TOOLS)) == TOOLS


def test_their_keys_contain_the_tenant_and_the_kind() -> None:
    keys = {
        prompt_document("t", PROMPT)["_id"],
        prompt_document("u", PROMPT)["_id"],
        tool_set_document("t", ToolSet(PROMPT.id, "[]"))["_id"],
    }

    assert len(keys) == 3


@pytest.mark.parametrize("field", ["prompt_version", "json"])
def test_damage_is_reported(field: str) -> None:
    with pytest.raises(CorruptTreeError):
        read_prompt(prompt_document("t", PROMPT) | {field: 1})


def test_a_newer_one_is_refused() -> None:
    with pytest.raises(SchemaTooNewError):
        read_tool_set(tool_set_document("t", TOOLS) | {"schema": SCHEMA_NUMBER + 1})
