"""What Anthropic would reject of a request as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from convotree.domain.outcome import Outcome
from convotree.domain.parts import ReasoningPart
from convotree.replay.anthropic.block_checks import check_blocks
from convotree.replay.anthropic.message_checks import check_messages
from convotree.replay.anthropic.models import facts_of
from convotree.replay.anthropic.render import build_wire
from convotree.replay.anthropic.rules import RULES
from convotree.replay.anthropic.sdk_types import check_with_sdk
from convotree.replay.anthropic.setting_checks import check_settings
from convotree.replay.anthropic.target import NAME, TARGET
from convotree.replay.anthropic.tool_call_checks import check_tool_calls
from convotree.replay.finding import Finding, Severity
from convotree.replay.hosted import hosted_orphans
from convotree.replay.notebook import Notebook
from convotree.replay.origin import Origin, origin_of
from convotree.replay.own_rules import WRONG_ROLE
from convotree.replay.policy import AS_STORED
from convotree.replay.prefix import stale_run
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
    _check_prefixes(request, model, findings)
    for place, reason in hosted_orphans(request.messages, NAME).items():
        findings.add("A9", place, reason)
    misplaced = tuple(
        Finding(Severity.ERROR, note.place, note.rule, note.reason, note.revision_id)
        for note in notebook.notes()
        if note.rule == WRONG_ROLE
    )
    opinions = check_with_sdk(wire) if sdk else ()
    return (*findings.in_order(), *misplaced, *opinions)


def _check_prefixes(request: Request, model: str, findings: Findings) -> None:
    """Rule A19, as far as the store knows: from the first answer on that was generated from another prefix."""
    signed = [
        (index, number)
        for index, message in enumerate(request.messages)
        if origin_of(message, TARGET) is Origin.OWN and message.outcome is Outcome.COMPLETE
        for number, part in enumerate(message.parts)
        if isinstance(part, ReasoningPart) and (part.signature or part.encrypted)
    ]
    stale = stale_run(request.prefix_breaks, (index for index, _ in signed))
    if stale is None:
        return
    place = next(place for place in signed if place[0] == stale.cause.index)
    findings.add(
        "A19",
        place,
        f"the reasoning was signed over other {stale.cause.what}; it and what follows it may be rejected",
        severity=None if facts_of(model).binds_prefix else Severity.WARNING,
    )
