"""The document of a revision: everything comes back, nothing a caller chose becomes a field name, damage is named."""

from typing import Any

import bson
import pytest
from hypothesis import given

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.parts import TextPart, ToolCallPart, ToolResultPart
from convotree.domain.stored import StoredRevision
from convotree.domain.tree import TreeRevision
from convotree.errors import CorruptTreeError
from convotree.storage.documents.revision import (
    read_facts,
    read_revision,
    read_stored_revision,
    read_tree_revision,
    revision_document,
)
from tests.domain.part_values import parts
from tests.domain.stored_values import Grove, facts_of

ODD = ExactJson.parse('{"$where": {"a.b": 1.10}, "": 1e400, "\\u0000": "\\ud800"}')


def answer() -> StoredRevision:
    grove = Grove()
    grove.add("q", None)
    grove.add("passed", "q")
    message = Message(
        Role.ASSISTANT,
        (TextPart("a"), ToolCallPart("c1", "f", ODD), ToolResultPart("c0", (), is_error=True)),
        Provenance("p", None, "m"),
        provider_data=ExactJson('{"p":{"x":1.0}}'),
    )
    return grove.add("a", "q", message, GenerationRecord(model="m", usage=ExactJson('{"tokens":1}')))


def through_bson(document: dict[str, Any]) -> dict[str, Any]:
    return bson.decode(bson.encode(document), codec_options=bson.CodecOptions(tz_aware=True))


def test_a_revision_comes_back() -> None:
    stored = answer()
    document = through_bson(revision_document(stored))

    assert read_stored_revision(document) == stored
    assert read_revision(document, selected_key=stored.point.key) == stored.to_revision(selected=True)
    assert read_revision(document, selected_key=None) == stored.to_revision(selected=False)
    assert read_facts(document) == facts_of(stored)
    assert read_tree_revision(document) == TreeRevision("a", "q", 1, 1, "a", Role.ASSISTANT)


def test_thin_fields_say_what_is_queried() -> None:
    document = revision_document(answer())

    assert document["role"] == "assistant"
    assert [
        {name: value for name, value in part.items() if name != "json"} for part in document["parts"]
    ] == [
        {"type": "text"},
        {"type": "tool_call", "tool_call_id": "c1", "tool_name": "f"},
        {"type": "tool_result", "tool_call_id": "c0", "status": "error"},
    ]


def field_names(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(field_names, value.values()))
    if isinstance(value, list):
        return set().union(*map(field_names, value))
    return set()


def test_nothing_a_caller_chose_becomes_a_field_name() -> None:
    names = field_names(revision_document(answer()))

    assert all(name.isidentifier() for name in names), names


@given(part=parts)
def test_every_part_comes_back_through_bson(part: Any) -> None:
    stored = Grove().add("r", None, Message(Role.ASSISTANT, (part,)))

    assert read_stored_revision(through_bson(revision_document(stored))).encoded == stored.encoded


REQUIRED = ["revision_id", "parent_key", "ordinal", "depth", "lane_key", "lane_id", "chain", "role", "parts"]


@pytest.mark.parametrize("field", [*REQUIRED, "digest", "segment", "moves_seen", "epoch", "created_at"])
@pytest.mark.parametrize("damage", [None, 1.5, {"x": 1}])
def test_a_damaged_field_is_reported_and_never_raises_anything_else(field: str, damage: object) -> None:
    document = revision_document(answer())
    document[field] = damage

    assert isinstance(read_facts(document), CorruptTreeError)


@pytest.mark.parametrize(
    "content", [b"", b"{}", b'{"type":"text"}', b'{"type":"new"}', b"\xff", "text", None]
)
def test_damaged_content_is_reported(content: object) -> None:
    document = revision_document(answer())
    document["parts"][0]["json"] = content

    with pytest.raises(CorruptTreeError) as caught:
        read_revision(document, selected_key=None)

    assert caught.value.revision_id == "a"


def test_changed_content_no_longer_yields_its_digest() -> None:
    document = revision_document(answer())
    document["parts"][0]["json"] = b'{"type":"text","text":"b"}'

    facts = read_facts(document)

    assert not isinstance(facts, CorruptTreeError)
    assert not facts.content_intact
