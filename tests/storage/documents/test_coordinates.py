"""Coordinates in documents, there and back, and damaged."""

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.lanes import ForkPointer, Forks, LaneRange
from convotree.domain.message import Message
from convotree.domain.parts import ToolCallPart
from convotree.domain.selection import remembered
from convotree.domain.stored import LaneStart
from convotree.errors import CorruptTreeError
from convotree.identity import derive_key
from convotree.storage.documents.coordinates import (
    forks_document,
    leaf_document,
    point_document,
    read_forks,
    read_lane_start,
    read_point,
)
from tests.domain.stored_values import Grove

FORKS = Forks(
    (LaneRange(derive_key("l"), 2, 5), LaneRange(derive_key("m"), 6, 6)),
    (ForkPointer(derive_key("p"), 1),),
    (ForkPointer(derive_key("b"), 0),),
)


def points() -> Grove:
    grove = Grove()
    grove.add("q", None)
    grove.add("a", "q", Message.assistant([ToolCallPart("c", "f", ExactJson("{}"))]))
    return grove


@pytest.mark.parametrize("name", ["q", "a"])
def test_a_point_comes_back(name: str) -> None:
    point = points().revisions[name].point

    assert read_point(point_document(point)) == point


def test_what_is_not_there_takes_no_room() -> None:
    bare = point_document(points().revisions["q"].point)

    assert set(bare) == {"key", "revision_id", "depth", "lane_key", "lane_id", "chain"}


@pytest.mark.parametrize("forks", [Forks(), FORKS])
def test_forks_come_back(forks: Forks) -> None:
    assert read_forks(forks_document(forks)) == forks
    key = derive_key("k")
    document = {"_id": key, "depth": 7, "forks": forks_document(forks)}
    assert read_lane_start(document) == LaneStart(key, 7, forks)


def test_a_remembered_leaf_is_its_coordinates() -> None:
    point = points().revisions["a"].point

    assert leaf_document(remembered(point)) == {
        "key": point.key,
        "lane_key": point.lane_key,
        "depth": point.depth,
    }


@pytest.mark.parametrize("field", ["key", "revision_id", "depth", "lane_key", "lane_id", "chain"])
@pytest.mark.parametrize("damage", [None, [], {"$gt": ""}])
def test_a_damaged_point_is_reported(field: str, damage: object) -> None:
    document = point_document(points().revisions["a"].point)
    document[field] = damage

    with pytest.raises(CorruptTreeError):
        read_point(document)
    del document[field]
    with pytest.raises(CorruptTreeError):
        read_point(document)


@pytest.mark.parametrize(
    "forks",
    [
        None,
        {},
        {"tail": [{}]},
        {"tail": [{"lane": 1, "from": 0, "upto": 0}]},
        {"tail": [], "pages": [{"key": "k"}]},
    ],
)
def test_a_damaged_lane_start_is_reported(forks: Any) -> None:
    with pytest.raises(CorruptTreeError):
        read_lane_start({"_id": "k", "depth": 0, "forks": forks})
