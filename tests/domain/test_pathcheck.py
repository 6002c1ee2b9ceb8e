"""A request is never built from an incomplete path."""

from datetime import UTC, datetime

import pytest

from convotree.domain.message import Message
from convotree.domain.pathcheck import check_path
from convotree.domain.revision import Revision
from convotree.errors import CorruptTreeError


def revision(name: str, parent: str | None, depth: int) -> Revision:
    return Revision(name, "c", parent, 0, "lane", depth, Message.user(name), datetime.now(UTC))


A, B, C = revision("a", None, 0), revision("b", "a", 1), revision("c", "b", 2)


@pytest.mark.parametrize(
    ("revisions", "first_depth", "end_id"),
    [([A, B, C], 0, "c"), ([B, C], 1, "c"), ([C], 2, "c"), ([A], 0, "a"), ([], 0, None)],
)
def test_a_complete_path_passes(revisions: list[Revision], first_depth: int, end_id: str | None) -> None:
    check_path("c", revisions, first_depth=first_depth, end_id=end_id)


@pytest.mark.parametrize(
    ("revisions", "first_depth", "end_id", "named"),
    [
        pytest.param([A, C], 0, "c", "c", id="a gap"),
        pytest.param([B, C], 0, "c", "b", id="its beginning is missing"),
        pytest.param([A, B], 0, "c", "c", id="its end is missing"),
        pytest.param([], 0, "c", "c", id="all of it is missing"),
        pytest.param([A, revision("x", "other", 1)], 0, "x", "x", id="another parent"),
        pytest.param([A, B, revision("b2", "a", 1)], 0, "b2", "b2", id="two of one depth"),
        pytest.param([revision("x", "p", 0)], 0, "x", "x", id="a parent above a root"),
        pytest.param([A, revision("x", None, 1)], 0, "x", "x", id="a root below depth 0"),
        pytest.param([A, B, C], 0, "b", "b", id="more than was asked for"),
    ],
)
def test_a_broken_path_names_where_it_breaks(
    revisions: list[Revision], first_depth: int, end_id: str, named: str
) -> None:
    with pytest.raises(CorruptTreeError) as caught:
        check_path("c", revisions, first_depth=first_depth, end_id=end_id)

    assert (caught.value.conversation_id, caught.value.revision_id) == ("c", named)
