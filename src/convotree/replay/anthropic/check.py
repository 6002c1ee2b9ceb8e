"""What Anthropic would reject of a request as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from convotree.replay.anthropic.block_checks import check_blocks
from convotree.replay.anthropic.message_checks import check_messages
from convotree.replay.anthropic.render import build_wire
from convotree.replay.anthropic.rules import RULES
from convotree.replay.anthropic.sdk_types import check_with_sdk
from convotree.replay.anthropic.setting_checks import check_settings
from convotree.replay.anthropic.target import NAME
from convotree.replay.anthropic.tool_call_checks import check_tool_calls
from convotree.replay.finding import Finding, Severity
from convotree.replay.hosted import hosted_orphans
from convotree.replay.notebook import Notebook
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
    params = {} if request.params is None else request.params.value
    findings = Findings(RULES, notebook)
    check_settings(wire, params, findings)
    check_messages(wire, params, findings)
    check_tool_calls(wire, findings)
    check_blocks(wire, findings)
    for place, reason in hosted_orphans(request.messages, NAME).items():
        findings.add("A9", place, reason)
    misplaced = tuple(
        Finding(Severity.ERROR, note.place, note.rule, note.reason, note.revision_id)
        for note in notebook.notes()
        if note.rule == WRONG_ROLE
    )
    opinions = check_with_sdk(wire) if sdk else ()
    return (*findings.in_order(), *misplaced, *opinions)
