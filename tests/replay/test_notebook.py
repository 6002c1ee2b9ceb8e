"""Places as text, and notes in the order of the messages."""

import pytest

from convotree.errors import UnreplayableError
from convotree.replay.notebook import SYSTEM, TOOLS, WHOLE, Notebook, Place, place_text
from convotree.replay.policy import UnansweredCalls


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ((3, 0), "messages[3].parts[0].x"),
        ((3, WHOLE), "messages[3].x"),
        ((SYSTEM, 1), "system[1].x"),
        ((SYSTEM, WHOLE), "system.x"),
        ((TOOLS, 2), "tools[2].x"),
        ((TOOLS, WHOLE), "tools.x"),
    ],
)
def test_places(place: Place, text: str) -> None:
    assert place_text(place, ".x") == text


def test_notes_come_in_order_with_their_revisions() -> None:
    notebook = Notebook("anthropic", ("r0", "r1"))
    for place in [(1, 0), (0, 1), (TOOLS, 0), (1, WHOLE), (SYSTEM, 0)]:
        notebook.add(place, "A1", "why")
    assert [(note.place, note.revision_id) for note in notebook.notes()] == [
        ("system[0]", None),
        ("tools[0]", None),
        ("messages[0].parts[1]", "r0"),
        ("messages[1]", "r1"),
        ("messages[1].parts[0]", "r1"),
    ]


def test_a_refusal_says_where_and_by_which_rule() -> None:
    with pytest.raises(UnreplayableError) as caught:
        Notebook("anthropic", ()).refuse((0, 1), "A4", "why", inside=".x", by=UnansweredCalls.REFUSE)
    error = caught.value
    assert (error.provider, error.place, error.rule, error.reason) == (
        "anthropic",
        "messages[0].parts[1].x",
        "A4",
        "why",
    )
    assert error.policy == "unanswered_calls"
    assert "another unanswered_calls in the RenderPolicy" in str(error)
