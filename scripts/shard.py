"""Prints the commands that shard the collections by tenant and conversation; with --uri runs them on that mongos.

Every command of the library names tenant and conversation, so each goes to one shard. Run it once, after
``ConversationStore.setup()``, with a user who may shard; what is done already is left as it is.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pymongo import MongoClient
from pymongo.errors import PyMongoError

from convotree import Settings
from convotree.storage.collections import COLLECTIONS, META, PROMPTS, TOOL_SETS

__all__ = ["NOT_SHARDED", "main", "sharding_commands"]

SHARD_KEY: Final = {"tenant_id": 1, "conversation_id": 1}
"""Ranged: a hashed key forbids the unique index on the revisions."""

NOT_SHARDED: Final = {
    META: "one document",
    PROMPTS: "small, and shared by all conversations of a tenant: found by key, from whichever shard asks",
    TOOL_SETS: "small, and shared by all conversations of a tenant: found by key, from whichever shard asks",
}


def sharding_commands(database: str, prefix: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each command and the database it is sent to, in order."""
    yield "admin", {"enableSharding": database}
    for kept in COLLECTIONS:
        if kept.name in NOT_SHARDED:
            continue
        name = prefix + kept.name
        # A collection that is not empty is sharded by an index that it has.
        index = {"key": SHARD_KEY, "name": "tenant_id_1_conversation_id_1"}
        yield database, {"createIndexes": name, "indexes": [index]}
        yield "admin", {"shardCollection": f"{database}.{name}", "key": SHARD_KEY}


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0 if all was printed or done, 2 if the server is no cluster or refuses."""
    parser = argparse.ArgumentParser(prog="scripts/shard", description=__doc__)
    parser.add_argument("--database", default="convotree", help="its name (default: convotree)")
    parser.add_argument(
        "--prefix", default=Settings().collection_prefix, help="of the collections (default: the library's)"
    )
    parser.add_argument("--uri", help="a mongos of the cluster; without it the commands are only printed")
    options = parser.parse_args(arguments)
    commands = list(sharding_commands(options.database, options.prefix))
    for database, command in commands:
        print(f"{database}: {json.dumps(command)}")
    if options.uri is None:
        return 0
    try:
        with MongoClient[dict[str, Any]](options.uri) as client:
            if client.admin.command("hello").get("msg") != "isdbgrid":
                print("this server is no mongos: give the URI of a sharded cluster's router", file=sys.stderr)
                return 2
            for database, command in commands:
                client[database].command(command)
    except PyMongoError as error:
        print(f"the server refuses it: {error}", file=sys.stderr)
        return 2
    print("done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
