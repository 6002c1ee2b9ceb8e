"""All storages of one database, made from one driver."""

from __future__ import annotations

from dataclasses import dataclass

from convotree.settings import Settings
from convotree.storage.conversations import ConversationStorage
from convotree.storage.counters import CounterStorage
from convotree.storage.driver import Driver
from convotree.storage.prompts import PromptStorage
from convotree.storage.revisions import RevisionStorage
from convotree.storage.schema import SchemaStorage

__all__ = ["Storage"]


@dataclass(frozen=True, slots=True)
class Storage:
    """One object for each collection; none does I/O until a method is awaited."""

    conversations: ConversationStorage
    revisions: RevisionStorage
    counters: CounterStorage
    prompts: PromptStorage
    schema: SchemaStorage

    @classmethod
    def of(cls, database: object, settings: Settings) -> Storage:
        """The storages of a pymongo or motor database.

        Raises:
            InvalidArgumentError: if ``database`` is neither.
        """
        driver = Driver.of(
            database, prefix=settings.collection_prefix, timeout_ms=settings.operation_timeout_ms
        )
        return cls(
            ConversationStorage(driver),
            RevisionStorage(driver),
            CounterStorage(driver),
            PromptStorage(driver),
            SchemaStorage(driver),
        )
