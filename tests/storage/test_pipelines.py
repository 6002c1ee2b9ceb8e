"""Pipelines as documents: no caller's value is ever read as a field path, every join is by an indexed key, and on a
sharded cluster every join names tenant and conversation."""

from collections.abc import Iterator
from typing import Any

import pytest

from convotree.domain.choices import PromptChoice
from convotree.domain.stored import Scope
from convotree.identity import Key
from convotree.storage.collections import COLLECTIONS, CONVERSATIONS
from convotree.storage.pipelines import PathQuery, Pipelines

EVIL = Scope("$tenant", "$$ROOT")
TARGET = Key("$target")

QUERIES = [
    PathQuery(),
    PathQuery(TARGET),
    PathQuery(TARGET, exclusive=True, last=50),
    PathQuery(TARGET, prompt=PromptChoice.CURRENT),
    PathQuery(TARGET, exclusive=True, prompt=PromptChoice.GENERATED),
]


def all_pipelines(sharded: bool) -> list[list[dict[str, Any]]]:
    one = Pipelines("p_", sharded)
    return [
        *(one.path(EVIL, query) for query in QUERIES),
        one.siblings(EVIL, TARGET, after_ordinal=None, limit=None),
        one.siblings(EVIL, TARGET, after_ordinal=3, limit=10),
        one.below(EVIL, None),
        one.below(EVIL, TARGET),
        one.beside(EVIL, TARGET),
        one.selection(EVIL, TARGET),
    ]


def joins(pipeline: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for stage in pipeline:
        if "$lookup" in stage:
            yield stage["$lookup"]


def places_of(value: object, text: str, above: str = "") -> Iterator[str]:
    """Under which operators or fields a text stands."""
    if value == text:
        yield above
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from places_of(member, text, f"{above}/{key}")
    elif isinstance(value, list):
        for member in value:
            yield from places_of(member, text, above)


@pytest.mark.parametrize("sharded", [False, True])
def test_a_callers_value_is_a_literal_or_a_match_by_equality(sharded: bool) -> None:
    for pipeline in all_pipelines(sharded):
        for stage in pipeline:
            assert set(places_of(stage, TARGET)) <= {"/$project/target/$literal"}
            for text in (EVIL.tenant_id, EVIL.conversation_id):
                for place in places_of(stage, text):
                    assert place.rpartition("/")[2] in {"tenant_id", "conversation_id"}
                    assert "/$match/" in place
                    assert "$expr" not in place


@pytest.mark.parametrize("sharded", [False, True])
def test_every_pipeline_begins_with_the_header_by_its_key(sharded: bool) -> None:
    named = {"tenant_id": EVIL.tenant_id, "conversation_id": EVIL.conversation_id} if sharded else {}

    for pipeline in all_pipelines(sharded):
        assert pipeline[0] == {"$match": {"_id": EVIL.key, **named}}


@pytest.mark.parametrize("sharded", [False, True])
def test_every_join_is_by_equality_on_a_field_that_an_index_leads_with(sharded: bool) -> None:
    leading = {(f"p_{one.name}", index.keys[0][0]) for one in COLLECTIONS for index in one.indexes} | {
        (f"p_{one.name}", "_id") for one in COLLECTIONS
    }

    for pipeline in all_pipelines(sharded):
        for join in joins(pipeline):
            assert join["from"] != f"p_{CONVERSATIONS}"
            assert (join["from"], join["foreignField"]) in leading
            assert join["localField"]


def test_on_a_sharded_cluster_every_join_of_a_conversation_names_it() -> None:
    for pipeline in all_pipelines(sharded=True):
        for join in joins(pipeline):
            if join["from"].endswith(("prompts", "tool_sets")):
                continue
            match = join["pipeline"][0]["$match"]
            assert match["tenant_id"] == EVIL.tenant_id
            assert match["conversation_id"] == EVIL.conversation_id


def test_no_stage_sorts_or_projects_messages_of_a_path() -> None:
    for query in QUERIES:
        pipeline = Pipelines("p_", sharded=False).path(EVIL, query)
        assert not any("$sort" in stage or "$facet" in stage or "$unionWith" in stage for stage in pipeline)
        assert "$lookup" in pipeline[-2]
        assert "$unwind" in pipeline[-1]
        assert "pipeline" not in pipeline[-2]["$lookup"]


def test_the_number_of_stages_does_not_depend_on_the_path() -> None:
    lengths = {
        len(Pipelines("p_", sharded=False).path(EVIL, PathQuery(target, exclusive=exclusive, last=last)))
        for target in (None, TARGET)
        for exclusive in (False, True)
        for last in (None, 1, 1 << 30)
    }

    assert len(lengths) == 1
