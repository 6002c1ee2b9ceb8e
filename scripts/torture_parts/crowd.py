"""A process with several tasks at work on the same conversations as other such processes.

Arguments: driver, URI, database, name. It obeys lines of JSON on standard input, and answers each with a line:
``["contest", conversation, leaf]``: every task appends below the leaf and requires the pointer to move; answers with
``[[revision, won], …]``. ``["free", seconds, [conversation, …]]``: every task appends, selects and looks as it likes;
answers with ``{"appended": [[conversation, revision], …], "seen": [[conversation, began, ended, version, leaf], …]}``.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from random import Random
from typing import Any

from motor.motor_asyncio import AsyncIOMotorClient
from pymongo import AsyncMongoClient

from convotree import ConversationStore, Message, Select, SelectionMovedError

__all__: list[str] = []

TASKS = 8


async def _contest(store: ConversationStore, name: str, conversation_id: str, leaf_id: str) -> list[Any]:
    async def one(task: int) -> tuple[str, bool]:
        revision_id = f"{name}-{task}-{leaf_id}"[:200]
        try:
            await store.append(
                conversation_id,
                Message.user("mine"),
                parent_id=leaf_id,
                revision_id=revision_id,
                select=Select.REQUIRED,
            )
        except SelectionMovedError:
            return revision_id, False
        return revision_id, True

    return list(await asyncio.gather(*(one(task) for task in range(TASKS))))


async def _free(
    store: ConversationStore, name: str, seconds: float, conversations: list[str]
) -> dict[str, list[Any]]:
    appended: list[Any] = []
    seen: list[Any] = []
    end = time.monotonic() + seconds

    async def one(task: int) -> None:
        random = Random(f"{name} {task}")
        number = 0
        while time.monotonic() < end:
            number += 1
            conversation_id = random.choice(conversations)
            began = time.monotonic()
            match random.randrange(3):
                case 0:
                    revision_id = f"{name}-{task}-f{number}-{began}"
                    stored = await store.append(
                        conversation_id, Message.user("free"), revision_id=revision_id
                    )
                    appended.append((conversation_id, stored.id))
                    continue
                case 1:
                    path = await store.path(conversation_id, last=4)
                    began = time.monotonic()
                    header = await store.select(conversation_id, random.choice(path).id)
                case _:
                    header = await store.get(conversation_id)
            ended = time.monotonic()
            seen.append((conversation_id, began, ended, header.version, header.selected_leaf_id))

    await asyncio.gather(*(one(task) for task in range(TASKS)))
    return {"appended": appended, "seen": seen}


async def _main(driver: str, uri: str, database: str, name: str) -> None:
    client: Any = (AsyncMongoClient if driver == "pymongo" else AsyncIOMotorClient)(uri)
    store = ConversationStore(client[database])
    while line := await asyncio.to_thread(sys.stdin.readline):
        what, *arguments = json.loads(line)
        answer: Any = await (_contest if what == "contest" else _free)(store, name, *arguments)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
