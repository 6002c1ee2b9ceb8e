"""A finding of ``check``: something the provider would reject or might not take as meant."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["Finding", "Severity"]


class Severity(Enum):
    """How sure the rejection is."""

    ERROR = "error"
    """The provider answers with an error."""
    WARNING = "warning"
    """Widely believed to be rejected, or rejected by some platforms; accepted traffic breaks it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. ``place`` is a path into the request (``messages[3].parts[0]``), or into the rendered body where it
    starts with ``body``; ``rule`` is an id of the rule tables in ``docs/replay.md``. ``revision_id`` where known.
    """

    severity: Severity
    place: str
    rule: str
    message: str
    revision_id: str | None = None
