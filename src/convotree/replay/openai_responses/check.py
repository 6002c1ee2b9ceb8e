"""What the Responses API would reject of a request as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from convotree.domain.exact_json import ExactJson, split_object
from convotree.replay.finding import Finding, Severity
from convotree.replay.notebook import Notebook
from convotree.replay.openai_responses.call_checks import check_calls
from convotree.replay.openai_responses.id_checks import check_ids, check_models
from convotree.replay.openai_responses.item_checks import check_items, check_settings
from convotree.replay.openai_responses.render import build_wire
from convotree.replay.openai_responses.rules import RULES
from convotree.replay.openai_responses.sdk_types import check_with_sdk
from convotree.replay.openai_responses.settings import Settings
from convotree.replay.openai_responses.target import NAME
from convotree.replay.own_rules import WRONG_ROLE
from convotree.replay.policy import AS_STORED
from convotree.replay.rule import Findings

if TYPE_CHECKING:
    from convotree.replay.request import Request

__all__ = ["check"]


def check(request: Request, *, model: str, sdk: bool) -> tuple[Finding, ...]:
    """The findings, in the order of the messages; those of the SDK's types after them.

    The request's own ``params``, which it has where it was ingested, say whether it is stored or goes on with a stored
    conversation.
    """
    notebook = Notebook(NAME, request.revision_ids)
    params: dict[str, ExactJson] = {}
    if request.params is not None:
        params = {key: ExactJson.stored(text) for key, text in split_object(request.params.text).items()}
        params.pop("model", None)
    wire = build_wire(request, model=model, params=params, policy=AS_STORED, notebook=notebook)
    settings = Settings.of(params)
    findings = Findings(RULES, notebook)
    check_ids(wire, findings)
    check_calls(wire, settings, findings)
    check_items(wire, settings, findings)
    check_models(request.messages, model, findings)
    # What writing the body had to change although it was to change nothing.
    noted = tuple(
        Finding(Severity.ERROR, note.place, note.rule, note.reason, note.revision_id)
        for note in notebook.notes()
        if note.rule == WRONG_ROLE
    )
    opinions = check_with_sdk(wire) if sdk else ()
    return (*check_settings(settings), *findings.in_order(), *noted, *opinions)
