"""Trees from a drawing, for tests that start from one."""

from collections.abc import Sequence
from itertools import pairwise

from convotree import (
    Check,
    ConversationStore,
    ConversationTree,
    ExactJson,
    Message,
    ParsedConversation,
    ParsedRevision,
    Revision,
    Select,
    Settings,
    ToolCallPart,
)
from convotree.domain.encoded import encode_message
from convotree.domain.planning import Draftsman
from convotree.domain.stored import LaneStart, Scope
from convotree.storage.storage import Storage
from convotree.store.context import now
from tests.conftest import Database

MAKERS = {"q": Message.user, "a": Message.assistant, "d": Message.developer}


def message(revision_id: str) -> Message:
    """The message of a revision in a drawing: its text is the id, its role the id's first letter."""
    return MAKERS[revision_id[0]](revision_id)


def call(*call_ids: str) -> Message:
    """An answer that calls a tool once for each id."""
    return Message.assistant([ToolCallPart(one, "look", ExactJson("{}")) for one in call_ids])


async def plant(
    store: ConversationStore, *lines: str, selected: str | None = None, conversation_id: str = "c"
) -> None:
    """Grow a tree in a new conversation.

    Each line is a chain of ids such as ``"q1 a1 q2"``: the first is a new root or, if it is there already, the
    parent of the rest. Ids begin with their role's letter. The pointer is set to ``selected``.
    """
    await store.create(conversation_id)
    known: set[str] = set()
    for line in lines:
        ids = line.split()
        parent = ids.pop(0) if ids[0] in known else None
        await store.extend(
            conversation_id,
            [message(one) for one in ids],
            parent_id=parent,
            revision_ids=ids,
            select=Select.NEVER,
        )
        known.update(ids)
    if selected is not None:
        await store.select(conversation_id, selected, descend=False)


async def plant_comb(store: ConversationStore, forks: int, *, conversation_id: str = "c") -> list[str]:
    """A path on which every revision below the root is a second child, its end selected; gives its ids, root first."""
    path = [f"a{number}" for number in range(forks + 1)]
    revisions = [ParsedRevision(path[0], None, message(path[0]))]
    for parent, one in pairwise(path):
        revisions += [ParsedRevision(name, parent, message(name)) for name in (f"{one}-other", one)]
    await store.import_([ParsedConversation(conversation_id, tuple(revisions), path[-1])])
    return path


async def plant_forks(database: Database, forks: int, *, conversation_id: str = "c") -> list[str]:
    """As ``plant_comb``, but first children only below the first ten, to make thousands of forks in a short time. The
    pointer stands nowhere."""
    await ConversationStore(database).create(conversation_id)
    scope = Scope("default", conversation_id)
    draftsman = Draftsman(scope, now(), moves_seen=0, epoch=0, prompt_version=None, tool_set=None)
    path = [f"a{number}" for number in range(forks + 1)]
    plans = [draftsman.first_child(None, path[0], encode_message(message(path[0])))]
    for one in path[1:]:
        above = plans[-1]
        assert above.forks is not None
        start = LaneStart(above.point.key, above.point.depth, above.forks)
        plans.append(draftsman.later_child(above.point, start, 1, one, encode_message(message(one))))
    for above in plans[: min(10, forks)]:
        name = f"{above.point.id}-other"
        plans.append(draftsman.first_child(above.point, name, encode_message(message(name))))
    storage = Storage.of(database, Settings())
    await storage.counters.start_at(scope, {scope.revision_key(path[-2]): 2})
    stored = await storage.revisions.insert_many(plans)
    assert stored == len(plans)
    return path


def ids(revisions: Sequence[Revision]) -> list[str]:
    """The ids of revisions, in order."""
    return [one.id for one in revisions]


def drawing(tree: ConversationTree) -> list[tuple[str, str | None, int]]:
    """The tree as id, parent and ordinal of each revision, in the tree's order."""
    return [(one.id, one.parent_id, one.ordinal) for one in tree]


async def extend_recorded(store: ConversationStore, messages: Sequence[Message]) -> list[Revision]:
    """Messages that no check would let in, stored as they are."""
    return await store.extend("c", messages, check=Check.RECORD)
