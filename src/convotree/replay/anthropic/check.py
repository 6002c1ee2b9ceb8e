"""What Anthropic would reject of a request as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from convotree.replay.finding import Finding

if TYPE_CHECKING:
    from convotree.replay.request import Request

__all__ = ["check"]


def check(request: Request, *, model: str, sdk: bool) -> tuple[Finding, ...]:
    """The findings, in the order of the messages. No rule is written yet."""
    return ()
