"""What Chat Completions rejects in messages that are else in order: mended where the meaning stays, or refused."""

from __future__ import annotations

import re
from typing import Any, Final

from convotree.errors import UnreplayableError
from convotree.replay.finding import Severity
from convotree.replay.notebook import Notebook
from convotree.replay.openai_chat.message_checks import check_messages
from convotree.replay.openai_chat.rules import RULES
from convotree.replay.openai_chat.target import NAME
from convotree.replay.openai_chat.wire import Wire
from convotree.replay.policy import Unacceptable, policy_of
from convotree.replay.rule import Findings

__all__ = ["refuse_rejected", "repair"]

_OUTSIDE_NAMES: Final = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME: Final = 64
_REFUSED: Final = frozenset({"C4", "C5", "C8"})


def repair(wire: Wire, notebook: Notebook) -> None:
    """Mend the names of tools that answers call."""
    for message in wire.messages:
        calls = message.body.get("tool_calls")
        if not isinstance(calls, list):
            continue
        for call, place in zip(calls, message.calls, strict=True):
            inner: Any = call.get("function", call.get("custom"))
            name = inner.get("name") if isinstance(inner, dict) else None
            if not isinstance(name, str) or (
                0 < len(name) <= _LONGEST_NAME and not _OUTSIDE_NAMES.search(name)
            ):
                continue
            inner["name"] = _OUTSIDE_NAMES.sub("_", name)[:_LONGEST_NAME] or "tool"
            notebook.add(
                place, "C5", f"{inner['name']!r} stands for a name that is not allowed", inside=".name"
            )


def refuse_rejected(wire: Wire, notebook: Notebook) -> None:
    """Refuse what would be rejected all the same.

    Raises:
        UnreplayableError: naming the first such place and its rule.
    """
    findings = Findings(RULES, notebook)
    check_messages(wire, findings)
    for one in findings.in_order():
        if one.severity is Severity.ERROR and one.rule in _REFUSED:
            raise UnreplayableError(
                provider=NAME,
                place=one.place,
                rule=one.rule,
                reason=one.message,
                policy=policy_of(Unacceptable.REFUSE),
            )
