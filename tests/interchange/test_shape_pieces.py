"""A message in pieces: each result is one, as is each run of other parts."""

from convotree import Message, Role
from convotree.domain.parts import Part, TextPart, ToolResultPart
from convotree.interchange.conversion_notes import ConversionNotes
from convotree.interchange.shape_pieces import pieces_of

A, B = ToolResultPart("a"), ToolResultPart("b")
X, Y = TextPart("x"), TextPart("y")


def pieces(role: Role, *parts: Part) -> tuple[list[list[int]], list[str]]:
    """The numbers of the parts in each piece, and the places of the notes."""
    notes = ConversionNotes("shape")
    found = pieces_of(3, Message(role, parts), notes)
    for piece in found:
        assert piece.role is (role if piece.result is None else Role.TOOL)
    numbers = [[n for n, _ in one.parts] if one.result is None else [one.number] for one in found]
    return numbers, [note.place for note in notes.notes()]


def test_results_stand_alone_and_what_is_between_them_together() -> None:
    assert pieces(Role.USER, X, Y, A, B, X) == ([[0, 1], [2], [3], [4]], [])
    assert pieces(Role.TOOL, A, B) == ([[0], [1]], [])


def test_a_message_that_says_nothing_is_one_piece() -> None:
    assert pieces(Role.ASSISTANT) == ([[]], [])
    assert pieces(Role.TOOL) == ([], [])


def test_what_cannot_stand_in_a_message_of_its_role_is_noted() -> None:
    assert pieces(Role.ASSISTANT, X, A, Y) == ([[0, 2]], ["messages[3].parts[1]"])
    assert pieces(Role.TOOL, X, A) == ([[1]], ["messages[3].parts[0]"])
