"""Rules of the Responses API about items, their members and the settings: R8 to R14. One pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from convotree.domain.exact_json import ExactJson
from convotree.replay.finding import Finding, Severity
from convotree.replay.notebook import TOOLS, WHOLE
from convotree.replay.openai_responses.content import is_file_data
from convotree.replay.openai_responses.item_kinds import NAMED_CALLS
from convotree.replay.openai_responses.item_members import ITEM_MEMBERS, PIECE_MEMBERS, foreign_members
from convotree.replay.openai_responses.repairs import MOST_BREAKPOINTS, breakpoints, pieces_of
from convotree.replay.openai_responses.rules import RULES
from convotree.replay.openai_responses.settings import Settings
from convotree.replay.openai_responses.tools import NAME_PATTERN, misnamed, namespaces
from convotree.replay.openai_responses.wire import Wire, WireItem
from convotree.replay.rule import Findings

__all__ = ["check_items", "check_settings"]

_ANSWERED_WITH = frozenset({"output_text", "refusal"})


def check_settings(settings: Settings) -> Iterator[Finding]:
    """Report what is wrong with the settings of an ingested body."""
    if settings.names_two_conversations:
        reason = "previous_response_id and conversation exclude each other"
        yield Finding(RULES["R14"].severity, "params.conversation", "R14", reason)


def check_items(wire: Wire, settings: Settings, findings: Findings) -> None:
    """Report what is wrong with single items and with the names of tools."""
    check = _ItemCheck(wire, settings, findings)
    for item in wire.items:
        check.item(item)
    for place, _ in list(breakpoints(wire))[MOST_BREAKPOINTS:]:
        findings.add("R14", place, f"more than {MOST_BREAKPOINTS} cache breakpoints")
    for number, name in misnamed(wire.tools):
        findings.add("R13", (TOOLS, number), f"{name[:40]!r} is no name of a tool", inside=".name")
    if not wire.items and not (settings.continues or settings.has_prompt):
        findings.add("R13", (0, WHOLE), "there is no input")


class _ItemCheck:
    """Looks at one item after the other."""

    def __init__(self, wire: Wire, settings: Settings, findings: Findings) -> None:
        self._settings = settings
        self._findings = findings
        self._spaces = namespaces(wire.tools)

    def item(self, item: WireItem) -> None:
        body = item.body
        if item.kind == "reasoning":
            self._reasoning(item)
        elif item.kind == "message":
            self._message(item)
        elif item.kind == "item_reference":
            if self._settings.discards:
                self._findings.add("R9", item.place, "nothing is stored that could be referred to")
        elif item.kind in NAMED_CALLS:
            self._call(item)
        elif item.kind not in ITEM_MEMBERS:
            self._findings.add(
                "R11", item.place, f"items of type {item.kind!r} are not known", severity=Severity.WARNING
            )
        for way in foreign_members(item.kind, body):
            self._findings.add("R11", item.place, f"{'.'.join(way)} is unknown to requests")
        for place, piece in pieces_of(item):
            kind = piece.get("type")
            if "file_data" in piece and not is_file_data(piece["file_data"]):
                self._findings.add("R13", place, "file_data is no data URL with base64")
            if not item.answer and kind not in PIECE_MEMBERS:
                self._findings.add(
                    "R11", place, f"content of type {kind!r} is not known", severity=Severity.WARNING
                )

    def _reasoning(self, item: WireItem) -> None:
        body = item.body
        if not body.get("encrypted_content"):
            if self._settings.discards:
                self._findings.add("R9", item.place, "reasoning without encrypted content is stored nowhere")
            elif item.id is None:
                self._findings.add("R8", item.place, "reasoning with neither id nor encrypted content")
        if body.get("summary") is None:
            self._findings.add("R8", item.place, "reasoning without a summary")

    def _message(self, item: WireItem) -> None:
        content: Any = item.body.get("content")
        empty = content.text == "[]" if isinstance(content, ExactJson) else content == []
        if empty:
            self._findings.add("R13", item.place, "the content is an empty list")
        elif item.answer and isinstance(content, ExactJson):
            self._findings.add("R10", item.place, "an answer of other content than text and refusals")
        elif item.answer and type(content) is list:
            for place, piece in pieces_of(item):
                if piece["type"] not in _ANSWERED_WITH:
                    self._findings.add("R10", place, f"{piece['type']} in an answer")

    def _call(self, item: WireItem) -> None:
        name = item.body.get("name")
        if type(name) is not str:
            self._findings.add("R13", item.place, f"the {item.kind} has no name")
            return
        if not NAME_PATTERN.fullmatch(name):
            self._findings.add("R13", item.place, f"{name[:40]!r} is no name of a tool", inside=".name")
        if name in self._spaces and item.body.get("namespace") is None:
            self._findings.add("R12", item.place, f"{name!r} is in the namespace {self._spaces[name]!r}")
