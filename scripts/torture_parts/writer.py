"""A process that writes without end until it is killed, and says what was acknowledged, line by line.

Arguments: driver, URI, database, seed, and the conversations. Each line is a conversation and a revision in it, or a
conversation that was imported and its newest revision.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from random import Random
from typing import Any

from motor.motor_asyncio import AsyncIOMotorClient
from pymongo import AsyncMongoClient

from convotree import ConversationStore, Message, ParsedConversation, ParsedRevision, Role, Select

__all__ = ["write_without_end"]


def _say(conversation_id: str, revision_id: str) -> None:
    sys.stdout.write(f"{conversation_id} {revision_id}\n")
    sys.stdout.flush()


async def write_without_end(
    store: ConversationStore,
    seed: str,
    conversations: list[str],
    *,
    said: Callable[[str, str], None] = _say,
) -> None:
    """Appends, regenerates, selects, extends and imports, in turn as ``seed`` says; tells ``said`` what was
    acknowledged.
    """
    random = Random(seed)
    number = 0
    while True:
        number += 1
        conversation = random.choice(conversations)
        fresh = f"{seed}-{number}"
        match random.choices(range(5), weights=(5, 3, 2, 2, 1))[0]:
            case 0:
                stored = await store.append(
                    conversation, Message.user(fresh), revision_id=fresh, select=Select.ALWAYS
                )
                said(conversation, stored.id)
            case 1:
                path = await store.path(conversation, last=3)
                answers = [one.id for one in path if one.message.role is Role.ASSISTANT]
                if answers:
                    made = await store.regenerate(
                        conversation, answers[-1], Message.assistant(fresh), new_revision_id=fresh
                    )
                    said(conversation, made.id)
            case 2:
                path = await store.path(conversation, last=5)
                if path:
                    await store.select(conversation, random.choice(path).id)
            case 3:
                chain = [Message.assistant(fresh), Message.user(fresh), Message.assistant(fresh)]
                ids = [f"{fresh}-{part}" for part in range(3)]
                for one in await store.extend(conversation, chain, revision_ids=ids, select=Select.ALWAYS):
                    said(conversation, one.id)
            case _:
                links = [(f"r{at}", f"r{at - 1}" if at else None) for at in range(4)]
                revisions = tuple(ParsedRevision(one, above, Message.user(one), None) for one, above in links)
                parsed = ParsedConversation(id=f"i{fresh}", revisions=revisions, selected_leaf_id="r3")
                await store.import_([parsed])
                said(f"i{fresh}", "r3")


async def _main(driver: str, uri: str, database: str, seed: str, *conversations: str) -> None:
    client: Any = (AsyncMongoClient if driver == "pymongo" else AsyncIOMotorClient)(uri)
    await write_without_end(ConversationStore(client[database]), seed, list(conversations))


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
