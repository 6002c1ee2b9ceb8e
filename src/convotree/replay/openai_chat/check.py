"""What Chat Completions would reject of a request as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from convotree.replay.finding import Finding, Severity
from convotree.replay.notebook import Notebook
from convotree.replay.openai_chat.message_checks import check_messages
from convotree.replay.openai_chat.messages import MEDIA_FOLLOW
from convotree.replay.openai_chat.render import build_wire
from convotree.replay.openai_chat.rules import RULES
from convotree.replay.openai_chat.sdk_types import check_with_sdk
from convotree.replay.openai_chat.target import NAME
from convotree.replay.own_rules import WRONG_ROLE
from convotree.replay.policy import AS_STORED
from convotree.replay.rule import Findings

if TYPE_CHECKING:
    from convotree.replay.request import Request

__all__ = ["check"]


def check(request: Request, *, model: str, sdk: bool) -> tuple[Finding, ...]:
    """The findings, in the order of the messages; those of the SDK's types after them."""
    notebook = Notebook(NAME, request.revision_ids)
    wire = build_wire(request, model=model, params={}, policy=AS_STORED, notebook=notebook)
    findings = Findings(RULES, notebook)
    check_messages(wire, findings)
    # What writing the body had to change although it was to change nothing.
    changed = {WRONG_ROLE: Severity.ERROR, MEDIA_FOLLOW: Severity.WARNING}
    noted = tuple(
        Finding(changed[note.rule], note.place, note.rule, note.reason, note.revision_id)
        for note in notebook.notes()
        if note.rule in changed
    )
    opinions = check_with_sdk(wire) if sdk else ()
    return (*findings.in_order(), *noted, *opinions)
