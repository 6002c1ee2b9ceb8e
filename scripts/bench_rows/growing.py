"""Growing the trees that are measured: messages of 0.6 kB, users and answers in turn."""

from __future__ import annotations

from collections.abc import Sequence

from convotree import ConversationStore, Message, Select

TEXT_CHARACTERS = 600
WORDS = "lorem ipsum dolor sit amet, " * 30
# One insert of so many is one round trip on every engine.
CHUNK = 1_000


def message(number: int) -> Message:
    """The message at a depth: a question at even ones, an answer at odd ones."""
    text = (f"{number} " + WORDS)[:TEXT_CHARACTERS]
    return Message.assistant(text) if number % 2 else Message.user(text)


async def grow_chain(
    store: ConversationStore, conversation_id: str, length: int, *, below: str | None = None, depth: int = 0
) -> list[str]:
    """Append a chain of ``length`` below a revision (None: as a root) and select its end; its ids in order."""
    ids: list[str] = []
    parent = below
    for start in range(0, length, CHUNK):
        messages = [message(depth + number) for number in range(start, min(start + CHUNK, length))]
        stored = await store.extend(conversation_id, messages, parent_id=parent, select=Select.ALWAYS)
        ids += [revision.id for revision in stored]
        parent = ids[-1]
    return ids


async def grow_path(
    store: ConversationStore, conversation_id: str, length: int, lanes: int, *, goes_on: int = 1
) -> list[str]:
    """A conversation whose selected path has ``length`` revisions on ``lanes`` lanes; the path's ids in order.

    Each lane that the path leaves goes on beside it for ``goes_on`` revisions.
    """
    await store.create(conversation_id, system="Be brief.")
    path: list[str] = []
    for lane in range(lanes):
        end = length * (lane + 1) // lanes
        if lane:
            # The first child keeps the lane, so the path leaves it.
            await grow_chain(store, conversation_id, goes_on, below=path[-1], depth=len(path))
        below = path[-1] if path else None
        path += await grow_chain(store, conversation_id, end - len(path), below=below, depth=len(path))
    return path


async def grow_branches(
    store: ConversationStore, conversation_id: str, path: Sequence[str], total: int, branches: int
) -> None:
    """Grow ``total`` revisions in ``branches`` beside a path, then select the end of the path again."""
    for branch in range(branches):
        depth = (len(path) - 1) * branch // branches
        length = total * (branch + 1) // branches - total * branch // branches
        await grow_chain(store, conversation_id, length, below=path[depth], depth=depth + 1)
    await store.select(conversation_id, path[-1])
