"""What Gemini would reject of a request as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from convotree.replay.finding import Finding, Severity
from convotree.replay.gemini.part_checks import check_contents
from convotree.replay.gemini.render import build_wire
from convotree.replay.gemini.rules import RULES
from convotree.replay.gemini.sdk_types import check_with_sdk
from convotree.replay.gemini.target import NAME
from convotree.replay.gemini.turn_checks import check_turns
from convotree.replay.notebook import Notebook
from convotree.replay.own_rules import WRONG_ROLE
from convotree.replay.policy import AS_STORED
from convotree.replay.rule import Findings

if TYPE_CHECKING:
    from convotree.replay.request import Request

__all__ = ["check"]

# How handover and signatures end what they say of another model's signature that is sent all the same.
_UNSURE: Final = ("may be rejected", "may be rejected there")


def check(request: Request, *, model: str, sdk: bool) -> tuple[Finding, ...]:
    """The findings, in the order of the messages; those of the SDK's types after them."""
    notebook = Notebook(NAME, request.revision_ids)
    wire = build_wire(request, model=model, params={}, policy=AS_STORED, notebook=notebook)
    findings = Findings(RULES, notebook)
    check_contents(wire, findings)
    check_turns(wire, findings)
    # What writing the body had to change although it was to change nothing, and signatures it could not judge.
    noted = tuple(
        Finding(
            Severity.ERROR if note.rule == WRONG_ROLE else Severity.WARNING,
            note.place,
            note.rule,
            note.reason,
            note.revision_id,
        )
        for note in notebook.notes()
        if note.rule == WRONG_ROLE or (note.rule == "G8" and note.reason.endswith(_UNSURE))
    )
    opinions = check_with_sdk(wire) if sdk else ()
    return (*findings.in_order(), *noted, *opinions)
