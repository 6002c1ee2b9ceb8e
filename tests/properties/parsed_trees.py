"""Trees by their shape alone: from the parent of each revision to a conversation that can be imported."""

from collections.abc import Sequence

from convotree import Message, ParsedConversation, ParsedRevision


def parsed_tree(conversation_id: str, parents: Sequence[int | None]) -> ParsedConversation:
    """``parents``: for each revision the number of its parent, which comes before it; None for a root."""
    return ParsedConversation(
        id=conversation_id,
        revisions=tuple(
            ParsedRevision(
                id=f"r{number}",
                parent_id=None if parent is None else f"r{parent}",
                message=Message.user(f"text {number}"),
            )
            for number, parent in enumerate(parents)
        ),
        selected_leaf_id=f"r{len(parents) - 1}" if parents else None,
    )
