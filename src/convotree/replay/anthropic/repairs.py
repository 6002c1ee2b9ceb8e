"""What Anthropic rejects in messages that are otherwise in order: mended where the meaning stays, else refused."""

from __future__ import annotations

import re
from enum import Enum
from typing import Any, Final

from convotree.domain.exact_json import ExactJson, parse_value, split_object
from convotree.errors import UnreplayableError
from convotree.replay.anthropic.block_checks import check_blocks
from convotree.replay.anthropic.block_members import ANSWERS_ONLY
from convotree.replay.anthropic.declared_tools import speaks_of_tools
from convotree.replay.anthropic.message_checks import check_messages
from convotree.replay.anthropic.models import facts_of
from convotree.replay.anthropic.omissions import (
    leave_out_answers_blocks,
    leave_out_last_answer,
    leave_out_late_summaries,
    leave_out_pending,
    leave_out_undeclared,
)
from convotree.replay.anthropic.rules import RULES
from convotree.replay.anthropic.setting_checks import cache_ttl, check_settings, marked_blocks
from convotree.replay.anthropic.target import NAME
from convotree.replay.anthropic.wire import Wire
from convotree.replay.finding import Severity
from convotree.replay.notebook import TOOLS, WHOLE, Notebook
from convotree.replay.policy import BlankText, CacheMarkers, LastAnswer, RenderPolicy, Unacceptable, policy_of
from convotree.replay.rule import Findings

__all__ = ["refuse_rejected", "repair"]

_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_OUTSIDE_NAMES: Final = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME: Final = 128
# Not A24, whose table of members is of one release of the API: what is unknown to it is sent. Not A11 and A18 either:
# ids and signatures of the provider's own are its concern.
_REFUSED: Final = frozenset({"A1", "A12", "A14", "A15", "A17", "A20", "A22", "A23", "A25", "A27"})
_LOOKED_AT: Final = ("cache_control", "container", "thinking")


def repair(wire: Wire, policy: RenderPolicy, notebook: Notebook) -> None:
    """Mend names of called tools, the order of cache markers, the end of a begun answer, and the container, and leave
    out what may not stand here.

    Raises:
        UnreplayableError: if the policy refuses to leave something out.
    """
    concerns = _mend_names(wire, notebook)
    if _Concern.MISPLACED in concerns:
        leave_out_answers_blocks(wire, notebook)
    if _Concern.SUMMARIES in concerns:
        leave_out_late_summaries(wire, notebook)
    if _Concern.TOOLS in concerns:
        leave_out_undeclared(wire, policy, notebook)
    leave_out_pending(wire, policy, notebook)
    if policy.last_answer is LastAnswer.LEAVE_OUT:
        leave_out_last_answer(wire, notebook)
    if policy.cache_markers is CacheMarkers.TRIM:
        _mend_marker_order(wire, notebook)
    _strip_end(wire, notebook)
    _mend_container(wire, notebook)


def refuse_rejected(wire: Wire, policy: RenderPolicy, notebook: Notebook) -> None:
    """Refuse what would be rejected all the same, but not what another choice of ``policy`` asks to send.

    Raises:
        UnreplayableError: naming the first such place and its rule.
    """
    params: dict[str, Any] = {
        name: parse_value(wire.params[name].text) for name in _LOOKED_AT if name in wire.params
    }
    findings = Findings(RULES, notebook)
    check_settings(wire, params, findings)
    check_messages(wire, params, findings)
    check_blocks(wire, findings)
    wanted: set[str] = set()
    if policy.cache_markers is CacheMarkers.AS_STORED:
        wanted |= {"A22", "A23"}
    if policy.blank_text is BlankText.AS_STORED:
        wanted.add("A14")
    if policy.last_answer is LastAnswer.AS_STORED:
        wanted.add("A15")
    for one in findings.in_order():
        if one.severity is Severity.ERROR and one.rule in _REFUSED - wanted:
            by = LastAnswer.REFUSE if one.rule == "A15" else Unacceptable.REFUSE
            raise UnreplayableError(
                provider=NAME, place=one.place, rule=one.rule, reason=one.message, policy=policy_of(by)
            )


class _Concern(Enum):
    """What a request may need besides; most need nothing, and are looked through once."""

    MISPLACED = "misplaced"
    SUMMARIES = "summaries"
    TOOLS = "tools"


def _mend_names(wire: Wire, notebook: Notebook) -> set[_Concern]:
    """Rule A12, and what else has to be looked at."""
    concerns: set[_Concern] = set()
    for message in wire.messages:
        if isinstance(message.content, str):
            continue
        for number, block in enumerate(message.content):
            kind = block["type"]
            if kind == "text":
                continue
            if kind in ANSWERS_ONLY and message.role != "assistant":
                concerns.add(_Concern.MISPLACED)
            if kind == "tool_use":
                if not _NAME.fullmatch(block["name"]):
                    name = block["name"] = _OUTSIDE_NAMES.sub("_", block["name"])[:_LONGEST_NAME] or "tool"
                    reason = f"{name!r} stands for a name that is not allowed"
                    notebook.add(message.places[number], "A12", reason, inside=".name")
            elif kind == "compaction":
                concerns.add(_Concern.SUMMARIES)
            elif speaks_of_tools(block):
                concerns.add(_Concern.TOOLS)
    return concerns


def _mend_marker_order(wire: Wire, notebook: Notebook) -> None:
    """Rule A23: none of 1 hour after one of 5 minutes. The later one goes: the earlier covers what is above it."""
    short = False
    # Results may have been moved, so it is the body that says what comes first.
    for block, place, inside in marked_blocks(wire):
        marker: Any = block["cache_control"]
        if not isinstance(marker, ExactJson):
            continue
        ttl = cache_ttl(marker)
        if ttl == "1h" and short:
            del block["cache_control"]
            notebook.add(place, "A23", "a cache marker of 1h after one of 5m is left out", inside=inside)
        short = short or ttl == "5m"


def _strip_end(wire: Wire, notebook: Notebook) -> None:
    """Rule A16: white space at the end of a begun answer."""
    if not wire.messages or wire.messages[-1].role != "assistant" or facts_of(wire.model).prefill is False:
        return
    last = wire.messages[-1]
    if isinstance(last.content, str):
        stripped = last.content.rstrip()
        if stripped != last.content and stripped:
            last.content = stripped
            notebook.add(last.place, "A16", "white space at the end of the begun answer is left out")
    elif last.content and last.content[-1]["type"] == "text":
        text = last.content[-1]["text"]
        stripped = text.rstrip()
        if stripped != text and stripped:
            last.content[-1]["text"] = stripped
            notebook.add(last.places[-1], "A16", "white space at the end of the begun answer is left out")


def _mend_container(wire: Wire, notebook: Notebook) -> None:
    """Rule A26: a container that is nothing but its id is sent as the id."""
    container = wire.params.get("container")
    if container is None or not container.is_object:
        return
    members = split_object(container.text)
    if members.keys() == {"id"}:
        wire.params["container"] = ExactJson.stored(members["id"])
        notebook.add((TOOLS, WHOLE), "A26", "the container is sent as its id")
