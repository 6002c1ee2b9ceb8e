"""How an answer ended: what a draft is sealed as, and what replay does with it depends on."""

from __future__ import annotations

from enum import Enum

__all__ = ["Outcome"]


class Outcome(Enum):
    """Whether the model came to the end of its answer."""

    COMPLETE = "complete"
    """It ended by itself, or at a limit of tokens, a stop sequence or a content filter: what there is counts."""
    ABORTED = "aborted"
    """It was stopped from outside, by the user or a broken connection."""
    FAILED = "failed"
    """The provider reported an error while answering."""
