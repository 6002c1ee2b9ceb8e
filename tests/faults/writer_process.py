"""A process of its own that appends until it has done its share; the test talks to it by lines.

Arguments: driver, URI, database, conversation, parent, name, count. Prints ``ready``, waits for a line, then prints the
id of each revision that was acknowledged.
"""

import asyncio
import sys
from typing import Any

from motor.motor_asyncio import AsyncIOMotorClient
from pymongo import AsyncMongoClient

from convotree import ConversationStore, Message, Select


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def main(
    driver: str, uri: str, database: str, conversation: str, parent: str, name: str, count: str
) -> None:
    client: Any = AsyncMongoClient(uri) if driver == "pymongo" else AsyncIOMotorClient(uri)
    store = ConversationStore(client[database])
    await store.get(conversation)
    say("ready")
    sys.stdin.readline()
    for number in range(int(count)):
        # Every other one continues a chain of this writer's own, the rest meet the other writers under one parent.
        above = f"{name}-{number - 1}" if number % 2 else parent
        stored = await store.append(
            conversation,
            Message.user(f"{name} {number}"),
            parent_id=above,
            revision_id=f"{name}-{number}",
            select=Select.ALWAYS,
        )
        say(stored.id)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
