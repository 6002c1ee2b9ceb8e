"""Pages of siblings: rank and count hold although ordinals have holes."""

from datetime import UTC, datetime

import pytest

from convotree.domain.message import Message
from convotree.domain.revision import Revision
from convotree.domain.siblings import SiblingPage


def revision(ordinal: int) -> Revision:
    return Revision(str(ordinal), "c", "p", ordinal, "lane", 1, Message.user("x"), datetime.now(UTC))


@pytest.mark.parametrize(
    ("page", "asked", "position", "following"),
    [([0, 2, 5], 2, 2, None), ([0, 2], 0, 1, 2), ([2, 5], 5, 3, None), ([0], 5, 3, 0), ([], 5, 3, None)],
)
def test_position_count_and_what_follows(
    page: list[int], asked: int, position: int, following: int | None
) -> None:
    one = SiblingPage.of([revision(ordinal) for ordinal in page], [0, 2, 5], asked)

    assert (one.position, one.count, one.next_after_ordinal) == (position, 3, following)
    assert [revision.ordinal for revision in one] == page
    assert len(one) == len(page)
