"""A page of a listing can be counted and walked."""

from datetime import UTC, datetime

from convotree.domain.conversation import Conversation
from convotree.domain.conversation_page import ConversationPage
from convotree.domain.exact_json import ExactJson


def test_a_page_is_walked_in_order() -> None:
    time = datetime.now(UTC)
    listed = tuple(
        Conversation(name, None, 1, None, ExactJson("{}"), None, None, time, time) for name in ("b", "a")
    )

    page = ConversationPage(listed, "more")

    assert list(page) == list(listed)
    assert (len(page), page.next_after) == (2, "more")
